/** Waits in tests until a condition holds, with a time limit that only a defect reaches. */

/** Fifty times the longest wait on a machine without other load. */
const PATIENCE_MS = 100_000

export const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** Resolves once `holds` returns true; a call that throws counts as false. `what` completes the message «never: ». */
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
