/**
 * The least work that an Express route can do: it sends the bytes of a file for every request. Its only argument is the file.
 */
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import express from 'express'

const body = readFileSync(process.argv[2]!)
const app = express()
app.disable('x-powered-by')
app.get('/api/endpoints/query/:name', (_req, res) => {
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', body.byteLength)
  res.end(body)
})
const server = app.listen(0, '127.0.0.1', () => {
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
})
