/** Pairs the items of two sides. */

/** Maps old items to new items with the same key. Each of `keys` is tried in turn; no item is in two pairs. */
export function pairBy<T>(
  base: readonly T[],
  head: readonly T[],
  keys: readonly ((item: T) => string)[],
): ReadonlyMap<T, T> {
  const pairs = new Map<T, T>()
  for (const keyOf of keys) {
    const paired = new Set(pairs.values())
    const unpaired = new Map<string, T[]>()
    for (const item of head.filter(other => !paired.has(other))) {
      unpaired.set(keyOf(item), [...(unpaired.get(keyOf(item)) ?? []), item])
    }
    for (const item of base) {
      const other = pairs.has(item) ? undefined : unpaired.get(keyOf(item))?.shift()
      if (other !== undefined) pairs.set(item, other)
    }
  }
  return pairs
}
