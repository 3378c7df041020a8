/** Maps whose values are made when they are first asked for. */

/** The part of Map, WeakMap and BoundedMap that is needed. */
interface Made<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

/** The value of the key. A new one is made and set; one that is there is set again, so that a BoundedMap knows of its use. */
export function getOrMake<K, V>(map: Made<K, V>, key: K, make: (key: K) => NoInfer<V>): V {
  const value = map.get(key) ?? make(key)
  map.set(key, value)
  return value
}
