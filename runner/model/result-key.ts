/** Keys of results: the endpoint's id, a colon, and a hash of its revision and the arguments; and their ETags. */
import { createHash } from 'node:crypto'

/** The prefix of all keys of this endpoint. */
export const keyPrefix = (endpointId: string): string => `${endpointId}:`

/** The prefix of the key's endpoint; '' for a key without an endpoint. */
export const keyPrefixOf = (key: string): string => key.slice(0, key.indexOf(':') + 1)

/** The id of the key's endpoint; '' for a key without an endpoint. */
export const endpointIdOf = (key: string): string => keyPrefixOf(key).slice(0, -1)

/** The strong ETag of a result's JSON, with its quotes: a hash of these bytes. */
export const etagOf = (body: Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
