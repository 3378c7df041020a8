/** Finds the endpoint that an address names. */
import type { Endpoint } from '../model/endpoint.js'
import { RunnerError } from '../model/errors.js'

/** The endpoints of one load, by name and by id. */
export interface EndpointIndex {
  /** All endpoints, sorted by name. */
  readonly all: readonly Endpoint[]
  /** Finds an endpoint by name, or by id in upper or lower case. */
  find(ref: string): Endpoint | undefined
}

/** An index over these endpoints; neither names nor ids may repeat. */
export function indexEndpoints(endpoints: readonly Endpoint[]): EndpointIndex {
  const byName = new Map(endpoints.map(endpoint => [endpoint.name, endpoint]))
  const byId = new Map(endpoints.map(endpoint => [endpoint.id.toLowerCase(), endpoint]))
  const all = [...endpoints].sort((a, b) => (a.name < b.name ? -1 : 1))
  return { all, find: ref => byName.get(ref) ?? byId.get(ref.toLowerCase()) }
}

/** @throws RunnerError ENDPOINT_UNKNOWN. */
export function route(endpoints: EndpointIndex, ref: string): Endpoint {
  const endpoint = endpoints.find(ref)
  if (!endpoint) throw new RunnerError('ENDPOINT_UNKNOWN', { detail: 'There is no endpoint of this name or id.' })
  return endpoint
}
