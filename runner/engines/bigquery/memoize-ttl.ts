/** Asks once for all who want to know at about the same time. */
import type { Clock } from '../../model/ports.js'

/** Asks at most once at a time, and its answer, a failure too, is everybody's for so many milliseconds after it. */
export function remembering<T>(keptMs: number, clock: Clock, ask: () => Promise<T>): () => Promise<T> {
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
