/** What a team would write by hand for one query: Express, DuckDB and a Map of rows. `ready <url>`, like the others. */
import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { DuckDBInstance } from '@duckdb/node-api'
import express from 'express'

const SQL = `
  SELECT n AS id, 'event number ' || n AS event_message, n % 7 = 0 AS is_error,
    TIMESTAMP '2026-01-31 12:00:00' + to_seconds(n) AS timestamp
  FROM range(1, $rows + 1) AS numbers(n) ORDER BY n`
const TTL_MS = 3_600_000
const TOKEN_HASH = createHash('sha256').update('bench').digest('hex')

const connection = await (await DuckDBInstance.create(':memory:')).connect()
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
  const rows = Number(req.query['rows'])
  if (!Number.isInteger(rows)) {
    res.status(400).json({ error: 'rows must be an integer' })
    return
  }
  const key = `${rows}:${req.query['tag'] ?? ''}`
  let found = cache.get(key)
  if (!found || Date.now() - found.storedAt > TTL_MS) {
    const began = performance.now()
    const reader = await connection.runAndReadAll(SQL, { rows })
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
