/**
 * Rounds of steps. A round has a table, some queries, and a clock that goes on; a step changes some of the table's files, and holds
 * the answer of a refresh against that of the whole query.
 */
import { keptKey } from '../../../runner/cache/key.js'
import { withPart } from '../../../runner/cache/stores/purged-part.js'
import type { DuckdbEngine } from '../../../runner/engines/duckdb/index.js'
import type { Engine, RunOptions, StoredResult } from '../../../runner/model/ports.js'
import type { BoundValue, KeptRows, Query, ResultSet } from '../../../runner/model/query.js'
import { systemClock } from '../../../runner/platform/clock.js'
import { encodeParts } from '../../../runner/refresh/kept-parts.js'
import { Refresher } from '../../../runner/refresh/refresher.js'
import { type Random, randomOf } from '../random.js'
import { argumentTime } from './expressions.js'
import { brokenQuery, type FuzzQuery, randomQuery, type Subject, upperQuery } from './queries.js'
import {
  changeTable,
  type FileWriter,
  FuzzTable,
  fillTable,
  LANES,
  NamesTable,
  shapesOfLane,
  TENANTS,
} from './tables.js'
import {
  clamped,
  type Era,
  EXTREMES,
  fraction,
  randomEra,
  randomTime,
  SECOND,
  type TimeType,
  timeText,
} from './times.js'

export const STEPS_PER_ROUND = 60
/** They are not run, so that they cost little. */
const BROKEN_PER_ROUND = 40
/** More than any result has. */
const MAX_ROWS = 10_000
/** A program with a fault may keep no query at all. */
const MAX_TRIES = 1_000

/** What is not as it should be at a step. */
export interface Difference {
  readonly step: number
  readonly what: string
  readonly query: FuzzQuery
  readonly parameters: Query['parameters']
  readonly expected: string
  readonly found: string
  /** The table and its files, and what has happened in this round. */
  readonly scene: readonly string[]
}

/** What the steps of all rounds have come to. */
export class Tally {
  steps = 0
  /** Steps that took kept rows. */
  partial = 0
  keptBuckets = 0
  buckets = 0
  /** Steps whose query fails. */
  failed = 0
  /** Steps whose query gives another result when it is run again. */
  unsteady = 0
  /** Queries that break a rule. */
  broken = 0
  /** Queries that break no rule, by why they are not kept; '' for those that are. */
  readonly queries = new Map<string, { readonly sql: string; count: number }>()
  readonly differences: Difference[] = []

  countQuery(reason: string, sql: string): void {
    const counted = this.queries.get(reason)
    if (counted) counted.count += 1
    else this.queries.set(reason, { sql, count: 1 })
  }
}

export interface Scene {
  /** Engines over one data folder; each may have a process of its own. */
  readonly engines: readonly DuckdbEngine[]
  readonly writer: FileWriter
}

type Outcome = ResultSet | Error

interface RunningQuery extends FuzzQuery {
  readonly names: readonly string[]
  /** A place in a table of the warehouse's endpoints. */
  readonly endpoint: Parameters<typeof keptKey>[0]
}

/** The steps of a round that are run: all before `until`, until `isOver`. */
export interface RoundLimits {
  readonly until: number
  readonly isOver: () => boolean
}

/** Runs the round with this number. */
export async function runRound(
  seed: string,
  number: number,
  scene: Scene,
  tally: Tally,
  { until, isOver }: RoundLimits,
): Promise<void> {
  const round = new Round(seed, number, scene, tally)
  await round.begin()
  const first = number * STEPS_PER_ROUND
  for (let step = first; step < Math.min(until, first + STEPS_PER_ROUND) && !isOver(); step++) await round.step(step)
}

class Round {
  readonly #random: Random
  readonly #number: number
  readonly #engines: readonly Engine[]
  readonly #tally: Tally
  readonly #era: Era
  readonly #table: FuzzTable
  readonly #names: NamesTable
  readonly #store = new Map<string, StoredResult>()
  /** What was stored before, as a replica that is late may store it again. */
  readonly #replaced: (readonly [string, StoredResult])[] = []
  readonly #refreshers: readonly Refresher[]
  readonly #history: string[] = []
  #queries: readonly RunningQuery[] = []
  #now: bigint
  #arguments: Record<string, BoundValue> = {}
  /** Called before each request of a refresh: what happens while it runs. */
  #meanwhile: (() => Promise<void>) | null = null
  /** Whether the refresh that runs has read a part of the table. */
  #hasReadPart = false
  /** What the query itself has answered, if the refresh has run it: that needs no comparison. */
  #whole: Uint8Array | null = null

  constructor(seed: string, number: number, { engines, writer }: Scene, tally: Tally) {
    const random = randomOf(seed, number, 'refresh')
    this.#random = random
    this.#number = number
    this.#tally = tally
    const shapes = shapesOfLane(number % LANES)
    // Only a TIMESTAMP is read in zones.
    const shape = random.pick([...shapes, ...shapes.filter(({ type }) => type === 'TIMESTAMP')])
    this.#era = randomEra(random, shape.type)
    this.#table = new FuzzTable(shape, writer)
    this.#names = new NamesTable(number % LANES, writer)
    this.#now = clamped(this.#era.base + fraction(this.#era.scale.length, random.next() - 0.5))
    const engine = engines[number % engines.length]!
    this.#engines = random.chance(0.85) ? [engine] : engines
    this.#refreshers = this.#engines.map(
      engine =>
        new Refresher({
          engine: this.#disturbed(engine),
          clock: systemClock(),
          publish: () => undefined,
          observe: event => this.#history.push(`  ${event.kind}`),
          find: async key => this.#store.get(key),
          verifyEvery: 0,
        }),
    )
  }

  async begin(): Promise<void> {
    const random = this.#random
    await fillTable(random, this.#era, this.#table)
    this.#names.change(random)
    this.#changeArguments(true)
    for (let i = 0; i < BROKEN_PER_ROUND; i++) await this.#checkBroken()
    const queries: RunningQuery[] = []
    for (let i = 0; i < 3; i++) queries.push(await this.#newQuery(i))
    this.#queries = queries
  }

  async step(step: number): Promise<void> {
    const random = this.#random
    if (random.chance(0.8)) this.#moveClock()
    if (random.chance(0.2)) this.#changeArguments(false)
    const changes = random.weighted([
      [66, 0],
      [18, 1],
      [4, 2],
      // So many leave gaps in what is kept.
      [12, 6],
    ])
    for (let i = 0; i < changes; i++) await this.#change()
    if (random.chance(0.02)) this.#loseKept()
    if (random.chance(0.03)) this.#restoreKept()
    if (random.chance(0.02)) this.#purgePart()
    const query = random.pick(this.#queries)
    await this.#compare(step, query, random.pick(this.#refreshers))
  }

  get #subject(): Subject {
    return { shape: this.#table.shape, era: this.#era, names: this.#names.name }
  }

  /** A query that is kept, and that the engine answers. @throws Error where none of many is. */
  async #newQuery(place: number): Promise<RunningQuery> {
    const engine = this.#engines[0]!
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const make = this.#random.pick([randomQuery, randomQuery, upperQuery])
      const query = this.#running(make(this.#random, this.#subject), place)
      const kept = engine.keptQuery!(this.#queryOf(query), undefined)
      this.#tally.countQuery('reason' in kept ? kept.reason : '', query.sql)
      if ('reason' in kept) continue
      const outcome = await this.#run(engine, query, this.#options())
      if (outcome instanceof Error && !isOfValues(outcome)) continue
      return query
    }
    throw new Error(`of ${MAX_TRIES} queries, none is kept and answered`)
  }

  /** Tells of a query that is kept though it breaks a rule. */
  async #checkBroken(): Promise<void> {
    const engine = this.#engines[0]!
    const query = this.#running(brokenQuery(this.#random, this.#subject), -1)
    if (query.breaks === null) return
    this.#tally.broken += 1
    const kept = engine.keptQuery!(this.#queryOf(query), undefined)
    if ('reason' in kept || (query.isAbove && kept.upper !== null)) return
    const outcome = await this.#run(engine, query, this.#options())
    if (outcome instanceof Error && !isOfValues(outcome)) return
    this.#tell(this.#number * STEPS_PER_ROUND, 'kept, though it breaks a rule', query, query.breaks, 'kept')
  }

  #running(made: FuzzQuery, place: number): RunningQuery {
    const endpoint = { id: `${this.#number}.${place}`, revision: 'r', tenant: null }
    return { ...made, names: namesIn(made.sql), endpoint }
  }

  #queryOf({ sql, names }: Pick<RunningQuery, 'sql' | 'names'>): Query {
    const now = { type: 'TIMESTAMP', value: timeText('TIMESTAMP', this.#now) }
    const all: Record<string, BoundValue> = { now, ...this.#arguments }
    return { sql, parameters: Object.fromEntries(names.map(name => [name, all[name]!])) }
  }

  #options(): RunOptions {
    const random = this.#random
    return {
      maxRows: random.chance(0.1) ? random.between(1, 12) : MAX_ROWS,
      timestamps: random.chance(0.3) ? 'unix_micros' : 'iso8601',
      endpoint: 'fuzz',
      timeoutMs: 300_000,
      signal: new AbortController().signal,
    }
  }

  #moveClock(): void {
    const random = this.#random
    const { length } = this.#era.scale
    const step = random.weighted([
      [3, SECOND * BigInt(random.between(1, 90))],
      [4, fraction(length, random.next() / 40)],
      [2, fraction(length, random.next() / 8)],
      [2, -fraction(length, random.next() / 4)],
      [0.3, 1n],
      [0.1, fraction(length, 1)],
    ])
    this.#now = clamped(this.#now + step)
  }

  #changeArguments(all: boolean): void {
    const random = this.#random
    const time = (type: TimeType): BoundValue => {
      const value = random.chance(0.03) ? random.pick(EXTREMES) : clamped(argumentTime(random, this.#era, this.#now))
      return { type, value: random.chance(0.03) ? null : timeText(type, value) }
    }
    const makers: Record<string, () => BoundValue> = {
      at_timestamp: () => time('TIMESTAMP'),
      at_datetime: () => time('DATETIME'),
      at_date: () => time('DATE'),
      tenant: () => ({ type: 'STRING', value: random.pick(TENANTS) }),
      least: () => ({ type: 'INT64', value: random.between(-2, 5) }),
      texts: () => ({ type: 'ARRAY<STRING>', value: random.some(['a', 'b', '', '[1,2]'], 0, 4) }),
      zone: () => ({ type: 'STRING', value: random.pick(this.#era.zones) }),
    }
    for (const [name, make] of Object.entries(makers)) {
      if (all || random.chance(0.3)) this.#arguments = { ...this.#arguments, [name]: make() }
    }
  }

  /** @param share how often the names change, and not the table */
  async #change(share = 0.08): Promise<void> {
    if (this.#random.chance(share)) {
      this.#names.change(this.#random)
      this.#history.push('the names change')
      return
    }
    this.#history.push(await changeTable(this.#random, this.#era, this.#table, this.#now))
  }

  #loseKept(): void {
    const keys = [...this.#store.keys()]
    if (keys.length > 0) this.#store.delete(this.#random.pick(keys))
  }

  /** A purge of a partition, of a day about some time. */
  #purgePart(): void {
    const least = Math.floor(Number(randomTime(this.#random, this.#era) / SECOND / 86_400n)) * 86_400
    const part = encodeParts([{ key: 'purged', times: { least, greatest: least + 86_399 } }])
    for (const [key, result] of this.#store) this.#store.set(key, withPart(result, part))
    this.#history.push('a partition is purged')
  }

  #restoreKept(): void {
    if (this.#replaced.length === 0) return
    const [key, result] = this.#random.pick(this.#replaced)
    this.#store.set(key, result)
    this.#history.push('an older state is kept again')
  }

  async #compare(step: number, running: RunningQuery, refresher: Refresher): Promise<void> {
    const random = this.#random
    const options = this.#options()
    const engine = random.pick(this.#engines)
    const accepted: Outcome[] = []
    const accept = async (): Promise<void> => void accepted.push(await this.#run(engine, running, options))
    const readsNames = running.sql.includes(this.#names.name)
    if (random.chance(readsNames ? 0.4 : 0.1)) {
      let changes = random.between(1, 3)
      let requests = random.between(0, 2)
      // Only where something must be read do names of two states meet.
      if (readsNames) await this.#change(0)
      await accept()
      this.#meanwhile = async () => {
        if (requests-- > 0 || changes-- <= 0) return
        await this.#change(readsNames ? 0.6 : undefined)
        await accept()
      }
    }
    this.#hasReadPart = false
    this.#whole = null
    const found = await this.#refresh(refresher, running, options)
    const isDisturbed = this.#meanwhile !== null || options.maxRows < MAX_ROWS
    this.#meanwhile = null
    const tally = this.#tally
    tally.steps += 1
    this.#history.push(`step ${step}, now ${timeText('TIMESTAMP', this.#now)}${partialText(found)}`)
    if (found instanceof Error) tally.failed += 1
    else if (found.partial) {
      tally.partial += 1
      tally.keptBuckets += found.partial.kept
      tally.buckets += found.partial.of
    } else if (this.#hasReadPart && !isDisturbed) {
      this.#tell(step, 'a part is read, and then the whole', running, 'only the part', 'both')
    }
    if (!(found instanceof Error) && found.body === this.#whole) return
    if (accepted.length === 0) await accept()
    if (accepted.some(outcome => isSame(outcome, found, running))) return
    // Conditions are not computed for rows that are not read.
    if (accepted.some(isBeyondDates) && !(found instanceof Error) && found.partial) return
    // Where its result is not determined, it differs from itself.
    const again = await this.#run(engine, running, options)
    if (!isSame(again, accepted.at(-1)!, running)) {
      tally.unsteady += 1
      return
    }
    this.#tell(step, 'the answer differs', running, textOf(again), textOf(found))
  }

  async #run(engine: Engine, query: Pick<RunningQuery, 'sql' | 'names'>, options: RunOptions): Promise<Outcome> {
    return engine.run(this.#queryOf(query), options).catch(errorOf)
  }

  async #refresh(refresher: Refresher, running: RunningQuery, options: RunOptions): Promise<Outcome> {
    const query = this.#queryOf(running)
    const { endpoint } = running
    // As of endpoints whose times are written in this way.
    const one = { ...endpoint, revision: `${endpoint.revision}${options.timestamps}` }
    try {
      const set = await refresher.run(query, options, {
        keyWithout: (names, others) => keptKey(one, {}, query, names, others),
        settledMs: 0,
        readsAll: this.#random.chance(0.01),
      })
      if (set.kept) this.#keep(set.kept)
      return set
    } catch (error) {
      return errorOf(error)
    }
  }

  /** As the cache stores it; plain JSON, since it may be in Redis. */
  #keep({ key, body, rowCount, columns, ...facts }: KeptRows): void {
    const before = this.#store.get(key)
    if (before) this.#replaced.push([key, before])
    const kept = JSON.parse(JSON.stringify(facts)) as typeof facts
    const times = { now: '0', etag: '', storedAt: 0, freshUntil: 0 }
    this.#store.set(key, { ...times, columns, body, rowCount, isTruncated: false, kept })
  }

  /** The engine, before whose requests something may happen. */
  #disturbed(engine: Engine): Engine {
    const before = async (): Promise<void> => this.#meanwhile?.()
    const disturbed: Partial<Engine> = {
      ...(engine.tier && { tier: engine.tier }),
      keptQuery: engine.keptQuery!.bind(engine),
      tableParts: async (...request) => {
        await before()
        return engine.tableParts!(...request)
      },
      run: async (query, options) => {
        await before()
        this.#hasReadPart ||= '_from' in query.parameters
        const set = await engine.run(query, options)
        if (!options.isPart) this.#whole = set.body
        return set
      },
    }
    return disturbed as Engine
  }

  #tell(step: number, what: string, query: RunningQuery, expected: string, found: string): void {
    const { shape, files } = this.#table
    const scene = [
      `table ${shape.name}: ${shape.column} ${shape.type}${shape.isRequired ? ' REQUIRED' : ''}`,
      ...this.#history.slice(-40),
      ...[...files].map(([name, { rows }]) => `file ${name}\n${rows.map(row => `  ${rowText(row)}`).join('\n')}`),
    ]
    const { parameters } = this.#queryOf(query)
    this.#tally.differences.push({ step, what, query, parameters, expected, found, scene })
  }
}

const rowText = (row: object): string =>
  JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? timeText('TIMESTAMP', value) : (value as unknown)))

/** The names of the parameters in a text. */
const namesIn = (sql: string): readonly string[] =>
  [...new Set([...sql.matchAll(/@(\w+)/g)].map(([, name]) => name!.toLowerCase()))].sort()

const errorOf = (thrown: unknown): Error => thrown as Error

/** Whether the query may be answered with other values: a time out of range, a zone that is not one. */
const isOfValues = (error: Error): boolean => /range|overflow|zone|ARGUMENT_INVALID/i.test(textOf(error))

/** Whether the query has failed at a time that is truncated to one before the year 1, or converted to one beyond 9999. */
const isBeyondDates = (outcome: Outcome): boolean =>
  outcome instanceof Error && /value is out of allowed range/.test(textOf(outcome))

function textOf(outcome: Outcome): string {
  if (outcome instanceof Error) {
    const { code = '', cause, message } = outcome as Error & { code?: string }
    return `${code} ${message} ${cause instanceof Error ? cause.message : ''}`
  }
  const { body, rowCount, isTruncated } = outcome
  return `${rowCount} rows${isTruncated ? ', more left out' : ''}\n${Buffer.from(body).toString().replaceAll('},{"', '},\n{"')}`
}

const partialText = (outcome: Outcome): string => {
  if (outcome instanceof Error) return ': fails'
  return outcome.partial ? `: kept ${outcome.partial.kept} of ${outcome.partial.of}` : ': whole'
}

function isSame(a: Outcome, b: Outcome, { isOrdered }: FuzzQuery): boolean {
  if (a instanceof Error || b instanceof Error) return a instanceof Error && b instanceof Error
  if (a.rowCount !== b.rowCount || a.isTruncated !== b.isTruncated) return false
  if (Buffer.compare(a.body, b.body) === 0) return true
  if (isOrdered) return false
  // Without an order, no rows are the first ones.
  return a.isTruncated || rowsOf(a) === rowsOf(b)
}

function rowsOf({ body }: ResultSet): string {
  const { result } = JSON.parse(Buffer.from(body).toString()) as { result: readonly unknown[] }
  return result
    .map(row => JSON.stringify(row))
    .sort()
    .join('\n')
}
