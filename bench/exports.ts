/** Exports of a large table: their speed against DuckDB's own COPY, their memory, and what they leave to hits meanwhile. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { EXPORT_FORMATS } from '../runner/formats/index.js'
import type { Figure } from './figures.js'
import { httpLoad } from './http-load.js'
import { PROGRAM, type Server, startServer } from './processes.js'
import { HEADERS, TOKEN } from './rows-server.js'

const ROWS = Number(process.env['BENCH_EXPORT_ROWS'] ?? 20_000_000)
const SELECT = 'SELECT id, project, timestamp, message, ms FROM'
/** DuckDB's name of a format that COPY writes. */
const COPIED: Readonly<Record<string, string>> = { ndjson: 'json', csv: 'csv', parquet: 'parquet' }
const HIT = '/api/endpoints/query/bench.newest'
const LOAD = { connections: 32, seconds: 5, paths: [HIT], headers: HEADERS }

const manifest = (name: string, settings: string, limit: string): string =>
  `id: ${randomUUID()}\nname: ${name}\nsettings: ${settings}\nsql: |\n  ${SELECT} \`bench.rows\`${limit}\n`

export async function exporting(folder: string): Promise<readonly Figure[]> {
  const [endpoints, data] = [join(folder, 'endpoints'), join(folder, 'data', 'bench')]
  for (const path of [endpoints, data, join(folder, 'tables')]) mkdirSync(path, { recursive: true })
  writeFileSync(join(endpoints, 'rows.yaml'), manifest('bench.rows', '{ export: {} }', ''))
  writeFileSync(
    join(endpoints, 'newest.yaml'),
    manifest('bench.newest', '{ cache: { ttl_seconds: 3600 } }', ' LIMIT 100'),
  )
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect()
  const table = join(data, 'rows.parquet')
  await duckdb.run(`COPY (SELECT i AS id, 'project-' || (i % 1000) AS project,
    TIMESTAMPTZ '2026-01-01 00:00:00+00' + to_microseconds(i * 1000003) AS timestamp,
    'GET /rest/v1/items?id=eq.' || i || ' 200' AS message, (i % 7919) / 8 AS ms FROM range(${ROWS}) r(i)) TO '${table}'`)
  const flags = [
    '--endpoints',
    endpoints,
    '--data',
    join(folder, 'data'),
    '--tables',
    join(folder, 'tables'),
    '--port',
    '0',
  ]
  const server = await startServer([...PROGRAM, 'serve', ...flags], { SLUICE_TOKEN: TOKEN }, 'ignore')
  const figures: Figure[] = []
  try {
    await httpLoad(server.url, { ...LOAD, seconds: 1 })
    const idle = memoryOf(server.pid)
    for (const { name } of EXPORT_FORMATS) {
      const copy = COPIED[name]
      const copied = copy === undefined ? null : await copySeconds(duckdb, table, join(folder, 'copied'), copy)
      const { seconds, bytes, peak } = await exportSeconds(server, name)
      const ratio = copied === null ? 'no COPY' : `**${(copied / seconds).toFixed(2)}** of COPY, ${copied.toFixed(1)} s`
      const speed = `${seconds.toFixed(1)} s, ${(bytes / 1e6).toFixed(0)} MB: ${ratio}`
      const bar = copied === null ? '' : '≥ 0.25'
      figures.push({ what: `export of ${ROWS / 1e6} M rows to ${name}`, value: speed, bar })
      const memory = `${(peak - idle).toFixed(0)} MB beside ${idle.toFixed(0)} MB at rest`
      figures.push({
        what: `memory of all processes meanwhile, ${name}`,
        value: memory,
        bar: '≤ 150 MB + --engine-memory',
      })
    }
    figures.push(await hitsMeanwhile(server))
    return figures
  } finally {
    await server.end()
  }
}

async function copySeconds(
  duckdb: Awaited<ReturnType<DuckDBInstance['connect']>>,
  table: string,
  to: string,
  format: string,
): Promise<number> {
  const began = performance.now()
  await duckdb.run(`COPY (${SELECT} '${table}') TO '${to}' (FORMAT ${format})`)
  const seconds = (performance.now() - began) / 1000
  if (statSync(to).size === 0) throw new TypeError(`COPY to ${format} wrote nothing`)
  rmSync(to)
  return seconds
}

const exportOf = (server: Server, format: string, signal?: AbortSignal): Promise<Response> => {
  const headers = { ...HEADERS, 'Accept-Encoding': 'identity' }
  const address = `${server.url}/api/endpoints/export/bench.rows?format=${format}`
  return fetch(address, { headers, ...(signal && { signal }) })
}

async function exportSeconds(server: Server, format: string) {
  let [bytes, peak] = [0, 0]
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryOf(server.pid))
  }, 100)
  const began = performance.now()
  const response = await exportOf(server, format)
  if (response.status !== 200) throw new TypeError(await response.text())
  for await (const chunk of response.body!) bytes += chunk.byteLength
  clearInterval(timer)
  return { seconds: (performance.now() - began) / 1000, bytes, peak }
}

async function hitsMeanwhile(server: Server): Promise<Figure> {
  const alone = (await httpLoad(server.url, LOAD)).perSecond
  const end = new AbortController()
  const response = await exportOf(server, 'csv', end.signal)
  const reading = response.body!.pipeTo(new WritableStream()).catch(() => null)
  const beside = (await httpLoad(server.url, LOAD)).perSecond
  end.abort()
  await reading
  const value = `**${(beside / alone).toFixed(2)}** (${beside.toFixed(0)}/s against ${alone.toFixed(0)}/s)`
  return { what: 'hits of another endpoint during an export to csv, against without', value, bar: '≥ 0.60' }
}

/** The resident memory of a process and all below it, in megabytes. */
function memoryOf(pid: number): number {
  try {
    const own = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return children
      .split(/\s+/)
      .filter(Boolean)
      .reduce((sum, child) => sum + memoryOf(Number(child)), own)
  } catch {
    return 0 // It has ended.
  }
}
