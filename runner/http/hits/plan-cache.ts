/** Caches the plans of a caller's addresses, so that a repeated address costs one look-up. */

import type { ListedFormat } from '../../formats/index.js'
import type { Caller, HeldResult } from '../../model/ports.js'
import type { Plan } from '../../request/plan.js'
import type { EndpointIndex } from '../../request/route.js'

/** Plans in one generation; there are two. */
const MAX_PLANS = 20_000

/** The plan for an address, by caller and `Accept`. */
export interface PlannedAddress {
  readonly cached: NonNullable<Plan['cached']>
  readonly offered: ListedFormat
  /** The part of the address that may be logged. */
  readonly path: string
  /** The value of X-Ignored-Arguments, and its line; '' where no argument was ignored. */
  readonly ignored: string
  readonly ignoredLine: string
  /** The stored result that the last request found. */
  held: HeldResult | null
}

/** Plans by caller, `Accept` and address: at most twice MAX_PLANS, and none older than the endpoints. */
export interface PlanCache {
  find(index: EndpointIndex, caller: Caller, accept: string, address: string): PlannedAddress | undefined
  keep(caller: Caller, accept: string, address: string, planned: PlannedAddress): void
}

/** A full young generation becomes the old one, whose plans are dropped; a plan that is used again moves to the young one. */
interface Generation {
  readonly callers: Map<Caller, Map<string, Map<string, PlannedAddress>>>
  size: number
}

/** An empty cache. */
export function createPlanCache(): PlanCache {
  let young: Generation = { callers: new Map(), size: 0 }
  let old: Generation = { callers: new Map(), size: 0 }
  let known: EndpointIndex | null = null

  function keep(caller: Caller, accept: string, address: string, planned: PlannedAddress): void {
    if (young.size >= MAX_PLANS) {
      old = young
      young = { callers: new Map(), size: 0 }
    }
    const byAccept = getOrAdd(young.callers, caller, () => new Map<string, Map<string, PlannedAddress>>())
    const byAddress = getOrAdd(byAccept, accept, () => new Map<string, PlannedAddress>())
    byAddress.set(address, planned)
    young.size += 1
  }

  return {
    find(index, caller, accept, address) {
      if (index !== known) {
        known = index
        young = { callers: new Map(), size: 0 }
        old = { callers: new Map(), size: 0 }
        return undefined
      }
      const found = young.callers.get(caller)?.get(accept)?.get(address)
      if (found) return found
      const before = old.callers.get(caller)?.get(accept)?.get(address)
      if (before) keep(caller, accept, address, before)
      return before
    },
    keep,
  }
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}
