/** How long to wait before a refresh that failed is tried again. */

/** After the first failure, in milliseconds; twice as long after each more. */
const FIRST_PAUSE_MS = 5_000

/** At most `mostMs`, and by chance up to a tenth less. `failures` counts from 1. */
export function retryPauseMs(failures: number, mostMs: number, random: () => number): number {
  const pause = Math.min(mostMs, FIRST_PAUSE_MS * 2 ** Math.min(20, failures - 1))
  return Math.ceil(pause * (1 - 0.1 * random()))
}
