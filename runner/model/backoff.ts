/** How long to wait before what failed is tried again: exponential, truncated, with jitter. */
export interface Backoff {
  /** After the first failure; twice as long after each more. */
  readonly firstMs: number
  readonly longestMs: number
  /** The part of a pause, from 0 to 1, that chance may take off: what failed together is not tried again together. */
  readonly jitter: number
}

/** In milliseconds. `failures` counts from 1, `random` is from 0 to 1. */
export function pauseAfter(failures: number, { firstMs, longestMs, jitter }: Backoff, random: number): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (1 - jitter * random)
}
