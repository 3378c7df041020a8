/** Single flight: concurrent callers of a key share one run, which is cancelled when the last of them leaves. */
import { RunnerError } from '../model/errors.js'

/** Running queries by key. Each run has its own abort signal, separate from those of its callers. */
export interface SingleFlight<T> {
  /**
   * Joins the run of this key, or starts one; `isFirst` says which.
   * @throws RunnerError CALL_ABANDONED as soon as `signal` fires; whatever the run throws.
   */
  join(
    key: string,
    signal: AbortSignal,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<{ value: T; isFirst: boolean }>
  /** Runs of keys with this prefix continue for their callers, but later callers no longer join them. */
  forget(prefix: string): void
  /** Cancels every run; their callers get what the cancelled runs throw. */
  cancelAll(): void
}

interface Flight<T> {
  readonly promise: Promise<T>
  readonly controller: AbortController
  waiting: number
}

/** An empty set of runs. */
export function createSingleFlight<T>(): SingleFlight<T> {
  /** The runs that can be joined. */
  const flights = new Map<string, Flight<T>>()
  const running = new Set<Flight<T>>()

  function start(key: string, run: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController()
    const promise = run(controller.signal).finally(() => {
      running.delete(flight)
      if (flights.get(key) === flight) flights.delete(key)
    })
    promise.catch(() => {}) // Waiting callers get the rejection; without callers it is ignored.
    const flight: Flight<T> = { promise, controller, waiting: 0 }
    flights.set(key, flight)
    running.add(flight)
    return flight
  }

  function leave(key: string, flight: Flight<T>): void {
    flight.waiting -= 1
    if (flight.waiting > 0) return
    // Later callers must not join a run that is being cancelled.
    if (flights.get(key) === flight) flights.delete(key)
    flight.controller.abort()
  }

  return {
    join(key, signal, run) {
      if (signal.aborted) return Promise.reject(new RunnerError('CALL_ABANDONED'))
      const joined = flights.get(key)
      const flight = joined ?? start(key, run)
      flight.waiting += 1
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          leave(key, flight)
          reject(new RunnerError('CALL_ABANDONED'))
        }
        signal.addEventListener('abort', onAbort, { once: true })
        flight.promise
          .then(value => resolve({ value, isFirst: joined === undefined }), reject)
          .finally(() => signal.removeEventListener('abort', onAbort))
      })
    },
    forget(prefix) {
      for (const key of [...flights.keys()]) if (key.startsWith(prefix)) flights.delete(key)
    },
    cancelAll() {
      flights.clear()
      for (const flight of running) flight.controller.abort()
    },
  }
}
