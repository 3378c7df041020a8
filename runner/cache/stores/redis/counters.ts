/** Counters in Redis, shared by replicas. */
import type { CounterStore } from '../../../model/ports.js'
import { StoreError } from '../store-error.js'
import type { RedisLink } from './link.js'

const ADD =
  "local n = redis.call('INCRBY', KEYS[1], ARGV[1]) " +
  "if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return n"

/** Opens the counters; amounts are integers. `add` rejects with a StoreError while Redis fails. */
export function openRedisCounters(link: RedisLink, prefix: string): CounterStore {
  return {
    async add(key, amount, keepMs) {
      const reply = await link.send([
        'EVAL',
        ADD,
        '1',
        `${prefix}n:{${key}}`,
        String(Math.round(amount)),
        String(Math.ceil(keepMs)),
      ])
      const total = Number(reply)
      if (!Number.isFinite(total)) throw new StoreError('Redis does not count')
      return total
    },
  }
}
