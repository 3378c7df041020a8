/** An abort signal with a timeout. */
import type { Clock } from '../../../model/ports.js'
import { TIMED_OUT } from '../runner-error.js'

/**
 * A signal that fires when the caller's signal fires, or with the reason TIMED_OUT when the time is up. `cancelTimer` stops the
 * timer and the listening to the caller's signal.
 */
export function boundedSignal(
  { signal, timeoutMs }: { readonly signal?: AbortSignal; readonly timeoutMs: number },
  clock: Clock,
): { readonly signal: AbortSignal; readonly cancelTimer: () => void } {
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  const stopClock = clock.after(timeoutMs, () => controller.abort(TIMED_OUT))
  return {
    signal: controller.signal,
    cancelTimer() {
      stopClock()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}
