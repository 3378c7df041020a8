/** What depends on the caller and on the endpoints that are loaded, and on nothing else. */
import { BoundedMap, memo } from '../model/bounded-map.js'
import type { Caller } from '../model/ports.js'
import type { EndpointIndex } from './route.js'

/** The most callers for whom it is kept. */
const MAX_CALLERS = 100

/** The same function; what it has made is kept until the next load. */
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
