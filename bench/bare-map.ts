/**
 * A bare server with a fixed answer for each path. Its argument is a JSON file of the answers: `[[path, headers, body], …]`.
 */
import { readFileSync } from 'node:fs'
import { createServer, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

const list: readonly (readonly [string, OutgoingHttpHeaders, string])[] = JSON.parse(
  readFileSync(process.argv[2]!, 'utf8'),
)
const answers = new Map(list.map(([address, headers, body]) => [address, { headers, body: Buffer.from(body) }]))
const server = createServer((request, response) => {
  const { headers, body } = answers.get(request.url!)!
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
})
