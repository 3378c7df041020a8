/** Work with a time limit. */
import type { Clock } from './ports.js'

/** The outcome of the work; `late()` is thrown when it takes longer than `ms` milliseconds. The work itself goes on. */
export function within<T>(ms: number, work: Promise<T>, clock: Clock, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    // If this process itself was held up, the outcome may have arrived already: it is read first.
    const cancel = clock.after(ms, () => setImmediate(() => reject(late())))
    work.then(resolve, reject).finally(cancel)
  })
}
