/** The cache key of a result. */
import { createHash } from 'node:crypto'
import type { Endpoint } from '../model/endpoint.js'
import type { ArgumentMap, Query } from '../model/query.js'
import { PAGED, tenantKeyPrefix } from '../model/result-key.js'

/**
 * Two calls share a key exactly when they have the same typed arguments for the same revision of an endpoint, in any order.
 * Undeclared arguments, the token and the format are not part of the key: every format is derived from one result.
 */
export function cacheKey(endpoint: Pick<Endpoint, 'id' | 'revision' | 'parameters' | 'tenant'>, args: ArgumentMap) {
  return tenantPrefix(endpoint, args) + hashOf([endpoint.revision, valuesOf(endpoint, args)])
}

/** Each value is wrapped in an array, so that an absent argument differs from every present one. */
const valuesOf = ({ parameters }: Pick<Endpoint, 'parameters'>, args: ArgumentMap) =>
  parameters.map(({ name }) => (Object.hasOwn(args, name) ? [args[name]] : 0))

/** The key of a result that is given out in pages, from the key of its call and its `@now`; and the key of its rows `from` to `to`. */
export const walkKey = (key: string, now: string): string => `${key}${PAGED}${now}`
export const pageKey = (key: string, now: string, from: number, to: number): string =>
  `${walkKey(key, now)}${PAGED}${from}-${to}`

/** The key of rows kept for a refresh, for calls with this SQL that differ only in `without`, while other tables are in state `others`. */
export function keptKey(
  endpoint: Pick<Endpoint, 'id' | 'revision' | 'tenant'>,
  args: ArgumentMap,
  { sql, parameters }: Query,
  without: readonly string[],
  others: string,
): string {
  const values = Object.entries(parameters).filter(([name]) => !without.includes(name))
  return `${tenantPrefix(endpoint, args)}+${hashOf([endpoint.revision, sql, values, others])}`
}

/** Short digests of an endpoint's revision, and of arguments by their names, 96 bits each: for cursors. */
export const revisionDigest = ({ revision }: Pick<Endpoint, 'revision'>): string => hashOf(revision).slice(0, 16)
export function argumentsDigest(endpoint: Pick<Endpoint, 'parameters'>, args: ArgumentMap): string {
  const names = endpoint.parameters.map(({ name }) => name)
  return hashOf([names, valuesOf(endpoint, args)]).slice(0, 16)
}

/** The prefix of the keys of all calls with the same tenant as this one; of all calls, where the endpoint has no tenant. */
export function tenantPrefix({ id, tenant }: Pick<Endpoint, 'id' | 'tenant'>, args: ArgumentMap): string {
  return tenantKeyPrefix(id, tenant === null ? '' : hashOf([args[tenant] ?? null]))
}

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url')
