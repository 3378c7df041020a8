/** An abort signal with a timeout. */
import type { Clock } from '../../../model/ports.js'
import { TIMED_OUT } from '../runner-error.js'

/**
 * Fires when the caller's does, or when the time is up; then its reason is TIMED_OUT. `cancelTimer` ends the watch on both.
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
