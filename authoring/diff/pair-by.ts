/** Pairs the items of two sides. */

/** Each old item with the new one of the same key, by the first of these keys that gives one; no item is in two pairs. */
export function pairBy<T>(
  base: readonly T[],
  head: readonly T[],
  keys: readonly ((item: T) => string)[],
): ReadonlyMap<T, T> {
  const pairs = new Map<T, T>()
  for (const keyOf of keys) {
    const taken = new Set(pairs.values())
    const left = new Map<string, T[]>()
    for (const item of head.filter(other => !taken.has(other))) {
      left.set(keyOf(item), [...(left.get(keyOf(item)) ?? []), item])
    }
    for (const item of base) {
      const other = pairs.has(item) ? undefined : left.get(keyOf(item))?.shift()
      if (other !== undefined) pairs.set(item, other)
    }
  }
  return pairs
}
