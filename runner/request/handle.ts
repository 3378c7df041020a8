/** Conducts a request to a result: who calls, what for, may they, with which arguments, from the cache or the engine. */

import { sealResult } from '../cache/distributed-run.js'
import { cacheKey } from '../cache/key.js'
import type { CacheRequest } from '../cache/request.js'
import type { CacheAnswer, ResultCache } from '../cache/result-cache.js'
import type { Endpoint } from '../model/endpoint.js'
import type { CacheOutcome } from '../model/events.js'
import type { Caller, StoredResult, TokenStore } from '../model/ports.js'
import type { QueryCost, ResultFormat } from '../model/query.js'
import { type EndpointIndex, route } from '../serving/route.js'
import { authenticate, authorize, mayRun } from './authorize.js'
import { bindPinned } from './bind-pinned.js'
import { negotiate } from './negotiate.js'
import type { WireArguments } from './raw-arguments.js'
import { type RunDeps, type RunOrder, renderQuery, runQuery } from './run-query.js'

export interface RequestDeps extends RunDeps {
  /** The endpoints as they are now. */
  readonly endpoints: () => EndpointIndex
  /** Told that a call begins; returns what to call when it ends. What it began with is there until then. */
  readonly beginCall?: () => () => void
  readonly tokens: TokenStore
  readonly results: ResultCache
}

/** What is known of a request so far; filled in on the way, so that a refused one can be logged too. */
export interface Progress {
  token: string | null
  endpoint: string | null
}

export interface RunRequest {
  /** The endpoint's name or id. */
  readonly ref: string
  readonly accept: string | undefined
  /** Taken instead of what `accept` asks for. */
  readonly format?: ResultFormat
  /** Read only once the caller is known to be allowed: a body is not taken from strangers. */
  readonly readArguments: () => Promise<WireArguments> | WireArguments
  /** Fires when the caller leaves. */
  readonly signal: AbortSignal
  /** The caller would have a new result rather than a stored one; done where the token may have it. */
  readonly wantsFresh?: boolean
  /** Freezes `@now`, in microseconds since 1970; such a call goes past the cache. */
  readonly nowMicros?: bigint
}

export interface RunResponse {
  readonly result: StoredResult
  readonly contentType: string
  /** False: the endpoint is not cached. */
  readonly isCacheable: boolean
  readonly outcome: CacheOutcome
  readonly isStored: boolean
  /** Where the result may be stored; null: nowhere. */
  readonly key: string | null
  /** The time that this call waited for the engine, in milliseconds; null where it did not. */
  readonly runMs: number | null
  /** Of the query that this call started, where a warehouse ran it. */
  readonly cost: QueryCost | null
}

/** @throws RunnerError with whatever each stage refuses; see their files, in the order of the imports above. */
export async function handle(
  request: RunRequest & { readonly token: string | null },
  deps: RequestDeps,
  progress: Progress,
): Promise<RunResponse> {
  const caller = authenticate(deps.tokens, request.token)
  progress.token = caller.token
  return handleFor(caller, request, deps, progress)
}

/** The same for a caller who is known already. */
export async function handleFor(
  caller: Caller,
  request: RunRequest,
  deps: RequestDeps,
  progress: Progress,
): Promise<RunResponse> {
  const endCall = deps.beginCall?.()
  try {
    return await answer(caller, request, deps, progress)
  } finally {
    endCall?.()
  }
}

async function answer(
  caller: Caller,
  request: RunRequest,
  deps: RequestDeps,
  progress: Progress,
): Promise<RunResponse> {
  const endpoint = route(deps.endpoints(), request.ref)
  progress.endpoint = endpoint.name
  authorize(caller, endpoint)
  const { format: negotiated, contentType } = negotiate(request.accept)
  const format = request.format ?? negotiated
  const args = bindPinned(caller, endpoint, await request.readArguments())
  const nowMicros = request.nowMicros ?? null
  const order = { endpoint, args, format, nowMicros }
  const cached = cacheRequest(order, caller, deps)
  if (cached === null) {
    const [began, beganTicks] = [deps.clock.nowMs(), deps.clock.ticksMs()]
    const set = await runQuery(order, caller, deps, request.signal)
    const result = sealResult(set, format, began, began)
    const [runMs, cost] = [deps.clock.ticksMs() - beganTicks, set.cost ?? null]
    return { result, contentType, isCacheable: false, outcome: 'bypass', isStored: false, key: null, runMs, cost }
  }
  const answer = await answerFrom(caller, cached, request, deps)
  return { ...answer, contentType, isCacheable: true, key: cached.key }
}

function answerFrom(
  caller: Caller,
  cached: CacheRequest,
  { wantsFresh = false, signal }: RunRequest,
  { results }: RequestDeps,
): Promise<CacheAnswer> {
  return wantsFresh && caller.admitFresh?.() ? results.renew(cached, signal) : results.through(cached, signal)
}

/** What to ask of the cache for this order; null where it goes past the cache. */
function cacheRequest(order: RunOrder, caller: Caller, deps: RequestDeps): CacheRequest | null {
  const { endpoint, args, format, nowMicros } = order
  if (endpoint.cache === null || nowMicros !== null) return null
  return {
    key: cacheKey(endpoint, args, format) + ofCopy(endpoint, deps),
    endpoint: endpoint.name,
    format,
    policy: endpoint.cache,
    timeoutMs: endpoint.timeoutMs,
    run: (signal, isBackground) => runQuery(order, isBackground ? null : caller, deps, signal),
    ...dataStateOf(order, deps),
    isCurrent: () => deps.endpoints().find(endpoint.id)?.revision === endpoint.revision,
  }
}

/** Replicas with copies of the data of their own keep results of their own, or each would throw out the others'. */
function ofCopy({ cache }: Endpoint, { engine }: RequestDeps): string {
  return cache?.untilDataChanges ? `@${engine.dataCopy?.() ?? ''}` : ''
}

/** How the data is known that this order's query reads, where the endpoint wants to know. */
function dataStateOf(order: RunOrder, { engine, clock }: RequestDeps): Pick<CacheRequest, 'dataState'> {
  if (!order.endpoint.cache?.untilDataChanges) return {}
  const query = renderQuery(order, clock) // another time in it means the same tables
  return { dataState: () => engine.dataState?.(query) ?? null }
}

/** A call that the cache may answer. The same caller asking the same means the same plan, as long as the endpoints are. */
export interface Plan {
  readonly cached: CacheRequest
  readonly contentType: string
}

/** What `handleFor` would ask of the cache; null where it would go past it or refuse the call. Runs nothing. */
export function planCached(
  caller: Caller,
  { ref, accept, readArguments }: Pick<RunRequest, 'ref' | 'accept'> & { readonly readArguments: () => WireArguments },
  deps: RequestDeps,
): Plan | null {
  const endpoint = deps.endpoints().find(ref)
  if (!endpoint?.cache || !mayRun(caller, endpoint)) return null
  try {
    const { format, contentType } = negotiate(accept)
    const args = bindPinned(caller, endpoint, readArguments())
    const cached = cacheRequest({ endpoint, args, format, nowMicros: null }, caller, deps)
    return cached && { cached, contentType }
  } catch {
    return null // refused: the slow path says why
  }
}
