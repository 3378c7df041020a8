/**
 * The least work that node:http can do: it sends the same bytes for every request. Its arguments are the file of the body
 * and, optionally, a JSON file of the status and headers: `{"status": 200, "headers": {…}}`.
 */
import { readFileSync } from 'node:fs'
import { createServer, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Head {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
}

const [bodyFile, headFile] = process.argv.slice(2)
const body = readFileSync(bodyFile!)
const { status, headers }: Head =
  headFile === undefined
    ? {
        status: 200,
        headers: { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.byteLength },
      }
    : JSON.parse(readFileSync(headFile, 'utf8'))
const server = createServer((_request, response) => {
  response.writeHead(status, headers)
  if (status === 304) response.end()
  else response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
})
