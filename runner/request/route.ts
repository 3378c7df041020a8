/** Finds the endpoint that an address names. */

import type { BrokenEndpoint, Endpoint } from '../model/endpoint.js'
import { RunnerError } from '../model/errors.js'
import { didYouMean } from '../model/suggest.js'

/** The endpoints of one load, by name and by id. */
export interface EndpointIndex {
  /** All endpoints, sorted by name. */
  readonly all: readonly Endpoint[]
  /** Finds an endpoint by name, or by id in upper or lower case. */
  find(ref: string): Endpoint | undefined
  /** The manifests with errors, which are not served. */
  readonly broken: readonly BrokenEndpoint[]
}

/** An index over these endpoints; neither names nor ids may repeat. */
export function indexEndpoints(endpoints: readonly Endpoint[], broken: readonly BrokenEndpoint[] = []): EndpointIndex {
  const byName = new Map(endpoints.map(endpoint => [endpoint.name, endpoint]))
  const byId = new Map(endpoints.map(endpoint => [endpoint.id.toLowerCase(), endpoint]))
  const all = [...endpoints].sort((a, b) => (a.name < b.name ? -1 : 1))
  return { all, broken, find: ref => byName.get(ref) ?? byId.get(ref.toLowerCase()) }
}

/** The broken endpoint of this name or id; undefined also where a served endpoint has this name or id. */
export function findBroken(endpoints: EndpointIndex, ref: string): BrokenEndpoint | undefined {
  if (endpoints.broken.length === 0 || endpoints.find(ref)) return undefined
  return endpoints.broken.find(({ name, id }) => name === ref || id === ref.toLowerCase())
}

/** @throws RunnerError ENDPOINT_BROKEN, ENDPOINT_UNKNOWN. */
export function route(endpoints: EndpointIndex, ref: string): Endpoint {
  const endpoint = endpoints.find(ref)
  if (endpoint) return endpoint
  const broken = findBroken(endpoints, ref)
  if (!broken) throw new RunnerError('ENDPOINT_UNKNOWN', { detail: 'There is no endpoint of this name or id.' })
  const detail = 'The manifest of this endpoint has a mistake, which the log names.'
  throw new RunnerError('ENDPOINT_BROKEN', { detail, diagnostics: broken.diagnostics })
}

/** As `route`, with a proposal for authors, who may know all names. @throws RunnerError ENDPOINT_BROKEN, ENDPOINT_UNKNOWN. */
export function routeWithHint(endpoints: EndpointIndex, ref: string): Endpoint {
  if (endpoints.find(ref) || findBroken(endpoints, ref)) return route(endpoints, ref)
  const names = [...endpoints.all, ...endpoints.broken].flatMap(({ name }) => name ?? [])
  const { hint } = didYouMean(ref, names)
  throw new RunnerError('ENDPOINT_UNKNOWN', { detail: `There is no endpoint of the name or id "${ref}"${hint}` })
}
