/**
 * A day of refreshes, one every five minutes while rows arrive: what is put together from kept buckets, against the whole query on the
 * same engine, in turns. Both must give the same bytes, or there is no figure.
 */
import { appendFileSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keptQuery, parseTypeName, resolveQuery, tableCatalogue } from '../googlesql/index.js'
import { fieldsToColumns } from '../googlesql/tables.js'
import type { DuckdbEngine } from '../runner/engines/duckdb/duckdb-engine.js'
import { openDuckdbEngine } from '../runner/engines/duckdb/open-engine.js'
import type { RunOptions, StoredResult } from '../runner/model/ports.js'
import type { KeptRows, Query, ResultSet } from '../runner/model/query.js'
import { systemClock } from '../runner/platform/clock.js'
import { Refresher } from '../runner/refresh/refresher.js'
import { createRunner } from '../runner/serve/runner.js'
import { type Figure, percentile, timed } from './figures.js'
import { processorMs } from './in-turns.js'
import { besideWhole } from './refresh-beside.js'
import { type BenchData, DAY_MS, DAYS, PROJECT, refreshData, STEP_MS, STEPS, TABLES, TODAY } from './refresh-data.js'
import { billing } from './refresh-partitions.js'

const SIZES = (process.env['BENCH_REFRESH_ROWS'] ?? '1000000,10000000').split(',').map(Number)
/** The whole query runs with every so many refreshes: no multiple of the steps between two files, so that both meet new files as often. */
const WHOLE_EVERY = 13

const HOURLY = `
  SELECT TIMESTAMP_TRUNC(timestamp, HOUR) AS hour, COUNT(*) AS requests,
    APPROX_QUANTILES(ms, 100)[OFFSET(50)] AS p50, APPROX_QUANTILES(ms, 100)[OFFSET(99)] AS p99
  FROM bench.requests
  WHERE timestamp >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 7 DAY), HOUR)
  GROUP BY hour
  ORDER BY hour`
const DAILY = `
  SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, COUNT(*) AS requests, COUNT(DISTINCT project) AS projects, AVG(ms) AS ms
  FROM bench.requests
  WHERE timestamp >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 30 DAY), DAY)
  GROUP BY day
  ORDER BY day`
const NOT_ELIGIBLE = 'SELECT project, COUNT(*) AS requests FROM bench.requests GROUP BY project ORDER BY project'

export const OPTIONS: RunOptions = {
  maxRows: 1_000,
  timestamps: 'iso8601',
  endpoint: 'bench.refresh',
  timeoutMs: 600_000,
  signal: new AbortController().signal,
}

export interface Shape {
  readonly what: string
  readonly sql: string
  readonly parameters: Query['parameters']
  /** How many days of rows the whole query reads, with the time of the day in days. */
  readonly days: (time: number) => number
  readonly bar: string
}

export async function shapes(folder: string): Promise<readonly Shape[]> {
  const runner = await createRunner({ dataDir: folder, engineThreads: 1 })
  try {
    const shipped = async (name: string, interval: string): Promise<Pick<Shape, 'sql' | 'parameters'>> =>
      runner.explain(name, { project: PROJECT, interval })
    return [
      {
        what: '7 days by the hour, percentiles',
        sql: HOURLY,
        parameters: {},
        days: () => 7,
        bar: '≥ 20 × time, ≥ 200 × rows',
      },
      {
        what: 'functions.invocation-stats, 7day',
        ...(await shipped('functions.invocation-stats', '7day')),
        days: time => 7 + time,
        bar: '≥ 5 × time',
      },
      {
        what: 'usage.api-counts, daily',
        ...(await shipped('usage.api-counts', 'daily')),
        days: () => 7,
        bar: '≥ 3 × time',
      },
      { what: '30 days by the day', sql: DAILY, parameters: {}, days: time => 30 + time, bar: '≥ 20 × time' },
    ]
  } finally {
    await runner.close()
  }
}

/** What a store gives back of rows that are kept. */
export function storedOf(set: ResultSet, { key: _key, body, rowCount, ...kept }: KeptRows): StoredResult {
  const times = { storedAt: 0, freshUntil: 0, now: '0', etag: '' }
  return { ...times, columns: set.columns, isTruncated: false, body, rowCount, kept }
}

/** An engine whose refreshes are counted. */
class Bench {
  readonly engine: DuckdbEngine
  readonly kept = new Map<string, StoredResult>()
  /** Where the queries since the last refresh begin and end, in milliseconds since 1970. */
  reads: (readonly [from: number, until: number])[] = []
  readonly #refresher: Refresher

  constructor(engine: DuckdbEngine) {
    this.engine = engine
    const run = (...[query, options]: Parameters<DuckdbEngine['run']>): Promise<ResultSet> => {
      const { _from: from, _until: until } = query.parameters
      this.reads.push(from ? [Date.parse(String(from.value)), Date.parse(String(until!.value))] : [0, Infinity])
      return engine.run(query, options)
    }
    const counting = Object.assign(Object.create(engine) as DuckdbEngine, {
      name: engine.name,
      tier: engine.tier,
      run,
      keptQuery: engine.keptQuery.bind(engine),
      tableParts: engine.tableParts.bind(engine),
    })
    const find = async (key: string) => this.kept.get(key)
    this.#refresher = new Refresher({
      engine: counting,
      clock: systemClock(),
      publish: () => undefined,
      observe: () => undefined,
      find,
      verifyEvery: 0,
    })
  }

  async refresh(query: Query): Promise<ResultSet> {
    this.reads = []
    const keyWithout = (names: readonly string[]): string => `${query.sql} without ${names.join()}`
    const set = await this.#refresher.run(query, OPTIONS, { keyWithout, settledMs: 0, readsAll: false })
    if (set.kept) this.kept.set(set.kept.key, storedOf(set, set.kept))
    return set
  }

  /** The processor time of both processes, and the time of the clock, in milliseconds. */
  async cost<T>(work: () => Promise<T>): Promise<{ readonly cpu: number; readonly wall: number; readonly result: T }> {
    const used = (): number => processorMs(process.pid) + processorMs(this.engine.pid()!)
    const [cpu, wall] = [used(), performance.now()]
    const result = await work()
    return { cpu: used() - cpu, wall: performance.now() - wall, result }
  }
}

export async function openBench(dataDir: string, tables: typeof TABLES): Promise<Bench> {
  const engine = await openDuckdbEngine({
    dataDir,
    database: null,
    tables: Object.entries(tables).map(([name, { fields }]) => ({
      definition: { name, columns: fieldsToColumns(fields)! },
    })),
    memoryLimitMb: 1024,
    threads: 2,
    tempDir: tmpdir(),
    observe: () => undefined,
    clock: systemClock(),
  })
  return new Bench(engine)
}

export const queryAt = ({ sql, parameters }: Pick<Shape, 'sql' | 'parameters'>, now: number): Query => {
  const clock = sql.includes('@now') ? { now: { type: 'TIMESTAMP', value: new Date(now).toISOString() } } : {}
  return { sql, parameters: { ...parameters, ...clock } }
}

export function mustBeSame(one: ResultSet, other: ResultSet, what: string): void {
  if (Buffer.compare(one.body, other.body) !== 0) throw new TypeError(`${what}: a refresh differs from the whole query`)
}

interface Sums {
  /** Processor and clock time of refreshes and of whole queries, in milliseconds each. */
  readonly refresh: { cpu: number[]; wall: number[] }
  readonly whole: { cpu: number[]; wall: number[] }
  /** Rows, in days. */
  days: number
  wholeDays: number
  resultBytes: number
  keptBytes: number
}

async function day(bench: Bench, list: readonly Shape[], arrive: BenchData['arrive']): Promise<readonly Sums[]> {
  const times = () => ({ cpu: [], wall: [] })
  const sums: Sums[] = list.map(() => ({
    refresh: times(),
    whole: times(),
    days: 0,
    wholeDays: 0,
    resultBytes: 0,
    keptBytes: 0,
  }))
  for (let step = 0; step < STEPS; step++) {
    const end = arrive(step)
    const now = TODAY + (step + 1) * STEP_MS
    for (const [i, shape] of list.entries()) {
      const sum = sums[i]!
      const query = queryAt(shape, now)
      // What comes first after rows have come also brings the table up to date.
      const isSampled = step % WHOLE_EVERY === WHOLE_EVERY - 1
      const whole = isSampled ? await bench.cost(() => bench.engine.run(query, OPTIONS)) : null
      const { cpu, wall, result } = await bench.cost(() => bench.refresh(query))
      // Two calls must have been before there is a refresh that keeps.
      if (step < 2) continue
      if (!result.partial) throw new TypeError(`${shape.what}: nothing was kept at step ${step}`)
      const stored = [...bench.kept].find(([key]) => key.startsWith(shape.sql))![1]
      sum.keptBytes = stored.body.byteLength + JSON.stringify(stored.kept).length
      sum.resultBytes = result.body.byteLength
      sum.days += bench.reads.reduce((all, [from, until]) => all + daysIn(from, until, end, shape), 0)
      sum.wholeDays += shape.days((now - TODAY) / DAY_MS)
      if (whole !== null) mustBeSame(result, whole.result, shape.what)
      const side = whole === null ? sum.refresh : sum.whole
      side.cpu.push((whole ?? { cpu }).cpu)
      side.wall.push((whole ?? { wall }).wall)
    }
  }
  return sums
}

/** The rows between these times and within the query's own bounds, in days of rows. */
function daysIn(from: number, until: number, now: number, shape: Shape): number {
  const start = now - shape.days((now - TODAY) / DAY_MS) * DAY_MS
  return Math.max(0, Math.min(until, now) - Math.max(from, start)) / DAY_MS
}

const mean = (samples: readonly number[]): number => samples.reduce((sum, one) => sum + one, 0) / samples.length
const ratio = (a: readonly number[], b: readonly number[]): string => `**${(mean(a) / mean(b)).toFixed(1)} ×**`

function figuresOf(size: string, list: readonly Shape[], sums: readonly Sums[]): readonly Figure[] {
  return list.flatMap(({ what, bar }, i) => {
    const { refresh, whole, days, wholeDays, keptBytes, resultBytes } = sums[i]!
    const ms = (samples: readonly number[]): string => mean(samples).toFixed(1)
    return [
      {
        what: `${what}, ${size}: a day of refreshes against whole queries`,
        value: `${ratio(whole.cpu, refresh.cpu)} less processor time (${ms(refresh.cpu)} ms against ${ms(whole.cpu)}), ${ratio(whole.wall, refresh.wall)} by the clock (${ms(refresh.wall)} ms against ${ms(whole.wall)}), **${(wholeDays / days).toFixed(0)} ×** fewer rows`,
        bar,
      },
      {
        what: `${what}, ${size}: bytes kept against the result's, at the end of the day`,
        value: `${(keptBytes / resultBytes).toFixed(2)} × (${keptBytes} against ${resultBytes})`,
        bar: '≤ 2 ×',
      },
    ]
  })
}

/** Both ways in turns, each the first one as often: the ratio of their processor times. */
async function inTurns(bench: Bench, rounds: number, query: () => Query): Promise<string> {
  const [first, whole]: [number[], number[]] = [[], []]
  for (let round = -1; round < rounds; round++) {
    const sides = [
      async () => first.push((await bench.cost(() => bench.refresh(query()))).cpu),
      async () => whole.push((await bench.cost(() => bench.engine.run(query(), OPTIONS))).cpu),
    ]
    for (const side of round % 2 === 0 ? sides : sides.reverse()) await side()
    bench.kept.clear()
  }
  const [ours, theirs] = [first, whole].map(samples => percentile(samples.slice(1), 50)) as [number, number]
  return `**${(ours / theirs).toFixed(3)} ×** (${ours.toFixed(1)} ms against ${theirs.toFixed(1)} of processor time, median of ${rounds})`
}

/** The median of milliseconds. */
async function deciding({ sql, parameters }: Query): Promise<number> {
  const definitions = Object.entries(TABLES).map(([name, { fields }]) => ({ name, columns: fieldsToColumns(fields)! }))
  const types = Object.entries(parameters).map(([name, { type }]) => [name, parseTypeName(type)!] as const)
  const query = resolveQuery(sql, tableCatalogue(definitions), Object.fromEntries(types))
  const asked = { clock: 'now', isRequired: () => false, resolve: null }
  return percentile(await timed(200, 50, () => keptQuery(sql, query, asked)), 50)
}

async function once(bench: Bench, rows: number, list: readonly Shape[]): Promise<readonly Figure[]> {
  const [hourly] = list as [Shape]
  const size = `${rows / 1e6} M rows`
  const end = TODAY + DAY_MS
  const slowest = Math.max(...(await Promise.all(list.map(shape => deciding(queryAt(shape, end))))))
  return [
    {
      what: `7 days by the hour, ${size}: a first call, which keeps, against the whole query`,
      value: await inTurns(bench, 120, () => queryAt(hourly, end)),
      bar: '≤ 1.05 ×',
    },
    {
      what: `a query without buckets, ${size}: against the engine alone`,
      value: await inTurns(bench, 60, () => queryAt({ sql: NOT_ELIGIBLE, parameters: {} }, end)),
      bar: '≤ 1.02 ×',
    },
    {
      what: 'deciding for a variant whose text is resolved: the slowest of these shapes',
      value: `${slowest.toFixed(2)} ms`,
      bar: '≤ 1 ms',
    },
  ]
}

/** One NDJSON file, to whose end each step's rows are written. */
async function growing(folder: string, rows: number): Promise<readonly Figure[]> {
  mkdirSync(join(folder, 'bench'), { recursive: true })
  const file = join(folder, 'bench', 'requests.ndjson')
  const perStep = Math.floor(rows / DAYS / STEPS)
  let i = 0
  const lines = (from: number, count: number, ms: number): string =>
    Array.from({ length: count }, (_, k) => {
      const timestamp = new Date(from + Math.floor((k * ms) / count)).toISOString()
      return `${JSON.stringify({ timestamp, project: `project-${i++ % 20}`, ms: (i * 7919) % 1000 })}\n`
    }).join('')
  for (let day = DAYS - 1; day > 0; day--) appendFileSync(file, lines(TODAY - day * DAY_MS, perStep * STEPS, DAY_MS))
  const bench = await openBench(folder, { 'bench.requests': TABLES['bench.requests']! })
  try {
    const shape = {
      what: '7 days by the hour, one growing NDJSON file',
      sql: HOURLY,
      parameters: {},
      days: () => 7,
      bar: '',
    }
    const sums = await day(bench, [shape], step => {
      appendFileSync(file, lines(TODAY + step * STEP_MS, perStep, STEP_MS))
      return TODAY + (step + 1) * STEP_MS
    })
    return figuresOf(`${rows / 1e6} M rows`, [shape], sums).slice(0, 1)
  } finally {
    await bench.engine.close()
  }
}

export async function refreshing(folder: string): Promise<readonly Figure[]> {
  const list = await shapes(folder)
  const figures: Figure[] = []
  for (const rows of SIZES) {
    for (const filesPerDay of [24, STEPS]) {
      const { dataDir, arrive } = await refreshData(join(folder, `${rows}-${filesPerDay}`), rows, filesPerDay)
      const bench = await openBench(dataDir, TABLES)
      const size = `${rows / 1e6} M rows, a new file every ${1440 / filesPerDay} minutes`
      try {
        figures.push(...figuresOf(size, list, await day(bench, list, arrive)))
        if (filesPerDay === 24) figures.push(...(await once(bench, rows, list)))
      } finally {
        await bench.engine.close()
      }
    }
  }
  figures.push(...(await growing(join(folder, 'ndjson'), SIZES[0]! / 10)))
  figures.push(...(await billing(join(folder, 'billed'), list)))
  return [...figures, ...(await besideWhole(join(folder, 'beside')))]
}
