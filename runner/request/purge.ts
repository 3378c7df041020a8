/** Purges the stored results of an endpoint, or of one tenant's calls of it, in every replica. */
import { tenantPrefix } from '../cache/key.js'
import type { Endpoint } from '../model/endpoint.js'
import { notAllowed, type RunnerError, retryLater } from '../model/errors.js'
import type { Caller } from '../model/ports.js'
import { keyPrefix } from '../model/result-key.js'
import { bindPinned } from './bind-pinned.js'
import type { RequestDeps } from './handle.js'

/**
 * Purges the results that the caller could have asked for; it must be allowed to call the endpoint.
 * @throws RunnerError TOKEN_NOT_ALLOWED; STORE_UNAVAILABLE when replicas may still have results.
 */
export async function purgeEndpoint(caller: Caller, endpoint: Endpoint, deps: RequestDeps): Promise<void> {
  const { results, observe } = deps
  if (!caller.mayPurge) throw refused('the token was made without --purge')
  const prefix = purgedPrefix(caller, endpoint)
  try {
    await results.purge(prefix)
  } catch (cause) {
    observe({ kind: 'store.failed', operation: 'purge', cause })
    const detail = 'Results may be left in the shared store and in other replicas: ask again.'
    throw retryLater('STORE_UNAVAILABLE', detail, 1_000, cause)
  }
  observe({ kind: 'cache.purged', endpoint: endpoint.name, token: caller.token })
}

/** The keys tell the calls of one tenant from others, and nothing else. */
function purgedPrefix(caller: Caller, endpoint: Endpoint): string {
  if (Object.keys(caller.pinned).length === 0) return keyPrefix(endpoint.id)
  const parameters = endpoint.parameters.filter(
    ({ name }) => name === endpoint.tenant && Object.hasOwn(caller.pinned, name),
  )
  if (parameters.length > 0) return tenantPrefix(endpoint, bindPinned(caller, { parameters }, new Map()))
  throw refused('the token pins arguments, but not the tenant of the endpoint: the purge would reach results of others')
}

const refused = (reason: string): RunnerError =>
  notAllowed('The token may not purge results.', { rule: 'purge', reason })
