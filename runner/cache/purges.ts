/** How often what was purged: a result whose query began before a purge must not be stored after it. */
import { keyPrefixOf } from '../model/result-key.js'

export interface Purges {
  /** Everything whose key begins so: an endpoint's part with its colon, or '' for all. */
  note(prefix: string): void
  /** Another number after each purge that concerns this key. */
  countOf(key: string): number
}

/** More endpoints than this are purged all at once: that costs a query for each, no more. */
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
    // Counts of one endpoint are forgotten only with a count of all, which is worth more than they ever were.
    countOf: key => ofAll * PURGES_AT_MOST + (counts.get(keyPrefixOf(key)) ?? 0),
  }
}

/** Of one endpoint between two purges of all. */
const PURGES_AT_MOST = 1_000_000_000
