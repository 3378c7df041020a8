/** One answer for all calls within a time. */
import type { Clock } from '../../model/ports.js'

/** A single flight, whose outcome, a failure too, is the outcome of every call in the milliseconds after it. */
export function memoizeTtl<T>(keptMs: number, clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null
  let goodUntilMs = 0
  return () => {
    if (answer !== null && clock.ticksMs() < goodUntilMs) return answer
    const asked = ask()
    answer = asked
    goodUntilMs = Infinity
    const keep = (): void => {
      goodUntilMs = clock.ticksMs() + keptMs
    }
    asked.then(keep, keep)
    return asked
  }
}
