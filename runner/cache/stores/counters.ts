/** Counters in the memory of this process. */
import type { Clock, CounterStore } from '../../model/ports.js'

interface Counter {
  count: number
  readonly endsMs: number
}

/** The number of counters above which expired ones are removed. */
const MANY = 1_000

export function openMemoryCounters(clock: Clock): CounterStore {
  const counters = new Map<string, Counter>()

  function forgetEnded(nowMs: number): void {
    for (const [key, { endsMs }] of counters) if (endsMs <= nowMs) counters.delete(key)
  }

  return {
    add(key, amount, keepMs) {
      const nowMs = clock.nowMs()
      let counter = counters.get(key)
      if (!counter || counter.endsMs <= nowMs) {
        if (counters.size >= MANY) forgetEnded(nowMs)
        counter = { count: 0, endsMs: nowMs + keepMs }
        counters.set(key, counter)
      }
      counter.count += amount
      return counter.count
    },
  }
}
