/**
 * Bounds the requests that one connection begins in one turn of the event loop. node:http begins all requests that arrive
 * together, thousands in 64 kB, before any other connection has its turn.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** More than clients send ahead that pipeline at all. */
export const MOST_IN_A_TURN = 16

/** Where a socket carries its count: a WeakMap would have to be written to with every request. */
const COUNT = Symbol('requests of this turn')

interface Counted extends Socket {
  [COUNT]?: { turn: number; begun: number }
}

export class PipelineLimit {
  #turn = 0
  #isInTurn = false

  readonly #endTurn = (): void => {
    this.#turn += 1
    this.#isInTurn = false
  }

  /** To be called once with each request. False where its connection has begun too many in this turn. */
  admits({ socket }: IncomingMessage): boolean {
    if (!this.#isInTurn) {
      this.#isInTurn = true
      setImmediate(this.#endTurn)
    }
    const counted: Counted = socket
    counted[COUNT] ??= { turn: this.#turn, begun: 0 }
    const count = counted[COUNT]
    if (count.turn !== this.#turn) {
      count.turn = this.#turn
      count.begun = 0
    }
    count.begun += 1
    return count.begun <= MOST_IN_A_TURN
  }
}

/**
 * Drops a request, and ends its connection. @returns whether the connection was open: node:http still begins the requests
 * that it has read.
 */
export function dropRequest(req: IncomingMessage): boolean {
  // When the connection closes, node:http destroys each of its requests with an error; most of the time would go into these.
  req.destroy = () => req
  if (req.socket.destroyed) return false
  req.socket.destroy()
  return true
}
