/**
 * Answers a query from rows that were kept before and rows that are read anew. googlesql/refresh/README.md says for which queries this is
 * possible, and why the result is the same. In any doubt the whole query runs.
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
import { countBuckets, fieldsOf, readRows, resultOf, wholeRows } from './rows.js'
import { clip, dropOutside, isWithin, joinSpans, type KeptRow, type Span, sortByTime } from './time-spans.js'
import { isSameParts, validSpans } from './valid-spans.js'

export interface RefresherDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly observe: Observer
  /** Called with each result that was put together. */
  readonly publish: (result: ResultSet, options: RunOptions) => void
  /** Finds the rows that were kept under this key. */
  readonly find: (key: string) => Promise<StoredResult | undefined>
  /** After so many refreshes, a result is compared with that of the whole query; 0 for never. */
  readonly verifyEvery: number
}

/** How many times a refresh is tried while the table keeps changing; after that the whole query runs. */
const MAX_ATTEMPTS = 2
/** Larger results are not kept: each refresh reads and writes all of their rows, while other calls wait. */
export const MAX_KEPT_BYTES = 2_000_000
export const MAX_KEPT_ROWS = 10_000
/** The most rows that are passed on to the rest of a query, its `upper` text: each takes some 50 µs in the engine. */
export const MAX_UPPER_ROWS = 2_000
/** Calls for scattered times leave many spans. If there are more than this, the spans outside the times of the last call are dropped. */
const MAX_SPANS = 100
/** How many keys whose refresh failed are remembered, and for how many milliseconds. */
const MAX_REFUSED = 1_000
const REFUSED_MS = 600_000

/** The engine has refused a query other than the whole query. The engine's error is the cause. */
class NarrowedError extends Error {
  override readonly name = 'NarrowedError'
}

/** What is known when a refresh begins. */
interface Start {
  readonly key: string
  /** The state of the other tables. */
  readonly others: string
  readonly stored: StoredResult | undefined
  /** The table's parts. Empty where nothing is stored and the engine is exact: the query itself will report the parts. */
  readonly parts: readonly TablePart[]
  readonly plan: Plan
}

/** The whole query must be run. */
interface NotPutTogether {
  /** The key of the call if its queries failed, and would fail again; else null. */
  readonly key: string | null
  /** The error with which the engine has refused one of the queries. */
  readonly cause?: unknown
}

const NOT_TRIED: NotPutTogether = { key: null }

export class Refresher {
  readonly #deps: RefresherDeps
  /** The keys of calls whose queries failed, each with the time in milliseconds until which no refresh is tried. */
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
      // If the whole query fails, too, no key is refused: the cause is in the rows, and may be corrected at any time.
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
    const others = await this.#stateOfOthers(call)
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

  /** Null where the parts of the table are not known, or where no time fulfils the bounds. */
  async #begin(call: Call, key: string, others: string): Promise<Start | null> {
    const { kept } = call
    const stored = call.readsAll ? undefined : await this.#deps.find(key)
    if (!stored) {
      const plan = planOf(call, [])
      const parts = isExact(call) ? [] : await this.#partsOf(call, kept, false)
      // Without kept rows a plan reads all times. If it is not whole all the same, no time fulfils the bounds.
      return parts && plan.isWhole ? { key, others, stored, parts, plan } : null
    }
    const parts = await this.#partsOf(call, kept, true)
    // A part with unknown times may have a time that no narrowed query can ask for.
    if (parts === null || parts.some(({ times }) => times === undefined)) return null
    const before = decodeParts(stored.kept?.parts ?? '')
    const old = await validSpans(kept, await decodeKept(stored, kept, call.options.signal), before, parts)
    return { key, others, stored, parts, plan: planOf(call, old) }
  }

  /** The result of the whole query. Its closed rows are kept, unless rows may be missing or a table has changed meanwhile. */
  async #whole(call: Call, start: Start): Promise<ResultSet> {
    const { parts: reported, ...set } = await this.#read({ query: call.query }, call)
    const parts = partsRead(call, start, reported)
    const rowsRead = parts && !set.isTruncated && isSmall(set) ? await gather(call, start, parts, [set]) : null
    return rowsRead?.kept ? { ...set, kept: rowsRead.kept } : set
  }

  /** Null where the result cannot be put together, for example since rows may be missing; `changed` where a table has changed meanwhile. */
  async #putTogether(call: Call, start: Start): Promise<ResultSet | 'changed' | null> {
    const { kept, options, bucketOf } = call
    const { plan } = start
    const sets = await this.#readAll(readsOf(call, plan, start.parts), call, start)
    const partsOfSets = sets?.map(set => partsRead(call, start, set.parts)) ?? []
    if (sets === null || partsOfSets.includes(null)) return 'changed'
    // No query has run and reported the other tables. One of them may have changed since `start.others` was read.
    if (sets.length === 0 && isExact(call) && (await this.#stateOfOthers(call)) !== start.others) return 'changed'
    const parts = partsOfSets[0] ?? start.parts
    if (sets.some(({ isTruncated }) => isTruncated)) return null
    const rowsRead = await gather(call, start, parts, sets)
    if (rowsRead === null) return null
    const reused = clip(plan.leftovers, plan.closed, bucketOf)
    const rows = wholeRows(kept, sortByTime([...rowsRead.spans, ...reused]), rowsRead.nulls)
    const result = await this.#resultOf(call, rows, rowsRead.columns)
    if (result.body.byteLength > (options.maxBytes ?? Number.POSITIVE_INFINITY)) return null
    const partial = { ...bucketsKept(reused, rowsRead.spans), tier: tierOf(call) }
    const set = { ...result, ...(!plan.isWhole && { partial }) }
    if (!(await this.#isVerified(call, set, parts, start))) return null
    this.#deps.publish(set, options)
    return { ...set, ...(rowsRead.kept && { kept: rowsRead.kept }) }
  }

  /**
   * Runs the queries one after the other, since a call may run only one query at a time. Null where a table has changed meanwhile.
   * @throws NarrowedError as `#read` does, and where the rows are more than MAX_UPPER_ROWS.
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

  /** @throws NarrowedError where the engine refuses a query other than the whole query. */
  #read({ query, parts }: Read, { kept, options, costs, ...call }: Call): Promise<ResultSet> {
    const limits = { maxRows: MAX_UPPER_ROWS, maxBytes: MAX_KEPT_BYTES }
    const limited = { ...options, contract: [], timestamps: 'iso8601', ...limits } as const
    const isPart = query !== call.query
    const final = { ...(kept.upper === null ? options : limited), ...(parts && { parts }), isPart, tellsParts: true }
    return this.#run(query, final, costs).catch((cause: unknown) => {
      throw isPart && isOwnFault(cause) ? new NarrowedError('', { cause }) : cause
    })
  }

  /** The result of the call: these rows, or what `upper` computes from them. @throws NarrowedError where the engine refuses `upper`. */
  async #resultOf({ kept, query, options, costs }: Call, rows: readonly KeptRow[], columns: ResultSet['columns']) {
    const { upper } = kept
    if (upper === null) return { ...(await resultOf(rows, options.signal, options.maxRows)), columns }
    const _rows = { type: upper.rowsType, value: fieldsOf(rows, columns) }
    const { sql } = upper
    return this.#run({ sql, parameters: { ...query.parameters, _rows } }, { ...options, isPart: true }, costs).catch(
      (cause: unknown) => {
        throw isOwnFault(cause) ? new NarrowedError('', { cause }) : cause
      },
    )
  }

  /** Runs a query and adds its cost to `costs`, also where it fails. */
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
      return null // Then the whole query runs, and fails with its own error if the cause is still there.
    }
  }

  /** The state of the other tables: the keys of their parts as a text. Null where it is not known. */
  async #stateOfOthers(call: Call): Promise<string | null> {
    const { others } = call.kept
    const parts = await Promise.all(others.map(table => this.#partsOf(call, { table, column: '' }, false)))
    return parts.includes(null) ? null : parts.flatMap(list => list!.map(({ key }) => key)).join('\n')
  }

  /** Whether the tables still have these parts. Always true where the engine reports changes late: asking again would not show them. */
  async #isUnchanged(call: Call, parts: readonly TablePart[], others: string): Promise<boolean> {
    if (!isExact(call)) return true
    const now = await this.#partsOf(call, call.kept, false)
    return now !== null && isSameParts(parts, now) && (await this.#stateOfOthers(call)) === others
  }

  /** Compares one refresh in `verifyEvery` with the whole query. False where the results differ although no table has changed. */
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

/**
 * The parts that a query has read; null where a table has changed meanwhile. Queries of an engine that reports changes late do not
 * report parts: then the parts of the start are taken.
 *
 * @param reported the parts of each table, as the query has reported them
 */
function partsRead(
  call: Call,
  { parts, others, stored, plan }: Start,
  reported: ResultSet['parts'],
): readonly TablePart[] | null {
  if (!isExact(call)) return parts
  const { kept } = call
  const keysOf = (table: string): readonly string[] => reported?.[table] ?? [NOT_REPORTED]
  if (kept.others.flatMap(keysOf).join('\n') !== others) return null
  // A narrowed query has read the parts that it was restricted to.
  if (!plan.isWhole) return parts
  const own = reported?.[kept.table]?.map(key => ({ key })) ?? null
  if (!stored || own === null) return own
  return isSameParts(own, parts) ? parts : null
}

/** Differs from every key of a part. */
const NOT_REPORTED = '?'

/** Whether the query itself has caused the failure, so that another query may succeed. */
const isOwnFault = (thrown: unknown): boolean => thrown instanceof RunnerError && !CODES_OF_ANY.includes(thrown.code)

/** Failures that any query would have met. */
const CODES_OF_ANY: readonly ErrorCode[] = ['CALL_ABANDONED', 'DRAINING', 'ENGINE_UNAVAILABLE', 'OVERLOADED']

const tooManyRows = (): NarrowedError =>
  new NarrowedError('', { cause: new Error(`a part of the query has more than ${MAX_UPPER_ROWS} rows`) })

const hasBucket = ({ bucket }: KeptRow): boolean => bucket !== null

/** The spans that were read, and what is to be kept from now on. Null where a row lies outside the interval that its query asked for. */
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
    return kept.isText ? dropOutside(all, bucketOf) : all
  })
  if (!spans.every(span => isWithin(span, bucketOf))) return null
  const closed = clip(spans, plan.closed, bucketOf)
  const { columns } = sets[0] ?? stored!
  const keptSpans = keptFrom(call, plan, closed)
  const text = await partsText(kept, keptSpans, parts)
  const isNews = closed.length > 0 || text !== stored?.kept?.parts
  const encoded = isNews ? await encodeKept(keptSpans, text, call.options.signal) : null
  const more = encoded && isSmall(encoded) ? { kept: { key, columns, ...encoded } } : {}
  return { spans, nulls: read.flat().filter(row => !hasBucket(row)), columns, ...more }
}

/** The spans to keep from now on: those that were kept before, and those that were read. @param read closed cells only */
function keptFrom({ kept, bucketOf }: Call, { leftovers, closed }: Plan, read: readonly Span[]): readonly Span[] {
  const all = joinSpans(sortByTime([...leftovers, ...read]), isDescending(kept))
  return all.length > MAX_SPANS ? clip(all, closed, bucketOf) : all
}

const isDescending = ({ order }: KeptQuery): boolean => order?.isDescending ?? false

/** How many buckets the result has (`of`), and how many of them come from kept rows (`kept`). */
function bucketsKept(reused: readonly Span[], read: readonly Span[]): Omit<PartialRead, 'tier'> {
  const kept = countBuckets(reused)
  return { kept, of: kept + countBuckets(read) }
}

/** The cost of all queries of a call; `isCacheHit` and `jobId` are those of the last query. */
function sumOf(costs: readonly QueryCost[]): QueryCost {
  const sum = (member: 'bytesProcessed' | 'bytesBilled'): number =>
    costs.reduce((total, cost) => total + cost[member], 0)
  const { isCacheHit, jobId } = costs.at(-1)!
  return { bytesProcessed: sum('bytesProcessed'), bytesBilled: sum('bytesBilled'), isCacheHit, jobId }
}

const withCosts = (set: ResultSet, costs: readonly QueryCost[]): ResultSet =>
  costs.length === 0 ? set : { ...set, cost: sumOf(costs) }

/** Whether both results have the same rows, in any order. */
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

/** The offset of the first byte in which two bodies differ. */
function firstDifference(a: Uint8Array, b: Uint8Array): number {
  const offset = a.findIndex((byte, i) => byte !== b[i])
  return offset < 0 ? a.byteLength : offset
}
