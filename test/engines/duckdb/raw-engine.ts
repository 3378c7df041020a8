/** Engines for tests; one of them has queries that are DuckDB SQL, to test everything but the translation. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fieldsToColumns, type SchemaField } from '../../../googlesql/tables.js'
import type { StructField } from '../../../googlesql/types/types.js'
import type { DuckdbEngine } from '../../../runner/engines/duckdb/duckdb-engine.js'
import { type DuckdbEngineOptions, openDuckdbEngine } from '../../../runner/engines/duckdb/open-engine.js'
import type { TableSource } from '../../../runner/engines/duckdb/process/messages.js'
import type { Event } from '../../../runner/model/events.js'
import type { Clock, RunOptions } from '../../../runner/model/ports.js'
import type { BoundValue, ResultSet } from '../../../runner/model/query.js'
import { rowsOf, runOptions } from '../ask-engine.js'

export const CLOCK: Clock = {
  nowMs: () => performance.now(),
  nowMicros: () => BigInt(Math.round(performance.now() * 1_000)),
  ticksMs: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

export function source(name: string, schema: readonly SchemaField[], more: Partial<TableSource> = {}): TableSource {
  return { definition: { name, columns: fieldsToColumns(schema)! }, ...more }
}

/** A temporary folder for one suite; the caller removes it with `remove`. */
export function scratchFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export interface RawQuery {
  readonly sql: string
  readonly columns: readonly StructField[]
  readonly tables?: readonly string[]
  readonly parameters?: Readonly<Record<string, BoundValue>>
}

export interface RawEngine {
  readonly engine: DuckdbEngine
  readonly events: Event[]
  readonly run: (query: RawQuery, options?: Partial<RunOptions>) => Promise<ResultSet>
  /** The rows as arrays of plain JSON values. */
  readonly rows: (query: RawQuery) => Promise<readonly (readonly unknown[])[]>
}

const DEFAULTS: DuckdbEngineOptions = {
  dataDir: null,
  database: null,
  tables: [],
  memoryLimitMb: 512,
  threads: 2,
  tempDir: tmpdir(),
  observe: () => undefined,
  clock: CLOCK,
}

/** An engine without tables, unless the options name some. */
export const openEngine = (options: Partial<DuckdbEngineOptions> = {}): Promise<DuckdbEngine> =>
  openDuckdbEngine({ ...DEFAULTS, ...options })

export async function openRawEngine(options: Partial<DuckdbEngineOptions> = {}): Promise<RawEngine> {
  const events: Event[] = []
  const engine = await openDuckdbEngine(
    { ...DEFAULTS, observe: event => events.push(event), ...options },
    (text, _tables, types) => {
      const query = JSON.parse(text) as RawQuery
      return {
        sql: query.sql,
        columns: query.columns.map(column => ({ ...column, isNeverNull: false, isSmallInteger: false })),
        tables: query.tables ?? [],
        parameters: Object.keys(types),
        times: [],
        runsJavaScript: false,
        shardReads: [],
      }
    },
  )
  const run: RawEngine['run'] = (query, more = {}) =>
    engine.run(
      { sql: JSON.stringify({ ...query, parameters: undefined }), parameters: query.parameters ?? {} },
      runOptions({ maxRows: 100_000, ...more }),
    )
  return {
    engine,
    events,
    run,
    rows: async query => rowsOf(await run(query)),
  }
}
