/**
 * Each purge gets an increasing number in Redis, and each stored result carries the number its writer knew: results written
 * before a purge are recognised.
 */
import type { Clock } from '../../../model/ports.js'
import { keyPrefixOf } from '../../../model/result-key.js'
import { StoreError } from '../store-error.js'
import type { RedisLink, Reply } from './link.js'
import type { PurgeNumbers } from './value.js'

/**
 * The field with the time when this log was begun. Redis may lose the log with its purges; results whose writer did not know
 * the new log are then not used.
 */
const BEGINNING = 'log'

/**
 * The log of purges. A purge of everything has the name ''; a purge of an endpoint has its id with a colon, the prefix of its
 * keys.
 */
export interface PurgeLog {
  /**
   * Adds a purge. Its number is greater than any before it, even of a lost log, since it starts from Redis' time.
   * @throws StoreError.
   */
  add(what: string): Promise<number>
  /** The purges that this process has missed. Creates the log where it is missing. @throws StoreError. */
  catchUp(): Promise<readonly string[]>
  /** Notes a purge that another process announced; false when it was known. */
  note(what: string, number: number): boolean
  /** Compares the numbers that a result was stored with; returns the purges that this process has missed. */
  learn(key: string, numbers: PurgeNumbers): readonly string[]
  /** The latest purge numbers that concern this key, as far as this process knows. */
  of(key: string): PurgeNumbers
  /** Whether a result stored with these numbers was written before a later purge. */
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

  /** A number above every number that this process knows for this name. */
  const first = (what: string): number => Math.ceil(Math.max(clock.nowMs() + link.aheadMs(name), last(what) + 1))

  const of = (key: string): PurgeNumbers => [last(''), last(keyPrefixOf(key)), last(BEGINNING)]

  /** Runs `work`; a key of another type, which another program has written, is deleted first. */
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
        // A full Redis refuses a new log, but may have an old one.
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

/** The entries of a hash, which RESP 3 returns as a map and RESP 2 as a list. */
function pairsOf(reply: Reply): readonly (readonly [string, number])[] {
  if (Array.isArray(reply)) {
    return reply.flatMap((name, i) => (i % 2 === 0 ? [[String(name), Number(reply[i + 1])] as const] : []))
  }
  if (typeof reply !== 'object' || reply === null) return []
  return Object.entries(reply).map(([name, value]) => [name, Number(value)] as const)
}
