/** Bounds the exports that run in this process. They take no places of queries. */
import { retryLater } from '../model/errors.js'

/** An export takes a while. */
const RETRY_AFTER_MS = 10_000

export class ExportPlaces {
  readonly #most: number
  readonly #tokens = new Set<string>()

  constructor(most: number) {
    this.#most = most
  }

  /**
   * Takes a place for an export of the token that has this name; returns the function to call at its end.
   * @throws RunnerError RATE_LIMITED while the token has a place, OVERLOADED while all places are taken.
   */
  take(token: string): () => void {
    if (this.#tokens.has(token)) {
      const detail = 'An export of the token is running, and it may have one at a time; ask again when it has ended.'
      throw retryLater('RATE_LIMITED', detail, RETRY_AFTER_MS)
    }
    if (this.#tokens.size >= this.#most) {
      throw retryLater('OVERLOADED', 'As many exports run as may at once; ask again later.', RETRY_AFTER_MS)
    }
    this.#tokens.add(token)
    return () => void this.#tokens.delete(token)
  }
}
