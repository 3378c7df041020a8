/** A signal for all that can end a query before its result. */
import type { Clock } from '../../../model/ports.js'

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
  const followers = signals.map(signal => ({ signal, follow: () => controller.abort(signal.reason) }))
  for (const { signal, follow } of followers) {
    if (signal.aborted) follow()
    signal.addEventListener('abort', follow, { once: true })
  }
  const cancelTimer = clock.after(timeoutMs, () => controller.abort(TIMED_OUT))
  return {
    signal: controller.signal,
    end() {
      cancelTimer()
      for (const { signal, follow } of followers) signal.removeEventListener('abort', follow)
    },
  }
}
