/** Keeps what was computed last, up to a number of entries; the one that was not asked for longest goes first. */

export interface RecentCache<T> {
  readonly get: (key: string, compute: () => T) => T
}

/** A `compute` that throws leaves nothing behind. */
export function recentCache<T>(maxEntries: number): RecentCache<T> {
  const entries = new Map<string, T>()
  return {
    get: (key, compute) => {
      const known = entries.get(key)
      const value = known ?? compute()
      // A Map keeps the order of insertion.
      if (known !== undefined) entries.delete(key)
      entries.set(key, value)
      if (entries.size > maxEntries) entries.delete(entries.keys().next().value!)
      return value
    },
  }
}
