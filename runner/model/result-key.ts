/**
 * Keys of results: `<endpoint's id>:<hash of the tenant>:<hash of the endpoint's revision and the arguments>`. Also the ETags of
 * results.
 */
import { createHash } from 'node:crypto'
import { eachPiece } from './in-turns.js'

/** The prefix of all keys of this endpoint. */
export const keyPrefix = (endpointId: string): string => `${endpointId}:`

/** The prefix of the endpoint's keys of one tenant; `tenantHash` is '' for an endpoint without tenants. */
export const tenantKeyPrefix = (endpointId: string, tenantHash: string): string => `${endpointId}:${tenantHash}:`

/**
 * A purge is named by the prefix of the keys that it removes. These are the names of all purges that can remove this key: of all keys,
 * of its endpoint, and of its tenant. The last name is that of purges of partitions, which remove only the rows of a partition from kept
 * rows.
 */
export function purgesOf(key: string): readonly [all: '', endpoint: string, tenant: string, partitions: string] {
  const endpoint = key.slice(0, key.indexOf(':') + 1)
  const tenant = key.slice(0, key.indexOf(':', endpoint.length) + 1) || endpoint
  return ['', endpoint, tenant, partitionPurgesName(endpoint)]
}

/** The one name under which all purges of partitions of an endpoint are recorded. @param prefix of the endpoint's keys */
export const partitionPurgesName = (prefix: string): string => `${prefix}*`

/** The character that marks the keys of pages, and of results that are given out in pages; no other key has it. */
export const PAGED = '~'
export const isPaged = (key: string): boolean => key.includes(PAGED)

/** The id of the key's endpoint; '' for a key without an endpoint. */
export const endpointIdOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf(':')))

/**
 * The strong ETag of a result's JSON, with its quotes: a hash of these bytes. A large body is hashed in several turns of the event
 * loop, so it must not change meanwhile.
 */
export async function etagInTurns(body: Uint8Array): Promise<string> {
  const hash = createHash('sha256')
  await eachPiece(body, piece => hash.update(piece))
  return `"${hash.digest('base64url').slice(0, 27)}"`
}
