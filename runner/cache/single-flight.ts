/** Single flight: concurrent callers of a key share one run, which is cancelled when the last of them leaves. */
import { RunnerError } from '../model/errors.js'

interface Flight<T> {
  readonly promise: Promise<T>
  readonly controller: AbortController
  waiting: number
}

/** Runs by key. Each run has its own abort signal, separate from those of its callers. */
export class SingleFlight<T> {
  /** The runs that can be joined. */
  readonly #flights = new Map<string, Flight<T>>()
  readonly #running = new Set<Flight<T>>()

  /**
   * Joins the run of this key, or starts one; `isFirst` says which.
   * @throws RunnerError CALL_ABANDONED as soon as `signal` fires; whatever the run throws.
   */
  join(key: string, signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>) {
    if (signal.aborted) return Promise.reject(new RunnerError('CALL_ABANDONED'))
    const joined = this.#flights.get(key)
    const flight = joined ?? this.#start(key, run)
    flight.waiting += 1
    return new Promise<{ value: T; isFirst: boolean }>((resolve, reject) => {
      const onAbort = (): void => {
        this.#leave(key, flight)
        reject(new RunnerError('CALL_ABANDONED'))
      }
      signal.addEventListener('abort', onAbort, { once: true })
      flight.promise
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
    this.#flights.clear()
    for (const flight of this.#running) flight.controller.abort()
  }

  #start(key: string, run: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController()
    const promise = run(controller.signal).finally(() => {
      this.#running.delete(flight)
      this.#forgetFlight(key, flight)
    })
    promise.catch(() => {}) // Waiting callers get the rejection; without callers it is ignored.
    const flight: Flight<T> = { promise, controller, waiting: 0 }
    this.#flights.set(key, flight)
    this.#running.add(flight)
    return flight
  }

  #leave(key: string, flight: Flight<T>): void {
    flight.waiting -= 1
    if (flight.waiting > 0) return
    // Later callers must not join a run that is being cancelled.
    this.#forgetFlight(key, flight)
    flight.controller.abort()
  }

  #forgetFlight(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key)
  }
}
