/** The cache key of a result. */
import { createHash } from 'node:crypto'
import type { Endpoint } from '../model/endpoint.js'
import type { ArgumentMap } from '../model/query.js'
import { keyPrefix } from '../model/result-key.js'

/**
 * Two calls share a key exactly when they have the same typed arguments for the same revision of an endpoint, in any order.
 * Undeclared arguments, the token and the format are not part of the key: every format is derived from one result.
 */
export function cacheKey(endpoint: Pick<Endpoint, 'id' | 'revision' | 'parameters'>, args: ArgumentMap): string {
  // Each value is wrapped in an array, so that an absent argument differs from every present one.
  const values = endpoint.parameters.map(({ name }) => (Object.hasOwn(args, name) ? [args[name]] : 0))
  const text = JSON.stringify([endpoint.revision, values])
  return keyPrefix(endpoint.id) + createHash('sha256').update(text).digest('base64url')
}
