/** The connections that a server keeps open: what is answered on each, and how long they may be idle. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Longer than load balancers keep theirs (60 seconds), so that they never use a connection as it closes. */
export const KEEP_ALIVE_MS = 65_000

/** Where a socket carries its latest response: a WeakMap would have to be written to with every request. */
const LATEST = Symbol('latest response')

interface Connection extends Socket {
  [LATEST]?: ServerResponse
}

/** To be called with each request before anything else is done about it. */
export function beginAnswer(req: IncomingMessage, res: ServerResponse): void {
  const connection: Connection = req.socket
  connection[LATEST] = res
}

/** The response that is under way on this connection; null for none. */
export function answerUnderWay(socket: Socket): ServerResponse | null {
  const latest = (socket as Connection)[LATEST]
  return latest?.writableFinished === false ? latest : null
}

/** Makes the response say `Connection: close`, unless its head has been sent. */
export function answerLast(res: ServerResponse): void {
  if (!res.headersSent) res.shouldKeepAlive = false
}
