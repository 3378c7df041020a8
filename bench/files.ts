/** The conversion of text files in place, against DuckDB's own readers with the same schema, each run in a process of its own. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fieldsToColumns, type SchemaField } from '../googlesql/tables.js'
import { quotePath } from '../googlesql-duckdb/names-and-types.js'
import { convert } from '../runner/engines/duckdb/tables/convert.js'
import { openSqlSession } from '../test/googlesql-duckdb/sql-session.js'
import { type Figure, percentile } from './figures.js'

const ROUNDS = 3
const MEGABYTES = 200
const LEAST_RATIO = 0.6

/** The columns of the files, with SQL of their values for the row `i` and DuckDB's type for them. */
const COLUMNS: readonly (readonly [field: SchemaField, value: string, type: string])[] = [
  [{ name: 'id', type: 'STRING' }, 'md5(i::VARCHAR)', 'VARCHAR'],
  [
    { name: 'at', type: 'TIMESTAMP' },
    "strftime(TIMESTAMP '2026-01-01' + INTERVAL 1 SECOND * i, '%Y-%m-%dT%H:%M:%S.%fZ')",
    'TIMESTAMPTZ',
  ],
  [{ name: 'day', type: 'DATE' }, "(DATE '2026-01-01' + (i % 365)::INTEGER)::VARCHAR", 'DATE'],
  [{ name: 'country', type: 'STRING' }, "['DE', 'FR', 'IT', 'ES'][1 + i % 4]", 'VARCHAR'],
  [{ name: 'status', type: 'INTEGER' }, '200 + i % 300', 'BIGINT'],
  [{ name: 'bytes', type: 'INTEGER' }, 'hash(i) % 1000000', 'BIGINT'],
  [{ name: 'seconds', type: 'FLOAT' }, '(hash(i + 1) % 100000) / 1000', 'DOUBLE'],
  [{ name: 'price', type: 'NUMERIC' }, '((hash(i + 2) % 100000) / 100)::DECIMAL(10, 2)', 'DECIMAL(38, 9)'],
  [{ name: 'is_new', type: 'BOOLEAN' }, 'i % 3 = 0', 'BOOLEAN'],
  [{ name: 'text', type: 'STRING' }, "'GET /orders/' || i || '?page=' || i % 7 || ' from a browser'", 'VARCHAR'],
]

/** The columns that only NDJSON can have. */
const NESTED: typeof COLUMNS = [
  [{ name: 'tags', type: 'STRING', mode: 'REPEATED' }, "['new', 'sale', 't' || i % 9]", 'VARCHAR[]'],
  [
    {
      name: 'request',
      type: 'RECORD',
      fields: [
        { name: 'method', type: 'STRING' },
        { name: 'path', type: 'STRING' },
        { name: 'status', type: 'INTEGER' },
      ],
    },
    "{method: 'GET', path: '/orders/' || i, status: 200 + i % 300}",
    'STRUCT(method VARCHAR, path VARCHAR, status BIGINT)',
  ],
]

const FORMATS = { ndjson: [...COLUMNS, ...NESTED], csv: COLUMNS }
type Format = keyof typeof FORMATS

const SIDES = ['ours', 'theirs'] as const
type Side = (typeof SIDES)[number]

/** Seconds of the clock and of all processors, and the most memory in MB. */
type Run = Record<'wall' | 'cpu' | 'memory', number>

export async function readingFiles(folder: string): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const format of Object.keys(FORMATS) as Format[]) {
    const path = await fileOf(format, folder)
    const runs: Record<Side, Run[]> = { ours: [], theirs: [] }
    for (let round = 0; round < ROUNDS; round += 1) {
      const turns = round % 2 === 0 ? SIDES : [...SIDES].reverse()
      for (const side of turns) runs[side].push(runApart(format, path, side))
    }
    const median = (side: Side, of: keyof Run): number =>
      percentile(
        runs[side].map(run => run[of]),
        50,
      )
    const against = (of: 'wall' | 'cpu'): string => {
      const [ours, theirs] = [median('ours', of), median('theirs', of)]
      return `${ours.toFixed(2)} s against ${theirs.toFixed(2)} s: ${(theirs / ours).toFixed(2)}`
    }
    const what = `${MEGABYTES} MB of ${format} in place, against DuckDB's reader with the same schema`
    figures.push({ what: `${what}, processor time`, value: against('cpu'), bar: `≥ ${LEAST_RATIO}` })
    figures.push({ what: `${what}, time`, value: against('wall'), bar: `≥ ${LEAST_RATIO}` })
    const memory = ['ours', 'theirs'].map(side => median(side as Side, 'memory').toFixed(0))
    figures.push({ what: `${what}, most memory`, value: `${memory.join(' MB against ')} MB`, bar: '≤ 1000 MB' })
  }
  return figures
}

/** Writes the file of a format. */
async function fileOf(format: Format, folder: string): Promise<string> {
  const path = join(folder, `files.${format}`)
  const session = await openSqlSession()
  const values = FORMATS[format].map(([{ name }, value]) => `${value} AS "${name}"`).join(', ')
  const rows = Math.round((MEGABYTES * 1e6) / { ndjson: 326, csv: 152 }[format])
  const options = format === 'csv' ? 'FORMAT csv, HEADER' : 'FORMAT json'
  await session.rows(`COPY (SELECT ${values} FROM range(${rows}) AS r(i)) TO ${quotePath(path)} (${options})`)
  session.close()
  return path
}

function runApart(format: Format, path: string, side: Side): Run {
  const script = fileURLToPath(import.meta.url)
  const { stdout, status } = spawnSync(process.execPath, ['--import', 'tsx', script, format, path, side], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new TypeError(`reading ${path} ended with ${status}`)
  return JSON.parse(stdout) as Run
}

/** Reads the file into a table once, in this process. */
async function readOnce(format: Format, path: string, side: Side): Promise<Run> {
  const session = await openSqlSession([], ["SET memory_limit = '800MB'"])
  const fields = FORMATS[format].map(([field]) => field)
  const table = { name: 't', columns: fieldsToColumns(fields)! }
  const types = FORMATS[format].map(([{ name }, , type]) => `"${name}" ${type}`)
  const reader =
    format === 'csv' ? 'read_csv(%, header = true, auto_detect = false' : "read_json(%, format = 'newline_delimited'"
  const columns = FORMATS[format].map(([{ name }, , type]) => `"${name}": '${type}'`).join(', ')
  const theirs = `FROM ${reader.replace('%', quotePath(path))}, columns = {${columns}})`
  await session.connection.run(`CREATE TABLE t (${types.join(', ')})`)
  const [began, used] = [performance.now(), process.cpuUsage()]
  const file = { path, name: path, format, compression: 'uncompressed', keys: [] } as const
  const insert = (select: string): Promise<unknown> => session.connection.run(`INSERT INTO t ${select}`)
  if (side === 'ours') await convert(session.connection, file, table, insert)
  else await insert(theirs)
  const wall = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(used)
  const memory = Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1000
  session.close()
  return { wall, cpu: (user + system) / 1e6, memory }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [format, path, side] = process.argv.slice(2) as [Format, string, Side]
  process.stdout.write(JSON.stringify(await readOnce(format, path, side)))
}
