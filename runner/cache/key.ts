/** The name under which a result is kept. */
import { createHash } from 'node:crypto'
import type { Endpoint } from '../model/endpoint.js'
import type { ArgumentMap, ResultFormat } from '../model/query.js'
import { keyPrefix } from '../model/result-key.js'

/**
 * Calls with the same typed arguments of the same revision of an endpoint share a key, whatever the order they were
 * given in; no others do. Arguments that the endpoint does not declare are not part of it, nor is the token.
 */
export function cacheKey(
  endpoint: Pick<Endpoint, 'id' | 'revision' | 'parameters'>,
  args: ArgumentMap,
  format: ResultFormat,
): string {
  // An array holds each value, so that an absent argument is not taken for any present one.
  const values = endpoint.parameters.map(({ name }) => (Object.hasOwn(args, name) ? [args[name]] : 0))
  const text = JSON.stringify([endpoint.revision, format, values])
  return keyPrefix(endpoint.id) + createHash('sha256').update(text).digest('base64url')
}
