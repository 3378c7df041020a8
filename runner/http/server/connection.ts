/** The connections that a server keeps open: which answers are under way on each, and how long they may be idle. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pacedTurns } from '../../model/in-turns.js'

/** Load balancers close idle connections earlier (after 60 seconds), so they never use a connection as it closes here. */
export const KEEP_ALIVE_MS = 65_000
/** The most requests that a connection may send before they are answered. Clients that pipeline send fewer. */
export const MOST_AHEAD = 16

const inTurn = pacedTurns(() => performance.now())

/** The responses under way on each connection, in order. */
const responsesOn = new WeakMap<Socket, ServerResponse[]>()

/**
 * To be called with each request before anything else is done about it. False where its connection has sent too many ahead:
 * node:http begins all requests that arrive together, thousands in 64 kB, before any other connection has its turn.
 */
export function beginAnswer(req: IncomingMessage, res: ServerResponse): boolean {
  const responses = responsesOn.get(req.socket) ?? watchConnection(req.socket)
  while (responses[0]?.writableFinished) responses.shift()
  if (responses.length > MOST_AHEAD) return false
  responses.push(res)
  return true
}

/** Whether requests before this one on its connection have not been answered. */
export const isSentAhead = ({ socket }: IncomingMessage): boolean => (responsesOn.get(socket)?.length ?? 0) > 1

/** The responses of a new connection. When it closes, Node 20 closes only the response that is being sent; this closes the others. */
function watchConnection(connection: Socket): ServerResponse[] {
  const responses: ServerResponse[] = []
  responsesOn.set(connection, responses)
  connection.once('close', () => {
    for (const res of responses)
      inTurn(() => {
        if (res.destroyed || res.writableFinished) return
        res.destroy()
        res.emit('close')
      })
  })
  return responses
}

/** The last response that is under way on this connection; null for none. */
export function answerUnderWay(socket: Socket): ServerResponse | null {
  const last = responsesOn.get(socket)?.at(-1)
  return last?.writableFinished === false ? last : null
}

/** Makes the response say `Connection: close`, unless its head has been sent. */
export function answerLast(res: ServerResponse): void {
  if (!res.headersSent) res.shouldKeepAlive = false
}
