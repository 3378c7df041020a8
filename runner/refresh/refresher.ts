/**
 * Answers queries from rows that were read before and what is read anew: googlesql/refresh/README.md says which queries, and why the
 * result is the same. On any doubt the whole query runs.
 */
import { bucketBoundary, closedWindow, type KeptQuery } from '../../googlesql/index.js'
import { BoundedMap } from '../model/bounded-map.js'
import { deadlineSignal } from '../model/deadline.js'
import type { ErrorCode } from '../model/error-codes.js'
import { RunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock, Engine, RunOptions, StoredResult } from '../model/ports.js'
import type { PartialRead, Query, QueryCost, ResultSet, TablePart, Tier } from '../model/query.js'
import { decodeParts, partsText } from './kept-parts.js'
import { decodeKept, encodeKept } from './kept-rows.js'
import { type Call, type KeepOptions, type Plan, planOf, type Read, readsOf, settledTime } from './plan.js'
import { bucketsOf, fieldsOf, readRows, resultOf, wholeRows } from './rows.js'
import { inInterval, inOrder, isWithin, type KeptRow, merged, type Span, within } from './spans.js'
import { isSameParts, trueSpans } from './trust.js'

export interface RefresherDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly observe: Observer
  /** Called with each result that was put together. */
  readonly publish: (result: ResultSet, options: RunOptions) => void
  /** What was kept under this key. */
  readonly find: (key: string) => Promise<StoredResult | undefined>
  /** One refresh in so many is held against the whole query; 0 for none. */
  readonly verifyEvery: number
}

/** How often a refresh begins anew because the table has changed meanwhile; then the whole query runs. */
const MAX_ATTEMPTS = 2
/** Larger results are not kept: each refresh reads and writes all of their rows, while other calls wait. */
export const MAX_KEPT_BYTES = 2_000_000
export const MAX_KEPT_ROWS = 10_000
/** More rows are not passed on to the rest of a query: each takes some 50 µs in the engine. */
export const MAX_UPPER_ROWS = 2_000
/** Arguments that leave gaps make many spans. Where there are more, those that this call does not ask for are dropped. */
const MAX_SPANS = 100
/** The most keys that are remembered as refused, and for how long, in milliseconds. */
const MAX_REFUSED = 1_000
const REFUSED_MS = 600_000

/** The engine has refused a narrowed query. */
class NarrowedError extends Error {
  override readonly name = 'NarrowedError'
}

/** What a refresh begins with. */
interface Start {
  readonly key: string
  /** The state of the other tables. */
  readonly others: string
  readonly stored: StoredResult | undefined
  /** None where nothing is stored and the query will tell them. */
  readonly parts: readonly TablePart[]
  readonly plan: Plan
}

/** The whole query must be run. */
interface NotPutTogether {
  /** The key of the call if its queries were in vain, as they would be again; else null. */
  readonly key: string | null
  /** Why the engine has refused one of them. */
  readonly cause?: unknown
}

const NOT_TRIED: NotPutTogether = { key: null }

export class Refresher {
  readonly #deps: RefresherDeps
  /** The keys of calls whose queries were in vain, and until when they are not tried again. */
  readonly #refused = new BoundedMap<string, number>(MAX_REFUSED)
  #refreshes = 0

  constructor(deps: RefresherDeps) {
    this.#deps = deps
  }

  /** @throws RunnerError as Engine.run does. */
  async run(query: Query, options: RunOptions, keep: KeepOptions): Promise<ResultSet> {
    const { engine, clock, observe } = this.#deps
    const call = this.#callOf(query, options, keep)
    if (call === null) return engine.run(query, options)
    const { signal, end } = deadlineSignal([options.signal], options.timeoutMs, clock)
    const { costs } = call
    try {
      const answer = await this.#answer({ ...call, options: { ...options, signal } }).finally(end)
      if ('body' in answer) return withCosts(answer, costs)
      const whole = await this.#run(query, options, costs)
      // Where the whole query fails as well, the cause is in its rows, and may be corrected at any time.
      const { key, cause } = answer
      if (key !== null) this.#refused.set(key, clock.nowMs() + REFUSED_MS)
      if (cause) observe({ kind: 'refresh.refused', endpoint: options.endpoint, cause })
      return withCosts(whole, costs)
    } catch (thrown) {
      throw thrown instanceof RunnerError && costs.length > 0 ? thrown.withCost(sumOf(costs)) : thrown
    }
  }

  async #answer(call: Call): Promise<ResultSet | NotPutTogether> {
    const { clock, observe } = this.#deps
    const { kept } = call
    const others = await this.#othersOf(call)
    if (others === null) return NOT_TRIED
    const key = call.keyWithout(kept.boundParameters, others)
    if ((this.#refused.get(key) ?? 0) > clock.nowMs()) return NOT_TRIED
    try {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const start = await this.#begin(call, key, others)
        if (start === null) return NOT_TRIED
        const isWhole = start.plan.isWhole && call.kept.upper === null
        const set = await (isWhole ? this.#whole(call, start) : this.#putTogether(call, start))
        if (set !== 'changed') return set ?? { key }
      }
    } catch (thrown) {
      if (thrown instanceof RunnerError) throw thrown
      if (thrown instanceof NarrowedError) return { key, cause: thrown.cause }
      observe({ kind: 'bug', where: 'refresh', cause: thrown })
      return { key }
    }
    return NOT_TRIED
  }

  #callOf(query: Query, options: RunOptions, { settledMs, ...keep }: KeepOptions): Call | null {
    const { engine, clock } = this.#deps
    const kept = engine.keptQuery?.(query, options.job?.revision)
    if (!kept || 'reason' in kept) return null
    const window = closedWindow(kept, name => query.parameters[name]?.value)
    if (window === null) return null
    const bucketOf = (time: bigint): bigint => bucketBoundary(kept, time)
    const settled = engine.tier === 'exact' ? null : settledTime(kept, clock.nowMs() - settledMs)
    return { ...keep, kept, window, settled, bucketOf, query, options, costs: [] }
  }

  /** Null where it cannot be known what to read: the parts of the table are not known, or no time fulfils the bounds. */
  async #begin(call: Call, key: string, others: string): Promise<Start | null> {
    const { kept } = call
    const stored = call.readsAll ? undefined : await this.#deps.find(key)
    if (!stored) {
      const plan = planOf(call, [])
      const parts = isExact(call) ? [] : await this.#partsOf(call, kept, false)
      // Without a whole plan, no time fulfils the bounds.
      return parts && plan.isWhole ? { key, others, stored, parts, plan } : null
    }
    const parts = await this.#partsOf(call, kept, true)
    // A time that is not known may be beyond what a narrowed query can ask for.
    if (parts === null || parts.some(({ times }) => times === undefined)) return null
    const before = decodeParts(stored.kept?.parts ?? '')
    const old = await trueSpans(kept, await decodeKept(stored, kept, call.options.signal), before, parts)
    return { key, others, stored, parts, plan: planOf(call, old) }
  }

  /** The result of the query itself, which is kept unless rows may be missing or the table has changed. */
  async #whole(call: Call, start: Start): Promise<ResultSet> {
    const { parts: told, ...set } = await this.#read({ query: call.query }, call)
    const parts = partsRead(call, start, told)
    const read = parts && !set.isTruncated && isSmall(set) ? await gather(call, start, parts, [set]) : null
    return read?.kept ? { ...set, kept: read.kept } : set
  }

  /** Null where the result cannot be put together, as where rows may be missing; `changed` where the table has changed meanwhile. */
  async #putTogether(call: Call, start: Start): Promise<ResultSet | 'changed' | null> {
    const { kept, options, bucketOf } = call
    const { plan } = start
    const sets = await this.#readAll(readsOf(call, plan, start.parts), call, start)
    const told = sets?.map(set => partsRead(call, start, set.parts)) ?? []
    if (sets === null || told.includes(null)) return 'changed'
    // No query has told the state of the other tables: it may have changed before that of the first one was asked for.
    if (sets.length === 0 && isExact(call) && (await this.#othersOf(call)) !== start.others) return 'changed'
    const parts = told[0] ?? start.parts
    if (sets.some(({ isTruncated }) => isTruncated)) return null
    const read = await gather(call, start, parts, sets)
    if (read === null) return null
    const reused = within(plan.rest, plan.closed, bucketOf)
    const rows = wholeRows(kept, inOrder([...read.spans, ...reused]), read.nulls)
    const result = await this.#resultOf(call, rows, read.columns)
    if (result.body.byteLength > (options.maxBytes ?? Number.POSITIVE_INFINITY)) return null
    const partial = { ...bucketsKept(reused, read.spans), tier: tierOf(call) }
    const set = { ...result, ...(!plan.isWhole && { partial }) }
    if (!(await this.#isVerified(call, set, parts, start))) return null
    this.#deps.publish(set, options)
    return { ...set, ...(read.kept && { kept: read.kept }) }
  }

  /**
   * The results one after the other, since a call has one place among the queries that run. Null where the table has changed meanwhile.
   * @throws NarrowedError as `#read` does, and where there are more rows than are passed on.
   */
  async #readAll(reads: readonly Read[], call: Call, { parts, others, plan }: Start) {
    const { upper } = call.kept
    const sets: ResultSet[] = []
    try {
      for (const read of reads) sets.push(await this.#read(read, call))
    } catch (thrown) {
      const isNarrowed = thrown instanceof NarrowedError && !plan.isWhole
      if (isNarrowed && !(await this.#isUnchanged(call, parts, others))) return null
      throw thrown
    }
    if (upper !== null && sets.some(({ isTruncated }) => isTruncated)) throw tooManyRows()
    return sets
  }

  /** @throws NarrowedError where the engine refuses a query that is not the whole one. */
  #read({ query, parts }: Read, { kept, options, costs, ...call }: Call): Promise<ResultSet> {
    const limits = { maxRows: MAX_UPPER_ROWS, maxBytes: MAX_KEPT_BYTES }
    const ofLower = { ...options, contract: [], timestamps: 'iso8601', ...limits } as const
    const isPart = query !== call.query
    const ofRead = { ...(kept.upper === null ? options : ofLower), ...(parts && { parts }), isPart, tellsParts: true }
    return this.#run(query, ofRead, costs).catch((cause: unknown) => {
      throw isPart && isOfQuery(cause) ? new NarrowedError('', { cause }) : cause
    })
  }

  /** The result that these rows are, or that is computed from them. @throws NarrowedError where the engine cannot compute it. */
  async #resultOf({ kept, query, options, costs }: Call, rows: readonly KeptRow[], columns: ResultSet['columns']) {
    const { upper } = kept
    if (upper === null) return { ...(await resultOf(rows, options.signal, options.maxRows)), columns }
    const _rows = { type: upper.rowsType, value: fieldsOf(rows, columns) }
    const { sql } = upper
    return this.#run({ sql, parameters: { ...query.parameters, _rows } }, { ...options, isPart: true }, costs).catch(
      (cause: unknown) => {
        throw isOfQuery(cause) ? new NarrowedError('', { cause }) : cause
      },
    )
  }

  /** Runs a query, whose cost is added to the others. */
  async #run(query: Query, options: RunOptions, costs: QueryCost[]): Promise<ResultSet> {
    try {
      const set = await this.#deps.engine.run(query, options)
      if (set.cost) costs.push(set.cost)
      return set
    } catch (thrown) {
      if (thrown instanceof RunnerError && thrown.cost) costs.push(thrown.cost)
      throw thrown
    }
  }

  async #partsOf(
    { query: { parameters }, kept, options: { signal, job } }: Call,
    { table, column }: Pick<KeptQuery, 'table' | 'column'>,
    withTimes: boolean,
  ): Promise<readonly TablePart[] | null> {
    const query = { sql: kept.lower, parameters }
    const about = { withTimes, query, signal, ...(job && { revision: job.revision }) }
    try {
      return (await this.#deps.engine.tableParts?.(table, column, about)) ?? null
    } catch (thrown) {
      if (signal.aborted) throw thrown
      return null // The whole query runs, and tells its own failure.
    }
  }

  /** The state of the other tables; null where it is not known. */
  async #othersOf(call: Call): Promise<string | null> {
    const { others } = call.kept
    const parts = await Promise.all(others.map(table => this.#partsOf(call, { table, column: '' }, false)))
    return parts.includes(null) ? null : parts.flatMap(list => list!.map(({ key }) => key)).join('\n')
  }

  /** Where changes are told late, two readings say no more than one. */
  async #isUnchanged(call: Call, parts: readonly TablePart[], others: string): Promise<boolean> {
    if (!isExact(call)) return true
    const now = await this.#partsOf(call, call.kept, false)
    return now !== null && isSameParts(parts, now) && (await this.#othersOf(call)) === others
  }

  /** Holds one refresh in `verifyEvery` against the whole query. False where they differ and the table is the same. */
  async #isVerified(call: Call, set: ResultSet, parts: readonly TablePart[], { others }: Start): Promise<boolean> {
    const { observe, verifyEvery } = this.#deps
    this.#refreshes += 1
    if (verifyEvery === 0 || this.#refreshes % verifyEvery !== 0) return true
    const whole = await this.#run(call.query, call.options, call.costs)
    const isSame = Buffer.compare(whole.body, set.body) === 0
    if (isSame || (!call.kept.isOrdered && isSameRows(whole, set))) return true
    if (!(await this.#isUnchanged(call, parts, others))) return true
    observe({ kind: 'refresh.differed', endpoint: call.options.endpoint, at: firstDifference(whole.body, set.body) })
    return false
  }
}

const isSmall = ({ body, rowCount }: Pick<ResultSet, 'body' | 'rowCount'>): boolean =>
  body.byteLength <= MAX_KEPT_BYTES && rowCount <= MAX_KEPT_ROWS

const isExact = ({ settled }: Call): boolean => settled === null

const tierOf = (call: Call): Tier => (isExact(call) ? 'exact' : 'declared')

/** The parts that a query has read; null where a table has changed meanwhile. Where changes are told late, nothing tells it. */
function partsRead(
  call: Call,
  { parts, others, stored, plan }: Start,
  told: ResultSet['parts'],
): readonly TablePart[] | null {
  if (!isExact(call)) return parts
  const { kept } = call
  const keysOf = (table: string): readonly string[] => told?.[table] ?? [NOT_TOLD]
  if (kept.others.flatMap(keysOf).join('\n') !== others) return null
  // A narrowed query has read those that it named.
  if (!plan.isWhole) return parts
  const own = told?.[kept.table]?.map(key => ({ key })) ?? null
  if (!stored || own === null) return own
  return isSameParts(own, parts) ? parts : null
}

/** No key of a part. */
const NOT_TOLD = '?'

/** Whether another query may not fail so. */
const isOfQuery = (thrown: unknown): boolean => thrown instanceof RunnerError && !OF_ANY_QUERY.includes(thrown.code)

const OF_ANY_QUERY: readonly ErrorCode[] = ['CALL_ABANDONED', 'DRAINING', 'ENGINE_UNAVAILABLE', 'OVERLOADED']

const tooManyRows = (): NarrowedError =>
  new NarrowedError('', { cause: new Error(`a part of the query has more than ${MAX_UPPER_ROWS} rows`) })

const hasBucket = ({ bucket }: KeptRow): boolean => bucket !== null

/** What was read, and what of it is to be kept; null where rows lie outside what was read. */
async function gather(
  call: Call,
  { key, stored, plan }: Start,
  parts: readonly TablePart[],
  sets: readonly ResultSet[],
) {
  const { kept, bucketOf } = call
  const read = await Promise.all(sets.map(set => readRows(set, kept, call.options.signal)))
  const spans = plan.reads.map((interval, i) => {
    const all = { ...interval, rows: read[i]!.filter(hasBucket) }
    return kept.isText ? inInterval(all, bucketOf) : all
  })
  if (!spans.every(span => isWithin(span, bucketOf))) return null
  const closed = within(spans, plan.closed, bucketOf)
  const { columns } = sets[0] ?? stored!
  const keptSpans = keptFrom(call, plan, closed)
  const text = await partsText(kept, keptSpans, parts)
  const isNews = closed.length > 0 || text !== stored?.kept?.parts
  const encoded = isNews ? await encodeKept(keptSpans, text, call.options.signal) : null
  const more = encoded && isSmall(encoded) ? { kept: { key, columns, ...encoded } } : {}
  return { spans, nulls: read.flat().filter(row => !hasBucket(row)), columns, ...more }
}

/** What is kept from now on: what was kept before, and of what was read what is closed. */
function keptFrom({ kept, bucketOf }: Call, { rest, closed }: Plan, read: readonly Span[]): readonly Span[] {
  const all = merged(inOrder([...rest, ...read]), isDescending(kept))
  return all.length > MAX_SPANS ? within(all, closed, bucketOf) : all
}

const isDescending = ({ order }: KeptQuery): boolean => order?.isDescending ?? false

/** How many buckets were kept, of those that the result has. */
function bucketsKept(reused: readonly Span[], read: readonly Span[]): Omit<PartialRead, 'tier'> {
  const kept = bucketsOf(reused)
  return { kept, of: kept + bucketsOf(read) }
}

/** What all queries of a call have cost. */
function sumOf(costs: readonly QueryCost[]): QueryCost {
  const sum = (member: 'bytesProcessed' | 'bytesBilled'): number =>
    costs.reduce((total, cost) => total + cost[member], 0)
  const { isCacheHit, jobId } = costs.at(-1)!
  return { bytesProcessed: sum('bytesProcessed'), bytesBilled: sum('bytesBilled'), isCacheHit, jobId }
}

const withCosts = (set: ResultSet, costs: readonly QueryCost[]): ResultSet =>
  costs.length === 0 ? set : { ...set, cost: sumOf(costs) }

/** Whether they have the same rows, in whatever order. */
function isSameRows(a: ResultSet, b: ResultSet): boolean {
  const rowsOf = ({ body }: ResultSet): string => {
    const { result } = JSON.parse(Buffer.from(body).toString()) as { readonly result: readonly unknown[] }
    return result
      .map(row => JSON.stringify(row))
      .sort()
      .join('\n')
  }
  return rowsOf(a) === rowsOf(b)
}

/** The offset of the first byte in which they differ. */
function firstDifference(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i])
  return at < 0 ? a.byteLength : at
}
