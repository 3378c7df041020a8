/** Signals for all that can end a query before its result, and waits that a signal ends. */
import { RunnerError } from './errors.js'
import { nextTurn } from './in-turns.js'
import type { Clock } from './ports.js'

/** The reason of a signal whose time is up. */
export const TIMED_OUT = Symbol('timed out')
/** The reason of a signal whose engine was closed. */
export const CLOSED = Symbol('closed')

type DeadlineSignal = { readonly signal: AbortSignal; readonly end: () => void }

/**
 * A signal that fires when one of these does, with its reason, or after this many milliseconds, with TIMED_OUT. After `end` it
 * never fires.
 */
export function deadlineSignal(signals: readonly AbortSignal[], timeoutMs: number, clock: Clock): DeadlineSignal {
  const controller = new AbortController()
  const follow = ({ target }: Event): void => controller.abort((target as AbortSignal).reason)
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason)
    signal.addEventListener('abort', follow)
  }
  const cancelTimer = clock.after(timeoutMs, () => controller.abort(TIMED_OUT))
  return {
    signal: controller.signal,
    end(): void {
      cancelTimer()
      // With the option `signal` of addEventListener, Node would keep the reason of its abort, with its stack and what the frames hold.
      for (const signal of signals) signal.removeEventListener('abort', follow)
    },
  }
}

/** The error of a call that the signal has ended. */
export const abortError = (signal: AbortSignal | undefined): RunnerError =>
  new RunnerError(signal?.reason === TIMED_OUT ? 'QUERY_TIMEOUT' : 'CALL_ABANDONED')

/** See nextTurn. @throws RunnerError where the signal has ended the call. */
export async function nextTurnOf(signal: AbortSignal): Promise<void> {
  await nextTurn()
  if (signal.aborted) throw abortError(signal)
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
