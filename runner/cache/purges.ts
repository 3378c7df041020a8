/** Counts purges: a result whose query began before a purge must not be stored after it. */
import { purgePrefixesOf } from '../model/result-key.js'

export interface Purges {
  /** Notes a purge of all keys with this prefix: one of `purgePrefixesOf`. */
  note(prefix: string): void
  /** A number that changes with each purge of this key. */
  countOf(key: string): number
}

/** The most prefixes that are counted separately. With more, all count as purged, which costs one query for each. */
const MAX_PREFIXES = 10_000

export function createPurges(): Purges {
  const counts = new Map<string, number>()
  let ofAll = 0
  return {
    note(prefix) {
      if (prefix === '' || counts.size >= MAX_PREFIXES) {
        ofAll += 1
        counts.clear()
      } else counts.set(prefix, (counts.get(prefix) ?? 0) + 1)
    },
    // Counts per prefix are dropped only when the count of all rises, which outweighs them.
    countOf(key) {
      const prefixes = new Set(purgePrefixesOf(key))
      return [...prefixes].reduce((sum, prefix) => sum + (counts.get(prefix) ?? 0), ofAll * PURGES_AT_MOST)
    },
  }
}

/** More purges of one endpoint than can happen between two purges of all. */
const PURGES_AT_MOST = 1_000_000_000
