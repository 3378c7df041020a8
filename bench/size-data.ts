/**
 * Millions of log entries in Parquet, made by DuckDB itself: values that repeat come from entries of `sluice sample`,
 * those that tell one entry from another are made for each. Ten million are kept in a folder that git ignores.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { StructField, Type } from '../googlesql/types/types.js'
import { quoteName, quoteText } from '../googlesql-duckdb/emit/quote.js'
import { duckdbType } from '../googlesql-duckdb/emit/type.js'
import { loadTableSchemas } from '../runner/manifest/tables/load.js'
import { type SampleStream, sampleLines } from '../runner/sample/generate.js'

export const ENTRIES = 10_000_000
export const DAYS = 7
export const PROJECTS = 200
/** The newest entry is just before it. */
export const NOW_MICROS = 1_769_817_600_000_000n
/** Changes with whatever the files hold. */
const VERSION = 1
const FOLDER = join('bench', 'data', `logs-${ENTRIES}-v${VERSION}`)
const TEN_MILLION: LogSize = { entries: ENTRIES, nowMicros: NOW_MICROS }
const POOL_SIZE = 2_000
const ROW_GROUP_SIZE = 61_440
const DAY_MICROS = 86_400_000_000n
const BYTES_NEEDED = 8e9

/** How many entries, of the seven days before when. */
export interface LogSize {
  readonly entries: number
  readonly nowMicros: bigint
}

/** Per cent of the entries, as a platform's streams share them. */
const SHARES: Readonly<Record<SampleStream, number>> = {
  edge: 35,
  postgres: 18,
  rest: 11,
  function_edge: 8,
  function_runtime: 8,
  auth: 7,
  storage: 6,
  realtime: 5,
  pooler: 2,
}

const URL = 'concat(\'https://\', owner, \'.supabase.co\', "metadata.request.path", "metadata.request.search")'
const FUNCTION_ID = 'bench_uuid(owner || (bench_random(i, 9) * 5)::INTEGER)'

/** What differs from entry to entry, by path, in terms of its owner's reference, the entry's number `i` and the pool's columns. */
const DISTINCT: Readonly<Record<string, string>> = {
  project: 'owner',
  'metadata.project': 'owner',
  'metadata.project_ref': 'owner',
  'metadata.external_id': 'owner',
  'metadata.tenantId': 'owner',
  'metadata.function_id': FUNCTION_ID,
  'metadata.deployment_id': `concat(owner, '_', ${FUNCTION_ID}, '_', "metadata.version")`,
  'metadata.execution_id': "bench_uuid('execution' || i)",
  'metadata.execution_time_ms': '"metadata.execution_time_ms" + floor(20 * bench_random(i, 5))',
  'metadata.request_id': "bench_uuid('request' || i)",
  'metadata.reqId': "bench_uuid('request' || i)",
  'metadata.parsed.process_id': '(bench_random(i, 6) * 400000)::BIGINT',
  'metadata.parsed.session_id': "left(md5('session' || i // 20), 13)",
  'metadata.request.url': URL,
  'metadata.request.host': "concat(owner, '.supabase.co')",
  'metadata.request.headers.host': "concat(owner, '.supabase.co')",
  'metadata.request.headers.cf_ray': "left(md5('ray' || i), 16)",
  'metadata.request.headers.cf_connecting_ip': 'bench_ip(i // 8)',
  'metadata.request.headers.x_real_ip': 'bench_ip(i // 8)',
  'metadata.request.cf.botManagement.ja3Hash': "md5('ja3' || i // 30)",
  'metadata.request.cf.botManagement.score': '1 + (bench_random(i, 7) * 98)::BIGINT',
  'metadata.response.headers.cf_ray': "left(md5('ray' || i), 16) || '-' || \"metadata.request.cf.colo\"",
  'metadata.response.headers.content_length': '((bench_random(i, 8) ** 3) * 90000)::BIGINT::VARCHAR',
  'metadata.response.origin_time': '"metadata.response.origin_time" + (bench_random(i, 5) * 40)::BIGINT',
}
/** These streams' requests are no URLs of a project's own. */
const NOT_DISTINCT: Readonly<Partial<Record<SampleStream, readonly string[]>>> = {
  function_edge: ['metadata.request.url', 'metadata.request.host', 'metadata.request.headers.host'],
}

const MACROS = [
  'bench_random(n, salt) AS (hash(n, salt) % 1000003) / 1000003.0',
  "bench_uuid(seed) AS regexp_replace(md5(seed), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\\1-\\2-\\3-\\4-\\5')",
  "bench_ip(n) AS concat(2 + hash(n, 11) % 220, '.', hash(n, 12) % 256, '.', hash(n, 13) % 256, '.', hash(n, 14) % 256)",
  "bench_project(n) AS list_aggregate(list_transform(range(20), lambda j: chr((97 + hash(n, j) % 26)::INTEGER)), 'string_agg', '')",
]

/** The data folder; made when it is not there, which takes a minute or two. @throws TypeError without room for it. */
export async function sizeData(tell: (line: string) => void): Promise<string> {
  if (existsSync(FOLDER)) return FOLDER
  mkdirSync(dirname(FOLDER), { recursive: true })
  const { bavail, bsize } = statfsSync(dirname(FOLDER))
  if (bavail * bsize < BYTES_NEEDED) throw new TypeError(`${BYTES_NEEDED / 1e9} GB are needed in ${dirname(FOLDER)}`)
  const making = mkdtempSync(join(dirname(FOLDER), 'making-'))
  try {
    await writeLogs(making, TEN_MILLION, tell)
    renameSync(making, FOLDER)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
  return FOLDER
}

/** Writes the nine streams into a data folder. */
export async function writeLogs(folder: string, size: LogSize, tell: (line: string) => void): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(availableParallelism()) })
  try {
    const connection = await instance.connect()
    // The entries probe the pool, and so keep their order.
    await connection.run("SET TimeZone = 'UTC'; SET disabled_optimizers = 'build_side_probe_side,join_order'")
    for (const macro of MACROS) await connection.run(`CREATE MACRO ${macro}`)
    const { tables } = await loadTableSchemas(join('schemas', 'tables'))
    for (const [stream, share] of Object.entries(SHARES) as [SampleStream, number][]) {
      const began = performance.now()
      const { columns } = tables.find(({ name }) => name === `logs.${stream}`)!
      const entries = (size.entries * share) / 100
      await writeStream(connection, folder, stream, columns, { ...size, entries })
      tell(`logs.${stream}: ${entries} entries in ${((performance.now() - began) / 1000).toFixed(0)} s`)
    }
  } finally {
    instance.closeSync()
  }
}

/** The project with this rank by traffic, from 0. */
export async function projectOf(connection: DuckDBConnection, rank: number): Promise<string> {
  for (const macro of MACROS) await connection.run(`CREATE OR REPLACE TEMP MACRO ${macro}`)
  const reader = await connection.runAndReadAll(`SELECT bench_project(${rank})`)
  return String(reader.getRows()[0]![0])
}

/** A file a day, sorted by project and time. */
async function writeStream(
  connection: DuckDBConnection,
  folder: string,
  stream: SampleStream,
  columns: readonly StructField[],
  { entries, nowMicros }: LogSize,
): Promise<void> {
  await makePool(connection, folder, stream, columns, nowMicros)
  // Made in their order: the first of the projects has a hundred times the entries of the last ones.
  await connection.run(
    `CREATE OR REPLACE TABLE plan AS SELECT bench_project(n) AS owner, n,
       greatest(1, ${entries / DAYS} / (n + 3) / (SELECT sum(1 / (n + 3)) FROM range(${PROJECTS}) t(n)))::BIGINT AS entries
     FROM range(${PROJECTS}) t(n) ORDER BY owner`,
  )
  const isDistinct = (path: string): boolean =>
    Object.hasOwn(DISTINCT, path) && !(NOT_DISTINCT[stream] ?? []).includes(path)
  const columnValue = (name: string, type: Type): string => {
    if (name === 'id') return "bench_uuid('entry' || i)"
    if (name === 'timestamp') return 'make_timestamptz(micros)'
    return build(name, type, path => (isDistinct(path) ? DISTINCT[path]! : quoteName(path)))
  }
  const values = columns.map(({ name, type }) => `${columnValue(name, type)} AS ${quoteName(name)}`)
  const target = join(folder, 'logs', stream)
  mkdirSync(target, { recursive: true })
  for (let day = 0; day < DAYS; day += 1) {
    const start = nowMicros - BigInt(DAYS - day) * DAY_MICROS
    const date = new Date(Number(start / 1000n)).toISOString().slice(0, 10)
    await connection.run(
      `COPY (
         WITH numbered AS (SELECT owner, n, entries, unnest(range(entries)) AS k FROM plan),
           timed AS (
             SELECT owner, n * 10000000000 + ${day}::BIGINT * 1000000000 + k AS i,
               ${start} + ((k + bench_random(n * 10000000000 + ${day}::BIGINT * 1000000000 + k, 1)) * ${DAY_MICROS} / entries)::BIGINT AS micros
             FROM numbered)
         SELECT ${values.join(', ')}
         FROM timed JOIN pool ON pool.number = hash(i, 2) % ${POOL_SIZE}
       ) TO ${quoteText(join(target, `${date}.parquet`))}
       (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_SIZE})`,
    )
  }
}

/** The leaves of sample entries as columns named by their paths. */
async function makePool(
  connection: DuckDBConnection,
  folder: string,
  stream: SampleStream,
  columns: readonly StructField[],
  nowMicros: bigint,
): Promise<void> {
  const file = join(folder, 'pool.ndjson')
  writeFileSync(file, [...sampleLines(stream, { seed: 1, count: POOL_SIZE, nowMicros })].join(''))
  const types = columns.map(({ name, type }) => `${quoteName(name)}: ${quoteText(duckdbType(type))}`)
  const leaves: string[] = []
  for (const { name, type } of columns) {
    build(name, type, (path, sql) => {
      leaves.push(`${sql} AS ${quoteName(path)}`)
      return sql
    })
  }
  await connection.run(
    `CREATE OR REPLACE TABLE pool AS SELECT row_number() OVER () - 1 AS number, ${leaves.join(', ')}
     FROM read_json(${quoteText(file)}, format = 'newline_delimited', columns = {${types.join(', ')}})`,
  )
  rmSync(file)
}

/** The value built anew around its leaves. Sample entries have one record wherever there may be several. */
function build(path: string, type: Type, leaf: (path: string, sql: string) => string, sql = quoteName(path)): string {
  if (type.kind === 'ARRAY' && type.element.kind === 'STRUCT')
    return `[${build(path, type.element, leaf, `${sql}[1]`)}]`
  if (type.kind !== 'STRUCT') return leaf(path, sql)
  const fields = type.fields.map(
    field =>
      `${quoteName(field.name)} := ${build(`${path}.${field.name}`, field.type, leaf, `${sql}.${quoteName(field.name)}`)}`,
  )
  return `struct_pack(${fields.join(', ')})`
}
