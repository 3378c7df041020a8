/** A result cache over a store, and calls through it. */
import { ResultCache } from '../../../../runner/cache/result-cache.js'
import type { ResultStore } from '../../../../runner/model/ports.js'
import { systemClock } from '../../../../runner/platform/clock.js'
import { POLICY, set, UNBOUNDED } from '../../cache-bench.js'

interface Call {
  readonly outcome: string
  readonly body: string
}

/** A function that calls through a result cache over this store; each key has rows of its own. */
export function callsThrough(store: ResultStore): { call(key: string): Promise<Call> } {
  const cache = new ResultCache({ store, clock: systemClock(), observe: () => {}, random: Math.random })
  return {
    async call(key) {
      const run = async () => set(`rows of ${key}`)
      const request = {
        key,
        endpoint: 'e',
        policy: POLICY,
        timeoutMs: 30_000,
        ...UNBOUNDED,
        run,
        isCurrent: () => true,
      } as const
      const { outcome, result } = await cache.through(request, new AbortController().signal)
      return { outcome, body: Buffer.from(result.body).toString() }
    },
  }
}
