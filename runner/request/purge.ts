/** Purges the stored results of endpoints, or of one tenant's calls of them, in every replica. */
import { tenantPrefix } from '../cache/key.js'
import type { Endpoint } from '../model/endpoint.js'
import { notAllowed, type RunnerError, retryLater } from '../model/errors.js'
import type { Caller } from '../model/ports.js'
import type { TablePart } from '../model/query.js'
import { keyPrefix } from '../model/result-key.js'
import { encodeParts } from '../refresh/kept-parts.js'
import { mayRun } from './authorize.js'
import { bindPinned } from './bind-pinned.js'
import type { RequestDeps } from './handle.js'
import type { EndpointIndex } from './route.js'

/**
 * Purges the results that the caller could have asked these endpoints for; the caller must be allowed to call them. `times` are those of
 * a partition: where they are given, only the kept rows of these times are dropped. A purge of one tenant drops all of its kept rows.
 * @throws RunnerError TOKEN_NOT_ALLOWED, before anything is purged; STORE_UNAVAILABLE when replicas may still have results.
 */
export async function purgeEndpoints(
  caller: Caller,
  endpoints: readonly Endpoint[],
  deps: RequestDeps,
  times?: TablePart['times'],
): Promise<void> {
  const { results, observe } = deps
  if (!caller.mayPurge) throw refusal('the token was made without --purge')
  const purges = endpoints.map(endpoint => ({ endpoint, prefix: purgedPrefix(caller, endpoint) }))
  if (purges.some(({ prefix }) => prefix === null)) throw refusal(OTHERS)
  // No table has a part with this key.
  const part = times === undefined ? undefined : encodeParts([{ key: 'purged', times }])
  for (const { endpoint, prefix } of purges) {
    try {
      await results.purge(prefix!, prefix === keyPrefix(endpoint.id) ? part : undefined)
    } catch (cause) {
      observe({ kind: 'store.failed', operation: 'purge', cause })
      const detail = 'Results may be left in the shared store and in other replicas: ask again.'
      throw retryLater('STORE_UNAVAILABLE', detail, 1_000, cause)
    }
    observe({ kind: 'cache.purged', endpoint: endpoint.name, token: caller.token })
  }
}

/**
 * The endpoints that the caller may call and whose queries name this table, or whose tables are not known. A table may be named
 * without its project, or without its dataset, and by the name of one of its shards.
 */
export function readersOf(table: string, caller: Caller, index: EndpointIndex): readonly Endpoint[] {
  const askedParts = table.split('.').reverse()
  const isMeant = (declared: string): boolean =>
    declared
      .split('.')
      .reverse()
      .every((part, i) => askedParts[i] === undefined || part === askedParts[i] || isShardOf(part, askedParts[i]))
  return index.all.filter(endpoint => mayRun(caller, endpoint) && (endpoint.tables?.some(isMeant) ?? true))
}

const isShardOf = (declared: string, name: string): boolean =>
  declared.endsWith('*') && name.startsWith(declared.slice(0, -1))

/** Whether the caller's results of the endpoint can be purged without those of others. */
export const isPurgeable = (caller: Caller, endpoint: Endpoint): boolean => purgedPrefix(caller, endpoint) !== null

/** The prefix of the keys to purge. Null where a purge would reach results of others: keys differ by tenant, but not by other pins. */
function purgedPrefix(caller: Caller, endpoint: Endpoint): string | null {
  if (Object.keys(caller.pinned).length === 0) return keyPrefix(endpoint.id)
  const parameters = endpoint.parameters.filter(
    ({ name }) => name === endpoint.tenant && Object.hasOwn(caller.pinned, name),
  )
  return parameters.length > 0 ? tenantPrefix(endpoint, bindPinned(caller, { parameters }, new Map())) : null
}

const OTHERS = 'the token pins arguments, but not the tenant of the endpoint: the purge would reach results of others'

const refusal = (reason: string): RunnerError =>
  notAllowed('The token may not purge results.', { rule: 'purge', reason })
