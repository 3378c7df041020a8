/** Counters in Redis, shared by replicas. */
import type { CounterStore } from '../../../model/ports.js'
import { StoreError } from './failure.js'
import type { RedisLink } from './link.js'

const ADD =
  "local n = redis.call('INCRBY', KEYS[1], ARGV[1]) " +
  "if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return n"

/** The counters; amounts are integers. `add` rejects with a StoreError while Redis fails. */
export class RedisCounters implements CounterStore {
  readonly #link: RedisLink
  readonly #prefix: string

  constructor(link: RedisLink, prefix: string) {
    this.#link = link
    this.#prefix = prefix
  }

  async add(key: string, amount: number, keepMs: number): Promise<number> {
    const [name, added, expiry] = [`${this.#prefix}n:{${key}}`, Math.round(amount), Math.ceil(keepMs)]
    const total = Number(await this.#link.send(['EVAL', ADD, '1', name, String(added), String(expiry)]))
    if (!Number.isFinite(total)) throw new StoreError('Redis does not count')
    return total
  }
}
