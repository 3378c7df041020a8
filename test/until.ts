/** Waiting in tests: for what will be so, as soon as it is, and with a bound that only a fault reaches. */

/** Fifty times what the slowest takes on a quiet machine. */
const PATIENCE_MS = 100_000

export const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** Returns once `holds`; one that throws does not hold. `what` completes «never: ». */
export async function until(holds: () => Promise<boolean> | boolean, what: string, everyMs = 10): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  let reason: unknown
  do {
    try {
      if (await holds()) return
      reason = undefined
    } catch (thrown) {
      reason = thrown
    }
    await pause(everyMs)
  } while (performance.now() < end)
  throw new TypeError(`never: ${what}`, { cause: reason })
}
