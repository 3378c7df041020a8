/**
 * Each purge gets an increasing number in Redis, and each stored result carries the number its writer knew: results written
 * before a purge are recognised.
 */
import type { Clock } from '../../../model/ports.js'
import { purgePrefixesOf } from '../../../model/result-key.js'
import { StoreError } from '../store-error.js'
import type { RedisLink, Reply } from './link.js'
import type { PurgeNumbers } from './schemas.js'

/**
 * The field with the time when this log was begun. Redis may lose the log with its purges; results whose writer did not know
 * the new log are then not used.
 */
const BEGINNING = 'log'
/** Numbers begin with the time of the first purge and count purges: a number beyond the next day's cannot be right. */
const MAX_AHEAD_MS = 86_400_000

/** The log of purges, by prefix of keys: those of `purgePrefixesOf`. */
export interface PurgeLog {
  /**
   * Adds a purge. Its number is greater than any before it, even of a lost log, since it starts from Redis' time.
   * @throws StoreError.
   */
  add(prefix: string): Promise<number>
  /** The purges that this process has missed. Creates the log where it is missing. @throws StoreError. */
  catchUp(): Promise<readonly string[]>
  /** Whether a purge can have this number. */
  isPossible(number: number): boolean
  /** Notes a purge that another process announced; false when it was known, or its number is impossible. */
  note(prefix: string, number: number): boolean
  /** Compares the numbers that a result was stored with; returns the purges that this process has missed. */
  learn(key: string, numbers: PurgeNumbers): readonly string[]
  /** The latest purge numbers that concern this key, as far as this process knows. */
  of(key: string): PurgeNumbers
  /** Whether a result stored with these numbers was written before a later purge. */
  isPast(key: string, numbers: PurgeNumbers): boolean
}

export function openPurgeLog(link: RedisLink, name: string, clock: Clock): PurgeLog {
  const known = new Map<string, number>()
  const last = (prefix: string): number => known.get(prefix) ?? 0

  const isPossible = (number: number): boolean =>
    Number.isSafeInteger(number) && number <= clock.nowMs() + link.aheadMs(name) + MAX_AHEAD_MS

  function note(prefix: string, number: number): boolean {
    const isNews = number > last(prefix) && isPossible(number)
    if (isNews) known.set(prefix, number)
    return isNews
  }

  /** A number above every number that this process knows for this prefix. */
  const first = (prefix: string): number => Math.ceil(Math.max(clock.nowMs() + link.aheadMs(name), last(prefix) + 1))

  const fieldsOf = (key: string): readonly string[] => [BEGINNING, ...purgePrefixesOf(key)]
  const of = (key: string): PurgeNumbers => fieldsOf(key).map(last)

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
    isPossible,
    note,
    of,
    async add(prefix) {
      const [, reply] = await inLog(() =>
        Promise.all([
          link.send(['HSETNX', name, prefix, String(first(prefix))]),
          link.send(['HINCRBY', name, prefix, '1']),
        ]),
      )
      const number = Number(reply)
      if (!(number > 0)) throw new StoreError('Redis does not count')
      note(prefix, number)
      return number
    },
    async catchUp() {
      const all = await inLog(() => {
        // A full Redis refuses a new log, but may have an old one.
        link.send(['HSETNX', name, BEGINNING, String(first(BEGINNING))]).catch(() => {})
        return link.send(['HGETALL', name])
      })
      const news = pairsOf(all).filter(([prefix, number]) => note(prefix, number))
      return news.map(([prefix]) => prefix).filter(prefix => prefix !== BEGINNING)
    },
    learn(key, numbers) {
      const news = fieldsOf(key).filter((field, i) => note(field, numbers[i] ?? 0))
      return news.filter(field => field !== BEGINNING)
    },
    isPast(key, numbers) {
      return of(key).some((number, i) => (numbers[i] ?? 0) < number)
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
