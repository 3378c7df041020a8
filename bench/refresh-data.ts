/** Thirty days of logs in Parquet files, and a day more whose rows come in files of some minutes: evenly, so that rows can be counted. */
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { SchemaField } from '../googlesql/tables.js'
import { quoteText } from '../googlesql-duckdb/emit/quote.js'

export const DAYS = 31
export const STEPS = 288
export const DAY_MS = 86_400_000
export const STEP_MS = DAY_MS / STEPS
/** The day whose rows come one by one. */
export const TODAY = Date.UTC(2026, 2, 15)
const FIRST = TODAY - (DAYS - 1) * DAY_MS
export const PROJECT = 'project-07'

const field = (name: string, type: string): SchemaField => ({ name, type })
const repeated = (name: string, ...fields: readonly SchemaField[]): SchemaField => ({
  name,
  type: 'RECORD',
  mode: 'REPEATED',
  fields,
})

interface BenchTable {
  readonly fields: readonly SchemaField[]
  /** DuckDB's SQL of its columns, over a `time`, a `project` and a number `i`. */
  readonly select: string
}

const PATH = "['/rest', '/storage', '/auth', '/realtime'][1 + i % 4] || '/v1/items'"

export const TABLES: Readonly<Record<string, BenchTable>> = {
  'bench.requests': {
    fields: [field('timestamp', 'TIMESTAMP'), field('project', 'STRING'), field('ms', 'FLOAT')],
    select: 'time AS timestamp, project, (i * 7919 % 100003) / 8 AS ms',
  },
  'logs.function_edge': {
    fields: [
      field('timestamp', 'TIMESTAMP'),
      repeated(
        'metadata',
        field('project_ref', 'STRING'),
        field('function_id', 'STRING'),
        field('execution_time_ms', 'FLOAT'),
        repeated('response', field('status_code', 'INTEGER')),
      ),
    ],
    select: `time AS timestamp, [{project_ref: project, function_id: 'f' || i % 5, execution_time_ms: (i * 7919 % 100003) / 8,
      response: [{status_code: CASE WHEN i % 50 = 0 THEN 500 ELSE 200 END}]}] AS metadata`,
  },
  'logs.edge': {
    fields: [
      field('timestamp', 'TIMESTAMP'),
      repeated('metadata', repeated('request', field('url', 'STRING'), field('path', 'STRING'))),
    ],
    select: `time AS timestamp, [{request: [{url: 'https://' || project || '.example.com' || ${PATH}, path: ${PATH}}]}] AS metadata`,
  },
}

export interface BenchData {
  readonly dataDir: string
  /** Lets the file come that ends with this step, if there is one. Returns the end of the rows that have come, in milliseconds since 1970. */
  readonly arrive: (step: number) => number
}

/** Writes all files; those of the last day wait beside the data folder. */
export async function refreshData(folder: string, rows: number, filesPerDay: number): Promise<BenchData> {
  const fileMs = DAY_MS / filesPerDay
  const [dataDir, waiting] = [join(folder, 'data'), join(folder, 'waiting')]
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect()
  await duckdb.run("SET TimeZone = 'UTC'")
  for (const name of Object.keys(TABLES)) {
    for (const root of [dataDir, waiting]) mkdirSync(join(root, ...name.split('.')), { recursive: true })
    for (let day = 0; day < DAYS - 1; day++) {
      const span = { from: FIRST + day * DAY_MS, ms: DAY_MS, rows: Math.floor(rows / DAYS) }
      await write(duckdb, name, span, join(dataDir, ...name.split('.'), `day-${day}.parquet`))
    }
    for (let file = 0; file < filesPerDay; file++) {
      const span = { from: TODAY + file * fileMs, ms: fileMs, rows: Math.floor(rows / DAYS / filesPerDay) }
      await write(duckdb, name, span, join(waiting, ...name.split('.'), `part-${file}.parquet`))
    }
  }
  duckdb.closeSync()
  const arrive = (step: number): number => {
    const files = Math.floor(((step + 1) * STEP_MS) / fileMs)
    const isNew = files > Math.floor((step * STEP_MS) / fileMs)
    for (const name of isNew ? Object.keys(TABLES) : []) {
      const file = join(...name.split('.'), `part-${files - 1}.parquet`)
      renameSync(join(waiting, file), join(dataDir, file))
    }
    return TODAY + files * fileMs
  }
  return { dataDir, arrive }
}

interface RowSpan {
  readonly from: number
  readonly ms: number
  readonly rows: number
}

function write(duckdb: DuckDBConnection, table: string, { from, ms, rows }: RowSpan, path: string): Promise<unknown> {
  const time = `make_timestamptz(${from}000 + i * ${ms}000 // ${rows})`
  const project = "'project-' || lpad((i * 31 % 20)::VARCHAR, 2, '0')"
  return duckdb.run(`COPY (SELECT ${TABLES[table]!.select}
    FROM (SELECT i, ${time} AS time, ${project} AS project FROM range(${rows}) t(i))) TO ${quoteText(path)} (FORMAT parquet)`)
}
