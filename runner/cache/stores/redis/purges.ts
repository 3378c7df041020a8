/** Purges are numbered in Redis, so that what was stored by somebody who did not know of one is told from what was not. */
import type { Clock } from '../../../model/ports.js'
import { keyPrefixOf } from '../../../model/result-key.js'
import { StoreError } from '../store-error.js'
import type { RedisLink, Reply } from './link.js'
import type { PurgeNumbers } from './value.js'

/**
 * Not a purge, but when this log was begun. Redis may lose the log, and the purges in it: whoever comes then takes nothing that
 * was stored by those who did not know of the new one.
 */
const BEGINNING = 'log'

/** The last purge of everything has the name ''; of an endpoint, its id with a colon, as its keys begin. */
export interface PurgeLog {
  /**
   * One more, whose number is greater than any before it, also than any that Redis has lost: it is counted from Redis' time.
   * @throws StoreError.
   */
  add(what: string): Promise<number>
  /** What has been purged without this process's knowledge. Begins the log where there is none. @throws StoreError. */
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

  /** Greater than any that this process knows of this name, and than any before it. */
  const first = (what: string): number => Math.ceil(Math.max(clock.nowMs() + link.aheadMs(name), last(what) + 1))

  const of = (key: string): PurgeNumbers => [last(''), last(keyPrefixOf(key)), last(BEGINNING)]

  /** What is no log, since somebody else has written there, is done away with. */
  async function inLog<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (thrown) {
      if (!(thrown instanceof StoreError && thrown.kind === 'WRONGTYPE')) throw thrown
      await link.send(['UNLINK', name])
      return work()
    }
  }

  return {
    note,
    of,
    async add(what) {
      const [, reply] = await inLog(() =>
        Promise.all([link.send(['HSETNX', name, what, String(first(what))]), link.send(['HINCRBY', name, what, '1'])]),
      )
      const number = Number(reply)
      if (!(number > 0)) throw new StoreError('Redis does not count')
      note(what, number)
      return number
    },
    async catchUp() {
      const all = await inLog(() => {
        // A Redis that is full begins no log, but may have one.
        link.send(['HSETNX', name, BEGINNING, String(first(BEGINNING))]).catch(() => {})
        return link.send(['HGETALL', name])
      })
      const news = pairsOf(all).filter(([what, number]) => note(what, number))
      return news.map(([what]) => what).filter(what => what !== BEGINNING)
    },
    learn(key, [ofAll, ofEndpoint, beginning]) {
      note(BEGINNING, beginning)
      const what = keyPrefixOf(key)
      return [...(note('', ofAll) ? [''] : []), ...(note(what, ofEndpoint) ? [what] : [])]
    },
    isPast(key, numbers) {
      const known = of(key)
      return numbers.some((number, i) => number < known[i]!)
    },
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
