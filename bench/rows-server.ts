/** A Sluice server with an endpoint that generates as many rows as the call asks for, and optionally more endpoints. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Server, startServer } from './processes.js'

export const TOKEN = 'benchmark-token-of-32-characters'
export const ROUTE = '/api/endpoints/query/bench.rows'

export const HEADERS = { 'X-API-KEY': TOKEN, Accept: '*/*', 'User-Agent': 'bench' }

const MANIFEST = (id: string, name: string): string => `id: ${id}
name: ${name}
parameters:
  rows: { type: int64, required: true }
  tag: { type: string }
settings: { max_rows: 100000, cache: { ttl_seconds: 3600 }, pages: {} }
sql: |
  SELECT n AS id, CONCAT('event number ', CAST(n AS STRING)) AS event_message, MOD(n, 7) = 0 AS is_error,
    TIMESTAMP_ADD(TIMESTAMP '2026-01-31 12:00:00', INTERVAL n SECOND) AS timestamp
  FROM UNNEST(GENERATE_ARRAY(1, @rows)) AS n
  WHERE @tag IS NULL OR @tag != ''
  ORDER BY n
`

export interface Bench {
  readonly folder: string
  readonly program: readonly string[]
}

/** Starts a server with `count` manifests; its log is written, but discarded. */
export function startSluice({ folder, program }: Bench, count = 1): Promise<Server> {
  const endpoints = join(folder, `endpoints-${count}`)
  mkdirSync(endpoints, { recursive: true })
  for (let i = 0; i < count; i += 1) {
    const name = i === 0 ? 'bench.rows' : `bench.rows-${i}`
    writeFileSync(join(endpoints, `${name}.yaml`), MANIFEST(randomUUID(), name))
  }
  mkdirSync(join(folder, 'data'), { recursive: true })
  const flags = ['--port', '0', '--endpoints', endpoints, '--data', join(folder, 'data'), '--cache-memory', '512']
  return startServer([...program, 'serve', ...flags], { SLUICE_TOKEN: TOKEN }, 'ignore')
}
