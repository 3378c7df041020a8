/** The pause before a failed operation is tried again: truncated exponential backoff with jitter. */
export interface Backoff {
  /** The pause after the first failure, in milliseconds; each further failure doubles it. */
  readonly firstMs: number
  readonly longestMs: number
  /**
   * The largest random part, from 0 to 1, that is taken off a pause, so that operations that failed together are not retried
   * together.
   */
  readonly jitter: number
}

/** The pause in milliseconds. `failures` counts from 1; `random` is from 0 to 1. */
export function pauseAfter(failures: number, { firstMs, longestMs, jitter }: Backoff, random: number): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (1 - jitter * random)
}
