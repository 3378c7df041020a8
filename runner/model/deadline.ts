/** Signals for all that can end a query before its result, and waits that a signal ends. */
import type { Clock } from './ports.js'

/** The reason of a signal whose time is up. */
export const TIMED_OUT = Symbol('timed out')
/** The reason of a signal whose engine was closed. */
export const CLOSED = Symbol('closed')

export interface DeadlineSignal {
  readonly signal: AbortSignal
  /** The signal does not fire from now on. */
  readonly end: () => void
}

/** A signal that fires when one of these does, with its reason; or after this many milliseconds, with TIMED_OUT. */
export function deadlineSignal(signals: readonly AbortSignal[], timeoutMs: number, clock: Clock): DeadlineSignal {
  const controller = new AbortController()
  const ended = new AbortController()
  for (const signal of signals) {
    const follow = (): void => controller.abort(signal.reason)
    if (signal.aborted) follow()
    signal.addEventListener('abort', follow, { once: true, signal: ended.signal })
  }
  const cancelTimer = clock.after(timeoutMs, () => controller.abort(TIMED_OUT))
  return {
    signal: controller.signal,
    end() {
      cancelTimer()
      ended.abort()
    },
  }
}

/** Waits for the work, but rejects with the signal's reason as soon as it fires; the work itself goes on. */
export function raced<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Resolves after this many milliseconds. @throws the signal's reason as soon as it fires. */
export function pause(ms: number, signal: AbortSignal, clock: Clock): Promise<void> {
  return raced(new Promise(resolve => void clock.after(ms, resolve)), signal)
}
