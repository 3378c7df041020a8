/** Single flight: concurrent callers of a key share one run, which is cancelled when the last of them leaves. */
import { RunnerError } from '../model/errors.js'
import { turnOfWaiter } from '../model/in-turns.js'
import { type SharedRun, Waiters } from '../model/waiters.js'

interface Flight<T> {
  readonly promise: Promise<T>
  readonly cancel: () => void
  readonly waiters: Waiters
  waiting: number
}

/** Runs by key. Each run has its own abort signal, separate from those of its callers. */
export class SingleFlight<T> {
  /** The runs that can be joined. */
  readonly #flights = new Map<string, Flight<T>>()
  readonly #running = new Set<Flight<T>>()

  /**
   * Joins the run of this key for a call of this token, or starts one; `isFirst` says which.
   * @throws RunnerError CALL_ABANDONED as soon as `signal` fires; whatever the run throws.
   */
  join(key: string, token: string, signal: AbortSignal, run: (shared: SharedRun) => Promise<T>) {
    if (signal.aborted) return Promise.reject(new RunnerError('CALL_ABANDONED'))
    const joined = this.#flights.get(key)
    const flight = joined ?? this.#start(key, run)
    flight.waiting += 1
    flight.waiters.join(token)
    return new Promise<{ value: T; isFirst: boolean }>((resolve, reject) => {
      const onAbort = (): void => {
        flight.waiting -= 1
        if (flight.waiting === 0) flight.cancel()
        reject(new RunnerError('CALL_ABANDONED'))
      }
      signal.addEventListener('abort', onAbort, { once: true })
      // Waiters get a value one after the other, but a failure at once: they may then share another run.
      const outcome = joined ? joined.promise.then(value => turnOfWaiter().then(() => value)) : flight.promise
      outcome
        .then(value => resolve({ value, isFirst: joined === undefined }), reject)
        .finally(() => signal.removeEventListener('abort', onAbort))
    })
  }

  /** Runs of keys with this prefix continue for their callers, but later callers no longer join them. */
  forget(prefix: string): void {
    for (const key of [...this.#flights.keys()]) if (key.startsWith(prefix)) this.#flights.delete(key)
  }

  /** Cancels every run; their callers get what the cancelled runs throw. */
  cancelAll(): void {
    for (const flight of this.#running) flight.cancel()
  }

  #start(key: string, run: (shared: SharedRun) => Promise<T>): Flight<T> {
    const waiters = new Waiters()
    const controller = new AbortController()
    const forget = (): void => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    }
    const cancel = (): void => {
      forget() // Later callers must not join a run that is being cancelled.
      controller.abort()
    }
    const promise = run({ signal: controller.signal, waiters }).finally(() => {
      this.#running.delete(flight)
      forget()
    })
    promise.catch(() => {}) // Waiting callers get the rejection; without callers it is ignored.
    const flight: Flight<T> = { promise, cancel, waiters, waiting: 0 }
    this.#flights.set(key, flight)
    this.#running.add(flight)
    return flight
  }
}
