/** The endpoints as they are now. A reload swaps all of them or none. */
import type { Endpoint } from '../model/endpoint.js'
import type { Loaded } from './load.js'

export interface LiveEndpoints {
  /** Never changes in place: a request that holds it keeps a consistent set. */
  current(): readonly Endpoint[]
  /**
   * Takes over what was loaded when it has no error, and says whether it did. `force` takes the sound endpoints of a load
   * with errors: for the first load, where there is nothing better to keep.
   */
  swap(loaded: Pick<Loaded, 'endpoints' | 'diagnostics'>, options?: { readonly force?: boolean }): boolean
}

/** Holds these endpoints until the first swap. */
export function liveEndpoints(initial: readonly Endpoint[] = []): LiveEndpoints {
  let current = Object.freeze([...initial])
  return {
    current: () => current,
    swap: ({ endpoints, diagnostics }, { force = false } = {}) => {
      if (!force && diagnostics.some(({ severity }) => severity === 'error')) return false
      current = Object.freeze([...endpoints])
      return true
    },
  }
}
