/** A server that records what snippets send. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

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
  const server = createServer((req, res) => {
    received.push(readRequest(req))
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

function readRequest({ url, headers }: IncomingMessage): Received {
  const { pathname, searchParams } = new URL(url!, 'http://server')
  return {
    path: decodeURIComponent(pathname),
    pairs: [...searchParams],
    token: headers['x-api-key'] as string | undefined,
  }
}
