/** Bounds the bodies that callers have asked for and not taken: their bytes together, and how long each may wait. */
import type { ServerResponse } from 'node:http'
import { RunnerError, retryLater } from '../model/errors.js'

export interface UnsentLimits {
  /** The most bytes of all bodies together. */
  readonly maxUnsentBytes: number
  /** A connection that takes no byte for this long is closed. */
  readonly writeIdleMs: number
}

/** A response whose body has not been taken whole. */
interface Holding {
  readonly response: ServerResponse
  readonly body: Uint8Array
  readonly token: string
}

/**
 * A body counts once, however many responses send it. It counts until the last of these has ended, since it stays in memory until then.
 * A token with more than half of the bytes makes room for the others: its oldest connections are closed.
 */
export class UnsentBodies {
  readonly #limits: UnsentLimits
  #bytes = 0
  readonly #responses = new Map<Uint8Array, number>()
  /** By token, the oldest first. */
  readonly #holdings = new Map<string, Set<Holding>>()

  constructor(limits: UnsentLimits) {
    this.#limits = limits
  }

  /** See UnsentLimits. */
  get writeIdleMs(): number {
    return this.#limits.writeIdleMs
  }

  /** Whether there is no room for this body now. */
  isFull(body: Uint8Array): boolean {
    return this.#bytes + body.byteLength > this.#limits.maxUnsentBytes && !this.#responses.has(body)
  }

  /** Counts a body that is still being compressed or converted. @throws RunnerError OVERLOADED, CALL_ABANDONED. */
  reserve(response: ServerResponse, body: Uint8Array, token: string): void {
    // A response that has ended would never give the bytes back.
    if (response.destroyed) throw new RunnerError('CALL_ABANDONED')
    while (this.isFull(body)) this.#makeRoomFor(token)
    const holding: Holding = { response, body, token }
    const responses = this.#responses.get(body) ?? 0
    if (responses === 0) this.#bytes += body.byteLength
    this.#responses.set(body, responses + 1)
    this.#holdings.set(token, (this.#holdings.get(token) ?? new Set<Holding>()).add(holding))
    response.once('close', () => this.#release(holding))
  }

  /** To be called for each body before it is sent, or when the connection has not taken all of it. @throws RunnerError OVERLOADED. */
  hold(response: ServerResponse, body: Uint8Array, token: string): void {
    this.reserve(response, body, token)
    // The timeout of a socket starts anew whenever some of its bytes were taken.
    response.setTimeout(this.#limits.writeIdleMs, () => response.destroy())
  }

  /** Closes a connection of the token with the most bytes. @throws RunnerError OVERLOADED where that is `token`, or has at most half. */
  #makeRoomFor(token: string): void {
    const bytesOf = (name: string): number =>
      [...(this.#holdings.get(name) ?? [])].reduce((sum, { body }) => sum + body.byteLength, 0)
    const [largest] = [...this.#holdings.keys()].sort((a, b) => bytesOf(b) - bytesOf(a))
    if (largest === undefined || largest === token || bytesOf(largest) <= this.#limits.maxUnsentBytes / 2) {
      const detail = 'Too many bytes of earlier results wait to be read. Read the open responses, then ask again.'
      throw retryLater('OVERLOADED', detail)
    }
    const [oldest] = this.#holdings.get(largest)!
    this.#release(oldest!)
    oldest!.response.destroy()
  }

  #release(holding: Holding): void {
    const { body, token } = holding
    const holdings = this.#holdings.get(token)
    if (!holdings?.delete(holding)) return // It was closed to make room.
    if (holdings.size === 0) this.#holdings.delete(token)
    const remaining = this.#responses.get(body)! - 1
    if (remaining > 0) this.#responses.set(body, remaining)
    else {
      this.#responses.delete(body)
      this.#bytes -= body.byteLength
    }
  }
}
