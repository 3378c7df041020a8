/** Values that are made once for each key. */

/**
 * A Map of at most `maxEntries`. A full map drops the entry that was set longest ago. If each use sets its entry again, the map
 * drops the least recently used entry.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #maxEntries: number

  constructor(maxEntries: number) {
    super()
    this.#maxEntries = maxEntries
  }

  override set(key: K, value: V): this {
    // A Map keeps the order of insertion.
    this.delete(key)
    super.set(key, value)
    if (this.size > this.#maxEntries) this.delete(this.keys().next().value as K)
    return this
  }
}

/** The value of the key, made if the map has none. A value that exists is set again, so that a BoundedMap counts the use. */
export function memo<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: (key: K) => NoInfer<V>,
): V {
  const kept = map.get(key)
  const value = kept === undefined ? make(key) : kept
  map.set(key, value)
  return value
}
