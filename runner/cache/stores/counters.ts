/** Counters in the memory of this process. */
import NodeCache from 'node-cache'
import type { CounterStore } from '../../model/ports.js'

/** How often expired counters are removed, in seconds. */
const CHECK_SECONDS = 600

export class MemoryCounters implements CounterStore {
  readonly #counters = new NodeCache({ useClones: false, checkperiod: CHECK_SECONDS })

  add(key: string, amount: number, keepMs: number): number {
    let counter = this.#counters.get<{ count: number }>(key)
    if (!counter) {
      counter = { count: 0 }
      this.#counters.set(key, counter, keepMs / 1000)
    }
    counter.count += amount
    return counter.count
  }

  close(): void {
    this.#counters.close()
  }
}
