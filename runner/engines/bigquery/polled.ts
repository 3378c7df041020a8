/** Values that others change, each asked for at most once in a while, and only when it is needed. */
import { BoundedMap } from '../../model/bounded-map.js'
import type { Clock } from '../../model/ports.js'

/** How long a value that is being asked for again is still used, in milliseconds. */
const GRACE_MS = 1_000
/** When a value is asked for again that could not be asked for, in milliseconds. */
const RETRY_MS = 5_000
const MAX_KEPT = 10_000

interface PolledValue<T> {
  /** Null where it could not be asked for. */
  value: T | null
  /** When it was asked for, by the clock's ticks: the value is not older. */
  askedAt: number
  asking: Promise<T | null> | null
}

type Ask<T> = () => Promise<T>

interface PollDeps {
  readonly clock: Clock
  readonly keepMs: number
  /** `key` cannot be asked for. */
  readonly onFailure: (key: string, cause: unknown) => void
}

/** Values that others change, by key: each is asked for again once it is older than `keepMs`, when it is needed. */
export class Polled<T> {
  readonly #deps: PollDeps
  readonly #values = new BoundedMap<string, PolledValue<T>>(MAX_KEPT)

  constructor(deps: PollDeps) {
    this.#deps = deps
  }

  /** The value, while it is young enough; it is asked for again in good time. */
  current(key: string, ask: Ask<T>): T | null {
    const known = this.#values.get(key)
    const [age, { keepMs }] = [this.#ageOf(known), this.#deps]
    if (age >= keepMs) void this.#askAgain(key, ask)
    return known && age < keepMs + GRACE_MS ? known.value : null
  }

  async learn(key: string, ask: Ask<T>): Promise<T | null> {
    const known = this.#values.get(key)
    return known && this.#ageOf(known) < this.#deps.keepMs ? known.value : this.#askAgain(key, ask)
  }

  #ageOf(known: PolledValue<T> | undefined): number {
    return known ? this.#deps.clock.ticksMs() - known.askedAt : Number.POSITIVE_INFINITY
  }

  #askAgain(key: string, ask: Ask<T>): Promise<T | null> {
    const known = this.#values.get(key) ?? { value: null, askedAt: Number.NEGATIVE_INFINITY, asking: null }
    if (known.asking) return known.asking
    const { clock, keepMs, onFailure } = this.#deps
    const askedAt = clock.ticksMs()
    const asking = ask()
      .catch((cause: unknown): null => {
        onFailure(key, cause)
        return null
      })
      .then(value => {
        const isKnown = value !== null
        this.#values.set(key, {
          value,
          askedAt: isKnown ? askedAt : askedAt - keepMs + Math.min(RETRY_MS, keepMs),
          asking: null,
        })
        return value
      })
    this.#values.set(key, { ...known, asking })
    return asking
  }
}
