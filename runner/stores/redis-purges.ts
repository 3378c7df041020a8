/** Purges are numbered in Redis, so that what was stored by somebody who did not know of one is told from what was not. */
import type { Clock } from '../model/ports.js'
import { keyPrefixOf } from '../model/result-key.js'
import type { RedisLink, Reply } from './redis-link.js'
import type { PurgeNumbers } from './redis-value.js'
import { StoreError } from './store-error.js'

/** The last purge of everything has the name ''; of an endpoint, its id with a colon, as its keys begin. */
export interface PurgeLog {
  /**
   * One more, whose number is greater than any before it, also than any that Redis has lost: it is counted from Redis' time.
   * @throws StoreError.
   */
  add(what: string): Promise<number>
  /** What has been purged without this process's knowledge. @throws StoreError. */
  catchUp(): Promise<readonly string[]>
  /** Somebody has told of this one. False when it was known. */
  note(what: string, number: number): boolean
  /** The same of what somebody knew of who stored this key: what has been purged without this process's knowledge. */
  learn(key: string, numbers: PurgeNumbers): readonly string[]
  /** The last ones that this process knows of and that are about this key. */
  of(key: string): PurgeNumbers
  /** Whoever stored this key, knowing of these, did not know of a later one. */
  isPast(key: string, numbers: PurgeNumbers): boolean
}

export function openPurgeLog(link: RedisLink, name: string, clock: Clock): PurgeLog {
  const known = new Map<string, number>()
  const last = (what: string): number => known.get(what) ?? 0

  function note(what: string, number: number): boolean {
    const isNews = number > last(what)
    if (isNews) known.set(what, number)
    return isNews
  }

  return {
    note,
    async add(what) {
      const first = Math.ceil(Math.max(clock.nowMs() + link.aheadMs(name), last(what)))
      const [, reply] = await Promise.all([
        link.send(['HSETNX', name, what, String(first)]),
        link.send(['HINCRBY', name, what, '1']),
      ])
      const number = Number(reply)
      if (!(number > 0)) throw new StoreError('Redis does not count')
      note(what, number)
      return number
    },
    async catchUp() {
      const all = pairsOf(await link.send(['HGETALL', name]))
      return all.filter(([what, number]) => note(what, number)).map(([what]) => what)
    },
    learn(key, [ofAll, ofEndpoint]) {
      const what = keyPrefixOf(key)
      return [...(note('', ofAll) ? [''] : []), ...(note(what, ofEndpoint) ? [what] : [])]
    },
    of: key => [last(''), last(keyPrefixOf(key))],
    isPast: (key, [ofAll, ofEndpoint]) => ofAll < last('') || ofEndpoint < last(keyPrefixOf(key)),
  }
}

/** A hash as RESP 3 (a map) or RESP 2 (a list) gives it. */
function pairsOf(reply: Reply): readonly (readonly [string, number])[] {
  if (Array.isArray(reply)) {
    return reply.flatMap((name, i) => (i % 2 === 0 ? [[String(name), Number(reply[i + 1])] as const] : []))
  }
  if (typeof reply !== 'object' || reply === null) return []
  return Object.entries(reply).map(([name, value]) => [name, Number(value)] as const)
}
