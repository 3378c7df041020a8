/**
 * A server that a team would write by hand for four queries: Express, DuckDB over Parquet files, and a Map of rows as its
 * cache. Prints `ready <url>`, like the other servers. Usage: hand-written.ts [data folder]
 */
import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import express from 'express'

const DATA = process.argv[2] ?? 'data'
const TTL_MS = 3_600_000
const TOKEN_HASH = createHash('sha256').update('benchmark-token-of-32-characters').digest('hex')

const DAYS: Record<string, number> = { FREE: 1, PRO: 7, PAYG: 90, ENTERPRISE: 90 }
const INVOCATIONS: Record<string, [bucket: string, back: string]> = {
  '5min': ['second', '5 MINUTE'],
  '15min': ['minute', '15 MINUTE'],
  '1hr': ['minute', '1 HOUR'],
  '1day': ['hour', '1 DAY'],
  '7day': ['day', '7 DAY'],
}
const REQUESTS: Record<string, [bucket: string, back: string]> = {
  hourly: ['hour', '1 HOUR'],
  daily: ['day', '7 DAY'],
  minutely: ['minute', '60 MINUTE'],
}

type Asked = Record<string, string>
/** The SQL of each query and its values; null where an argument is not valid. */
const QUERIES: Record<string, (asked: Asked) => [sql: string, values: Record<string, DuckDBValue>] | null> = {
  'bench.rows': ({ rows }) =>
    Number.isInteger(Number(rows))
      ? [
          `SELECT n AS id, 'event number ' || n AS event_message, n % 7 = 0 AS is_error,
             TIMESTAMP '2026-01-31 12:00:00' + to_seconds(n) AS timestamp
           FROM range(1, $rows + 1) AS numbers(n) ORDER BY n`,
          { rows: Number(rows) },
        ]
      : null,
  'logs.all': ({ project, project_tier }) => [
    `SELECT id, timestamp, event_message, metadata
     FROM (SELECT id, timestamp, event_message, metadata, unnest(metadata) FROM '${DATA}/logs/edge/*.parquet'
           WHERE project = $project AND timestamp > now() - INTERVAL ${DAYS[project_tier!] ?? 1} DAY)
     ORDER BY timestamp DESC, id LIMIT 100`,
    { project: project! },
  ],
  'functions.invocation-stats': ({ project, interval }) => {
    const [bucket, back] = INVOCATIONS[interval!] ?? INVOCATIONS['1day']!
    return [
      `SELECT date_trunc('${bucket}', timestamp) AS timestamp,
         min(record.execution_time_ms) AS min_execution_time, max(record.execution_time_ms) AS max_execution_time,
         avg(record.execution_time_ms) AS avg_execution_time,
         quantile_disc(record.execution_time_ms, 0.95) AS p95_execution_time,
         quantile_disc(record.execution_time_ms, 0.99) AS p99_execution_time,
         count(*) AS count, count(*) FILTER (response.status_code >= 400) AS error_count
       FROM (SELECT timestamp, record, unnest(record.response) AS response
             FROM (SELECT timestamp, unnest(metadata) AS record FROM '${DATA}/logs/function_edge/*.parquet'
                   WHERE timestamp >= date_trunc('${bucket}', now() - INTERVAL ${back}))
             WHERE record.project_ref = $project)
       GROUP BY 1 ORDER BY 1`,
      { project: project! },
    ]
  },
  'usage.api-counts': ({ project, interval }) => {
    const [bucket, back] = REQUESTS[interval!] ?? []
    if (!bucket) return null
    return [
      `SELECT date_trunc('${bucket}', timestamp)::TIMESTAMP AS timestamp,
         count(*) FILTER (contains(request.path, '/rest')) AS total_rest_requests,
         count(*) FILTER (contains(request.path, '/storage')) AS total_storage_requests,
         count(*) FILTER (contains(request.path, '/auth')) AS total_auth_requests,
         count(*) FILTER (contains(request.path, '/realtime')) AS total_realtime_requests
       FROM (SELECT timestamp, unnest(record.request) AS request
             FROM (SELECT timestamp, unnest(metadata) AS record FROM '${DATA}/logs/edge/*.parquet'
                   WHERE timestamp >= now() - INTERVAL ${back}))
       WHERE regexp_matches(request.url, $project)
       GROUP BY 1 ORDER BY 1`,
      { project: project! },
    ]
  },
}

const connection = await (await DuckDBInstance.create(':memory:')).connect()
await connection.run("SET TimeZone = 'UTC'")
const cache = new Map<string, { rows: unknown[]; storedAt: number }>()
const app = express()

app.use((req, res, next) => {
  const token = createHash('sha256')
    .update(req.get('X-API-KEY') ?? '')
    .digest('hex')
  if (token === TOKEN_HASH) next()
  else res.status(401).json({ error: 'unknown token' })
})

app.get('/api/endpoints/query/:name', async (req, res) => {
  const query = QUERIES[req.params.name]?.(req.query as Asked)
  if (!query) {
    res.status(400).json({ error: 'bad arguments' })
    return
  }
  const key = req.url
  let found = cache.get(key)
  if (!found || Date.now() - found.storedAt > TTL_MS) {
    const began = performance.now()
    const reader = await connection.runAndReadAll(...query)
    found = { rows: reader.getRowObjectsJson(), storedAt: Date.now() }
    res.set('Server-Timing', `engine;dur=${(performance.now() - began).toFixed(3)}`)
    cache.set(key, found)
  }
  res.json({ result: found.rows })
})

const server = app.listen(0, '127.0.0.1', () => {
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
  connection.closeSync()
})
