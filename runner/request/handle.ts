/** Conducts a request to a result: who calls, what for, may they, with which arguments, from the cache or the engine. */

import { cacheKey } from '../cache/key.js'
import { type ResultCache, sealResult } from '../cache/result-cache.js'
import type { CacheOutcome } from '../model/events.js'
import type { Caller, StoredResult, TokenStore } from '../model/ports.js'
import type { ResultFormat } from '../model/query.js'
import { applyPins, authenticate, authorize } from './authorize.js'
import { bindParams } from './bind-params.js'
import { negotiate } from './negotiate.js'
import { type EndpointIndex, route } from './route.js'
import { type RunDeps, runQuery } from './run-query.js'
import type { WireArguments } from './wire.js'

export interface RequestDeps extends RunDeps {
  /** The endpoints as they are now. */
  readonly endpoints: () => EndpointIndex
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
  /** The time that this call waited for the engine, in milliseconds; null where it did not. */
  readonly runMs: number | null
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
  const endpoint = route(deps.endpoints(), request.ref)
  progress.endpoint = endpoint.name
  authorize(caller, endpoint)
  const { format: negotiated, contentType } = negotiate(request.accept)
  const format = request.format ?? negotiated
  const args = bindParams(endpoint, applyPins(caller, endpoint, await request.readArguments()))
  const nowMicros = request.nowMicros ?? null
  const run = (signal: AbortSignal) => runQuery({ endpoint, args, format, nowMicros }, deps, signal)
  if (endpoint.cache === null || nowMicros !== null) {
    const began = deps.clock.nowMs()
    const result = sealResult(await run(request.signal), format, began, began)
    const runMs = deps.clock.nowMs() - began
    return { result, contentType, isCacheable: false, outcome: 'bypass', isStored: false, runMs }
  }
  const isCurrent = () => deps.endpoints().find(endpoint.id)?.revision === endpoint.revision
  const answer = await deps.results.through(
    { key: cacheKey(endpoint, args, format), endpoint: endpoint.name, format, policy: endpoint.cache, run, isCurrent },
    request.signal,
  )
  return { ...answer, contentType, isCacheable: true }
}
