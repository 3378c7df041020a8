/**
 * A day of refreshes as BigQuery bills them. The embedded engine gives the rows; the partitions are counted that a query's bounds of the
 * time meet, each with equally many bytes. Which there are, and when they change, is told as INFORMATION_SCHEMA.PARTITIONS tells it.
 */
import { join } from 'node:path'
import { tableCatalogue } from '../googlesql/index.js'
import { fieldsToColumns } from '../googlesql/tables.js'
import { partsOf } from '../runner/engines/bigquery/partitions.js'
import type { DuckdbEngine } from '../runner/engines/duckdb/duckdb-engine.js'
import { KeptQueries } from '../runner/engines/kept-queries.js'
import type { StoredResult } from '../runner/model/ports.js'
import type { Query, ResultSet, TablePart } from '../runner/model/query.js'
import { systemClock } from '../runner/platform/clock.js'
import { Refresher } from '../runner/refresh/refresher.js'
import type { Figure } from './figures.js'
import { mustBeSame, OPTIONS, openBench, queryAt, type Shape, storedOf } from './refresh.js'
import { type BenchData, DAY_MS, DAYS, refreshData, STEP_MS, STEPS, TABLES, TODAY } from './refresh-data.js'

const ROWS = 100_000
const SETTLED_MS = 600_000
/** How often an answer is held against the whole query's. */
const COMPARE_EVERY = 24

const PARTITIONS: Readonly<
  Record<string, { readonly ms: number; readonly idLength: number; readonly bars: readonly number[] }>
> = {
  hourly: { ms: 3_600_000, idLength: 'yyyymmddhh'.length, bars: [140, 7, 4, 30] },
  daily: { ms: DAY_MS, idLength: 'yyyymmdd'.length, bars: [7, 7, 4, 30] },
}

class Billed {
  /** How many partitions were billed since this was last zero. */
  partitions = 0
  now = TODAY
  readonly #layout: (typeof PARTITIONS)[string]
  readonly #kept = new Map<string, StoredResult>()
  readonly #refresher: Refresher

  constructor(own: DuckdbEngine, layout: (typeof PARTITIONS)[string]) {
    this.#layout = layout
    const definitions = Object.entries(TABLES).map(([name, { fields }]) => ({
      name,
      columns: fieldsToColumns(fields)!,
    }))
    const tables = tableCatalogue(definitions)
    const queries = new KeptQueries(false)
    const engine = Object.assign(Object.create(own) as DuckdbEngine, {
      name: 'billed',
      tier: 'declared',
      keptQuery: (query: Query) => queries.keptQueryOf(query, tables, 0),
      tableParts: async () => this.#parts(),
      run: (query: Query, { parts: _parts, ...options }: typeof OPTIONS) => {
        const { _from: from, _until: until } = query.parameters
        if (from) this.partitions += this.between(Date.parse(String(from.value)), Date.parse(String(until!.value)))
        return own.run(query, options)
      },
    })
    const clock = { ...systemClock(), nowMs: () => this.now }
    const find = async (key: string) => this.#kept.get(key)
    const [publish, observe] = [() => undefined, () => undefined]
    this.#refresher = new Refresher({ engine, clock, publish, observe, find, verifyEvery: 0 })
  }

  /** How many partitions have rows from one time to another, in milliseconds since 1970. */
  between(from: number, until: number): number {
    const [first, last] = [Math.max(from, TODAY - (DAYS - 1) * DAY_MS), Math.min(until, this.now - 1)]
    const { ms } = this.#layout
    return last < first ? 0 : Math.floor(last / ms) - Math.floor(first / ms) + 1
  }

  async refresh(query: Query): Promise<ResultSet> {
    const keyWithout = (names: readonly string[]): string => `${query.sql} without ${names.join()}`
    const set = await this.#refresher.run(query, OPTIONS, { keyWithout, settledMs: SETTLED_MS, readsAll: false })
    if (set.kept) this.#kept.set(set.kept.key, storedOf(set, set.kept))
    return set
  }

  /** A partition that is over was changed by its last rows; the present one has just been. */
  #parts(): readonly TablePart[] {
    const { ms, idLength } = this.#layout
    const starts = Array.from(
      { length: Math.ceil(this.now / ms) - (TODAY - (DAYS - 1) * DAY_MS) / ms },
      (_, i) => TODAY - (DAYS - 1) * DAY_MS + i * ms,
    )
    const result = starts.map(start => ({
      partition_id: new Date(start).toISOString().replace(/\D/g, '').slice(0, idLength),
      last_modified_time: new Date(Math.min(start + ms, this.now)).toISOString(),
      total_rows: 1,
    }))
    return partsOf({ body: Buffer.from(JSON.stringify({ result })) } as unknown as ResultSet)
  }
}

async function day(billed: Billed, own: DuckdbEngine, shape: Shape, arrive: BenchData['arrive']): Promise<number> {
  let [ours, whole] = [0, 0]
  for (let step = 0; step < STEPS; step++) {
    arrive(step)
    billed.now = TODAY + (step + 1) * STEP_MS
    const query = queryAt(shape, billed.now)
    billed.partitions = 0
    const set = await billed.refresh(query)
    if (step % COMPARE_EVERY === 0) mustBeSame(set, await own.run(query, OPTIONS), shape.what)
    if (!set.partial) continue
    ours += billed.partitions
    whole += billed.between(billed.now - shape.days((billed.now - TODAY) / DAY_MS) * DAY_MS, billed.now)
  }
  return whole / ours
}

export async function billing(folder: string, list: readonly Shape[]): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const [name, layout] of Object.entries(PARTITIONS)) {
    for (const [i, shape] of list.entries()) {
      const { dataDir, arrive } = await refreshData(join(folder, `${name}-${i}`), ROWS, STEPS)
      const { engine } = await openBench(dataDir, TABLES)
      try {
        const times = await day(new Billed(engine, layout), engine, shape, arrive)
        const what = `${shape.what}, BigQuery, ${name} partitions: bytes billed by a day of refreshes against whole queries`
        figures.push({ what, value: `**${times.toFixed(1)} ×** fewer`, bar: `≥ ${layout.bars[i]} ×` })
      } finally {
        await engine.close()
      }
    }
  }
  return figures
}
