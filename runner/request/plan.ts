/** Plans a call before anything is run: which endpoint, with which arguments, and whether the cache may answer. */
import { cacheKey } from '../cache/key.js'
import type { CacheRequest } from '../cache/request.js'
import type { Endpoint } from '../model/endpoint.js'
import { notAllowed } from '../model/errors.js'
import type { Caller } from '../model/ports.js'
import { authorize, beginWait, NOT_ALLOWED, OUT_OF_SCOPE } from './authorize.js'
import { bindPinned } from './bind-pinned.js'
import type { RawArguments } from './raw-arguments.js'
import { type EndpointIndex, findBroken, route } from './route.js'
import { type RunDeps, type RunOrder, runQuery } from './run-query.js'
import { ignoredHeader, unknownNames } from './unknown-arguments.js'

export interface PlanDeps extends RunDeps {
  /** The current endpoints. */
  readonly endpoints: () => EndpointIndex
}

/** The facts about a request, filled in stage by stage, so that a refused request can be logged too. */
export interface Progress {
  token: string | null
  endpoint: string | null
}

/**
 * The endpoint by name or id, for a caller who may call it.
 * @throws RunnerError ENDPOINT_UNKNOWN, ENDPOINT_BROKEN, TOKEN_NOT_ALLOWED.
 */
export function admitCall(caller: Caller, ref: string, index: EndpointIndex, progress?: Progress): Endpoint {
  const name = (index.find(ref) ?? findBroken(index, ref))?.name ?? null
  if (progress && name !== null) progress.endpoint = name
  // A token that is limited to endpoints is not told whether there are others.
  if (!caller.mayCall(name ?? ref)) throw notAllowed(NOT_ALLOWED, OUT_OF_SCOPE)
  const endpoint = route(index, ref)
  authorize(caller, endpoint)
  return endpoint
}

/**
 * What to run, what to ask of the cache (null where the call goes past it), and the value of X-Ignored-Arguments ('' where no
 * argument was ignored): the same for the same caller asking the same, as long as the endpoints are the same. Runs nothing.
 * `nowMicros` freezes `@now`; such a call goes past the cache.
 * @throws RunnerError ARGUMENT_INVALID, TOKEN_NOT_ALLOWED.
 */
export function planCall(caller: Caller, given: RawArguments, asked: Omit<RunOrder, 'args'>, deps: PlanDeps) {
  const order = { ...asked, args: bindPinned(caller, asked.endpoint, given) }
  const ignored = ignoredHeader(unknownNames(asked.endpoint, given))
  return { order, cached: cacheRequest(order, caller, deps), ignored }
}

function cacheRequest(order: RunOrder, caller: Caller, deps: PlanDeps): CacheRequest | null {
  const { endpoint, args, nowMicros } = order
  if (endpoint.cache === null || nowMicros !== null) return null
  return {
    key: cacheKey(endpoint, args) + dataCopyOf(endpoint, deps),
    endpoint: endpoint.name,
    policy: endpoint.cache,
    timeoutMs: endpoint.timeoutMs,
    token: caller.token,
    beginWait: () => beginWait(caller),
    run: (signal, isBackground) => runQuery(order, isBackground ? null : caller, deps, signal),
    ...dataStateOf(order, deps),
    isCurrent: () => deps.endpoints().find(endpoint.id)?.revision === endpoint.revision,
  }
}

/** Replicas with separate copies of the data use separate keys; with shared keys each would discard the others' results. */
function dataCopyOf({ cache }: Endpoint, { engine }: PlanDeps): string {
  return cache?.untilDataChanges ? `@${engine.dataCopy?.() ?? ''}` : ''
}

/** The fingerprint of the data that this order's query reads, where the endpoint's cache policy needs it. */
function dataStateOf({ endpoint, args }: RunOrder, { engine, clock }: PlanDeps): Pick<CacheRequest, 'dataState'> {
  if (!endpoint.cache?.untilDataChanges) return {}
  const query = endpoint.render(args, clock.nowMicros()) // The time in the query does not change which tables it reads.
  return { dataState: () => engine.dataState?.(query) ?? null }
}
