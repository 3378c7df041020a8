/** A server that records what snippets send. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Received {
  readonly path: string
  readonly pairs: readonly (readonly [string, string])[]
  readonly token: string | undefined
}

export interface RecordingServer {
  readonly url: string
  /** What was received since the last call of this. */
  take(): readonly Received[]
  close(): void
}

/** Answers every request with an empty result. */
export async function recordingServer(): Promise<RecordingServer> {
  let received: Received[] = []
  const server = createServer(async (req, res) => {
    received.push(readRequest(req, await text(req)))
    res.setHeader('Content-Type', 'application/json').end('{"result":[]}')
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const taken = received
      received = []
      return taken
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The body of a POST has what no query string can have, as an object of texts and lists of texts. */
function readRequest({ url, headers }: IncomingMessage, body: string): Received {
  const { pathname, searchParams } = new URL(url!, 'http://server')
  const members = Object.entries(JSON.parse(body || '{}') as Record<string, string | readonly string[]>)
  const sent = members.flatMap(([name, value]) => [value].flat().map(one => [name, one] as const))
  return {
    path: decodeURIComponent(pathname),
    pairs: [...searchParams, ...sent],
    token: headers['x-api-key'] as string | undefined,
  }
}
