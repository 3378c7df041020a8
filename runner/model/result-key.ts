/** Keys of results: an endpoint's id, a colon, and what tells its results from one another. */

/** How all keys of this endpoint begin. */
export const keyPrefix = (endpointId: string): string => `${endpointId}:`

/** How all keys of this one's endpoint begin; '' for a key of none. */
export const keyPrefixOf = (key: string): string => key.slice(0, key.indexOf(':') + 1)

/** '' for a key of none. */
export const endpointIdOf = (key: string): string => keyPrefixOf(key).slice(0, -1)
