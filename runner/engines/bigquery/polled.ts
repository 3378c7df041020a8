/** Keeps values that another system may change, and asks for each again only when it is old and needed. */
import { BoundedMap } from '../../model/bounded-map.js'
import type { Clock } from '../../model/ports.js'

/** How long an old value is still used while it is asked for again, in milliseconds. */
const GRACE_MS = 1_000
/** After a failure, a value is asked for again after this time, in milliseconds. */
const RETRY_MS = 5_000
const MAX_KEPT = 10_000

interface PolledValue<T> {
  /** Null where asking for it has failed. */
  value: T | null
  /** When it was asked for, in the clock's ticks: the value is not older than that. After a failure, an earlier time (see RETRY_MS). */
  askedAt: number
  request: Promise<T | null> | null
}

type Ask<T> = () => Promise<T>

interface PollDeps {
  readonly clock: Clock
  readonly keepMs: number
  /** Called when asking for a value has failed. */
  readonly onFailure: (key: string, cause: unknown) => void
}

/** The values by key. A value that is older than `keepMs` is asked for again when it is needed. */
export class PolledValues<T> {
  readonly #deps: PollDeps
  readonly #values = new BoundedMap<string, PolledValue<T>>(MAX_KEPT)

  constructor(deps: PollDeps) {
    this.#deps = deps
  }

  /** The value that is known now; null where it is unknown or too old. Asks again, without waiting, where it is older than `keepMs`. */
  current(key: string, ask: Ask<T>): T | null {
    const entry = this.#values.get(key)
    const [age, { keepMs }] = [this.#ageOf(entry), this.#deps]
    if (age >= keepMs) void this.#askAgain(key, ask)
    return entry && age < keepMs + GRACE_MS ? entry.value : null
  }

  /** The value, not older than `keepMs`: waits for it where it must be asked for. Null where that fails. */
  async learn(key: string, ask: Ask<T>): Promise<T | null> {
    const entry = this.#values.get(key)
    return entry && this.#ageOf(entry) < this.#deps.keepMs ? entry.value : this.#askAgain(key, ask)
  }

  #ageOf(entry: PolledValue<T> | undefined): number {
    return entry ? this.#deps.clock.ticksMs() - entry.askedAt : Number.POSITIVE_INFINITY
  }

  #askAgain(key: string, ask: Ask<T>): Promise<T | null> {
    const entry = this.#values.get(key) ?? { value: null, askedAt: Number.NEGATIVE_INFINITY, request: null }
    if (entry.request) return entry.request
    const { clock, keepMs, onFailure } = this.#deps
    const askedAt = clock.ticksMs()
    const request = ask()
      .catch((cause: unknown): null => {
        onFailure(key, cause)
        return null
      })
      .then(value => {
        const isKnown = value !== null
        this.#values.set(key, {
          value,
          // A failure may have taken longer than the time until the next attempt.
          askedAt: isKnown ? askedAt : clock.ticksMs() - keepMs + Math.min(RETRY_MS, keepMs),
          request: null,
        })
        return value
      })
    this.#values.set(key, { ...entry, request })
    return request
  }
}
