/** The cache key of a result. */
import { createHash } from 'node:crypto'
import type { Endpoint } from '../model/endpoint.js'
import type { ArgumentMap } from '../model/query.js'
import { tenantKeyPrefix } from '../model/result-key.js'

/**
 * Two calls share a key exactly when they have the same typed arguments for the same revision of an endpoint, in any order.
 * Undeclared arguments, the token and the format are not part of the key: every format is derived from one result.
 */
export function cacheKey(endpoint: Pick<Endpoint, 'id' | 'revision' | 'parameters' | 'tenant'>, args: ArgumentMap) {
  // Each value is wrapped in an array, so that an absent argument differs from every present one.
  const values = endpoint.parameters.map(({ name }) => (Object.hasOwn(args, name) ? [args[name]] : 0))
  return tenantPrefix(endpoint, args) + hashOf([endpoint.revision, values])
}

/** The prefix of the keys of all calls with the same tenant as this one; of all calls, where the endpoint has no tenant. */
export function tenantPrefix({ id, tenant }: Pick<Endpoint, 'id' | 'tenant'>, args: ArgumentMap): string {
  return tenantKeyPrefix(id, tenant === null ? '' : hashOf([args[tenant] ?? null]))
}

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url')
