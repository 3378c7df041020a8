/**
 * Bounds the requests that one connection begins in one turn of the event loop. node:http begins all requests that arrive
 * together, thousands in 64 kB, before any other connection has its turn.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** More than clients send ahead that pipeline at all. */
export const MOST_IN_A_TURN = 16

export class PipelineLimit {
  /** How many requests each connection has begun in this turn. */
  readonly #begun = new Map<Socket, number>()
  readonly #endTurn = (): void => this.#begun.clear()

  /** To be called once with each request. False where its connection has begun too many in this turn. */
  admits({ socket }: IncomingMessage): boolean {
    if (this.#begun.size === 0) setImmediate(this.#endTurn)
    const count = (this.#begun.get(socket) ?? 0) + 1
    this.#begun.set(socket, count)
    return count <= MOST_IN_A_TURN
  }
}

/**
 * Drops a request, and ends its connection. @returns whether the connection was open: node:http still begins the requests
 * that it has read.
 */
export function dropRequest(req: IncomingMessage): boolean {
  const wasOpen = !req.socket.destroyed
  // Each of them: node:http destroys those that are left with an error, whose stack takes twice as long as reading the request.
  req.destroy()
  return wasOpen
}
