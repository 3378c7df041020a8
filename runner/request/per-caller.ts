/** Keeps values that depend only on the caller and on the endpoints that are loaded. */
import { BoundedMap, memo } from '../model/bounded-map.js'
import type { Caller } from '../model/ports.js'
import type { EndpointIndex } from './route.js'

/** The most callers whose values are kept. */
const MAX_CALLERS = 100

/** A function like `make` that keeps each caller's value until the next load. */
export function perCaller<T>(
  make: (index: EndpointIndex, caller: Caller) => T,
): (index: EndpointIndex, caller: Caller) => T {
  const kept = new BoundedMap<Caller, T>(MAX_CALLERS)
  let current: EndpointIndex | null = null
  return (index, caller) => {
    if (index !== current) kept.clear()
    current = index
    return memo(kept, caller, () => make(index, caller))
  }
}
