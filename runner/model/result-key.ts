/**
 * Keys of results: the endpoint's id, a colon, a hash of the tenant, a colon, and a hash of its revision and the arguments; and
 * their ETags.
 */
import { createHash } from 'node:crypto'
import { eachPiece } from './in-turns.js'

/** The prefix of all keys of this endpoint. */
export const keyPrefix = (endpointId: string): string => `${endpointId}:`

/** The prefix of the endpoint's keys of one tenant; `tenant` is '' for an endpoint without tenants. */
export const tenantKeyPrefix = (endpointId: string, tenant: string): string => `${keyPrefix(endpointId)}${tenant}:`

/**
 * The names of the purges that concern this key: of all keys, of its endpoint, of its tenant, and of partitions of the tables that its
 * endpoint reads. A purge of a partition removes only the rows of that partition from kept rows.
 */
export function purgesOf(key: string): readonly [all: '', endpoint: string, tenant: string, partitions: string] {
  const endpoint = key.slice(0, key.indexOf(':') + 1)
  const tenant = key.slice(0, key.indexOf(':', endpoint.length) + 1) || endpoint
  return ['', endpoint, tenant, partitionPurge(endpoint)]
}

/** The name of the purges of partitions. @param prefix of the keys of an endpoint */
export const partitionPurge = (prefix: string): string => `${prefix}*`

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
