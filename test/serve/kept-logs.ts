/** A folder with endpoints over a log, whose results are kept by the hour, and calls that must give what the whole query gives. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { until } from '../until.js'
import { type Replica, TOKEN } from './shop.js'

const HOUR_MS = 3_600_000

/** The hour whose rows come first: all are within the last day, so that the clock moves none of them out of it. */
const FIRST_HOUR = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 20 * HOUR_MS

export interface Row {
  readonly hour: number
  readonly who?: string
  readonly n?: number
}

const MANIFESTS: Readonly<
  Record<string, { readonly settings: string; readonly more?: string; readonly select?: string }>
> = {
  hourly: { settings: '{ cache: { ttl_seconds: 1 } }' },
  whole: { settings: '{ cache: { ttl_seconds: 1, refresh: whole } }' },
  owned: { settings: '{ cache: { ttl_seconds: 1 } }', more: 'tenant: { parameter: who, columns: { logs.edge: who } }' },
  warm: { settings: '{ cache: { ttl_seconds: 2, warm_seconds: 1 } }' },
  cut: { settings: '{ max_rows: 3, cache: { ttl_seconds: 1 } }' },
  wide: { settings: '{ cache: { ttl_seconds: 1 } }', select: "REPEAT('x', 40000) AS text, " },
}

export function manifestOf(name: string, description = 'Rows by the hour.'): string {
  const { settings, more = '', select = '' } = MANIFESTS[name]!
  const index = Object.keys(MANIFESTS).indexOf(name)
  return `id: 8d1a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a0${index}
name: logs.${name}
description: ${description}
parameters:
  who: { type: string, default: a }
  since: { type: timestamp, default: '2000-01-01T00:00:00Z' }
${more}
settings: ${settings}
sql: |
  SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, ${select}COUNT(*) AS c, SUM(n) AS n
  FROM logs.edge
  WHERE ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 1 DAY), HOUR) AND ts >= @since AND who = @who
  GROUP BY hour
  ORDER BY hour
`
}

export interface Logs {
  readonly folder: string
  readonly file: (name: string) => string
  readonly write: (name: string, rows: readonly Row[]) => void
  /** Leaves these files, and no other one. */
  readonly reset: (files: Readonly<Record<string, readonly Row[]>>) => void
  readonly remove: () => void
}

export function makeLogs(): Logs {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-refresh-'))
  for (const name of ['endpoints', 'tables']) mkdirSync(join(folder, name))
  for (const name of Object.keys(MANIFESTS)) writeFileSync(join(folder, `endpoints/${name}.yaml`), manifestOf(name))
  const fields = [
    { name: 'ts', type: 'TIMESTAMP' },
    { name: 'who', type: 'STRING' },
    { name: 'n', type: 'INTEGER' },
  ]
  writeFileSync(join(folder, 'tables/logs.edge.json'), JSON.stringify(fields))
  const table = join(folder, 'data/logs/edge')
  mkdirSync(table, { recursive: true })
  const file = (name: string): string => join(table, `${name}.ndjson`)
  const write: Logs['write'] = (name, rows) => writeFileSync(file(name), rows.map(lineOf).join(''))
  return {
    folder,
    file,
    write,
    reset(files) {
      rmSync(table, { recursive: true })
      mkdirSync(table)
      for (const [name, rows] of Object.entries(files)) write(name, rows)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export function lineOf({ hour, who = 'a', n = 1 }: Row): string {
  const ts = new Date(FIRST_HOUR + hour * HOUR_MS + 600_000).toISOString()
  return `${JSON.stringify({ ts, who, n })}\n`
}

/** The id of the partition of this hour. */
export const partitionOf = (hour: number): string =>
  new Date(FIRST_HOUR + hour * HOUR_MS).toISOString().replace(/\D/g, '').slice(0, 10)

export const hours = (...list: readonly number[]): readonly Row[] => list.map(hour => ({ hour }))

export interface Answered {
  readonly status: number
  readonly cache: string
  readonly body: string
}

export async function ask(url: string, path: string, token = TOKEN): Promise<Answered> {
  const response = await fetch(`${url}/api/endpoints/query/${path}`, { headers: { 'X-API-KEY': token } })
  return { status: response.status, cache: response.headers.get('cache-status') ?? '', body: await response.text() }
}

let hoursAsked = 0

/**
 * The path with a bound that no call has had, and that is before all rows: nothing is stored for it, and what is kept serves it as it
 * serves calls without a bound.
 */
export function anew(path: string): string {
  const since = new Date(Date.UTC(2010, 0) + hoursAsked++ * HOUR_MS).toISOString()
  return `${path}${path.includes('?') ? '&' : '?'}since=${since}`
}

/** The rows that the whole query gives now for the same arguments. */
export const wholeOf = async (url: string, path: string): Promise<string> =>
  (await ask(url, anew(path.replace(/^logs\.\w+/, 'logs.whole')))).body

/** Asks for a new result, which must be that of the whole query. Returns how many of its buckets were kept; null where all rows were read. */
export async function refresh({ server, events }: Replica, path: string) {
  const from = events.length
  const { status, body } = await ask(server.url, anew(path))
  expect(status, body).to.equal(200)
  const endpoint = path.split('?')[0]
  const done = () => events.slice(from).find(event => event.kind === 'query.done' && event.endpoint === endpoint)
  await until(() => done() !== undefined, 'the end of the query')
  const event = done()!
  if (!/^logs\.(cut|wide)/.test(path)) expect(body).to.equal(await wholeOf(server.url, path))
  return (event.kind === 'query.done' && event.partial) || null
}
