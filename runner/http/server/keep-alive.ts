/** The connections that a server keeps open: what is answered on each, and how long they may be idle. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../model/ports.js'
import { KEEP_ALIVE_MS } from './prepared-response.js'

/** How often connections that have become idle are looked for. */
const LOOK_MS = 1_000

/** Where a socket carries its latest response: a WeakMap would have to be written to with every request. */
const LATEST = Symbol('latest response')

interface Connection extends Socket {
  [LATEST]?: ServerResponse
}

/** From this slot node:http makes the `Keep-Alive` header; in its own way of closing connections it sets it itself. */
interface KeptAlive {
  _keepAliveTimeout: number
}

/** To be called with each request before anything else is done about it. */
export function beginAnswer(req: IncomingMessage, res: ServerResponse): void {
  const connection: Connection = req.socket
  connection[LATEST] = res
  ;(res as ServerResponse & KeptAlive)._keepAliveTimeout = KEEP_ALIVE_MS
  if (connection.timeout) connection.setTimeout(0)
}

/** The response that is under way on it; null for none. */
export function answerUnderWay(socket: Socket): ServerResponse | null {
  const latest = (socket as Connection)[LATEST]
  return latest?.writableFinished === false ? latest : null
}

/** Has the response say `Connection: close`, where its head has not been made. */
export function answerLast(res: ServerResponse): void {
  if (!res.headersSent) res.shouldKeepAlive = false
}

/**
 * Closes connections on which nothing has moved for KEEP_ALIVE_MS since their last answer. Gives back how to stop. This is
 * for servers whose own `keepAliveTimeout` is 0: with that node:http sets a timer for each answer and takes it back with
 * the next request, a twentieth of a hit, though busy connections are never idle for a second.
 */
export function closeIdle(sockets: Iterable<Socket>, clock: Clock): () => void {
  let cancel = clock.after(LOOK_MS, look)
  function look(): void {
    for (const socket of sockets) if (!socket.timeout && hasAnswered(socket)) socket.setTimeout(KEEP_ALIVE_MS)
    cancel = clock.after(LOOK_MS, look)
  }
  return () => cancel()
}

function hasAnswered(socket: Socket): boolean {
  return (socket as Connection)[LATEST]?.writableFinished === true
}
