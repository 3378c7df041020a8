/** Purges the stored results of an endpoint, in every replica. */
import type { ResultCache } from '../cache/result-cache.js'
import type { Endpoint } from '../model/endpoint.js'
import { RunnerError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Caller } from '../model/ports.js'

export interface PurgeDeps {
  readonly results: ResultCache
  readonly observe: Observer
}

/**
 * Purges the results; the caller must be allowed to call the endpoint.
 * @throws RunnerError TOKEN_NOT_ALLOWED; STORE_UNAVAILABLE when replicas may still have results.
 */
export async function purgeEndpoint(
  caller: Caller,
  { id, name }: Pick<Endpoint, 'id' | 'name'>,
  { results, observe }: PurgeDeps,
): Promise<void> {
  if (!caller.mayPurge) {
    const refusal = { rule: 'purge', reason: 'the token was made without --purge' } as const
    throw new RunnerError('TOKEN_NOT_ALLOWED', { detail: 'The token may not purge results.', refusal })
  }
  try {
    await results.purge(id)
  } catch (cause) {
    observe({ kind: 'store.failed', operation: 'purge', cause })
    const detail = 'Results may be left in the shared store and in other replicas: ask again.'
    throw new RunnerError('STORE_UNAVAILABLE', { detail, headers: { 'Retry-After': '1' }, cause })
  }
  observe({ kind: 'cache.purged', endpoint: name, token: caller.token })
}
