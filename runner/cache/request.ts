/** A request to the cache, and its answer. */
import type { CachePolicy } from '../model/endpoint.js'
import type { CacheOutcome } from '../model/events.js'
import type { StoredResult } from '../model/ports.js'
import type { PartialRead, QueryCost, TimedResult } from '../model/query.js'
import type { SharedRun } from '../model/waiters.js'

/**
 * Why a query runs.
 * - `call`: a call found no result that it may use.
 * - `background`: the cache refreshes a result by itself. The run is charged to no token.
 * - `full`: a caller demands a run now, which reads all rows anew.
 */
export type RunKind = 'call' | 'background' | 'full'

/** A key, its cache policy, and the function that runs its query. */
export interface CacheRequest {
  /** The key; the text before the first colon is the endpoint's id, see `purge`. */
  readonly key: string
  /** The name of the endpoint, for events. */
  readonly endpoint: string
  readonly policy: CachePolicy
  /**
   * Present for a result that is given out in pages: it is used as long as it is stored, and stays stored for at least this many
   * milliseconds after it was last asked for.
   */
  readonly keepMs?: number
  /** The timeout of the query in milliseconds, also for waiting for another replica's run. */
  readonly timeoutMs: number
  /** The name of the token that asks. */
  readonly token: string
  /**
   * Counts the call as waiting for a run; returns the function that ends the wait. @throws RunnerError RATE_LIMITED when the
   * token already has as many waiting calls as it may.
   */
  readonly beginWait: () => () => void
  /** Runs the query. */
  readonly run: (shared: SharedRun, kind: RunKind) => Promise<TimedResult>
  /** False once the endpoint has been changed or removed; its entries are then no longer warmed. */
  readonly isCurrent: () => boolean
  /**
   * A fingerprint of the data that the query reads; null when it cannot be taken now. Present where a result is kept only
   * while its data stays the same.
   */
  readonly dataState?: () => string | null
  /** Asks the engine for the fingerprint where `dataState` returns null. Never rejects. */
  readonly learnDataState?: () => Promise<void>
}

export interface CacheAnswer {
  readonly result: StoredResult
  readonly outcome: CacheOutcome
  /** True when the result has just been stored. */
  readonly isStored: boolean
  /** Present where a run's result was not stored since it is too large for the store. */
  readonly isTooLarge?: boolean
  /** The duration of the run that this call waited for, in milliseconds; null where it waited for no run. */
  readonly runMs: number | null
  /** How many buckets were not read anew by the run that this call started; absent if it read all rows anew or if there was no such run. */
  readonly partial?: PartialRead
  /** What the warehouse billed for the run that this call started; null where it started none. */
  readonly cost: QueryCost | null
}

/** How a stored result may be used: `stale` while it is refreshed, null when it may not be used. */
export function useOf(result: StoredResult, request: CacheRequest, nowMs: number): 'hit' | 'stale' | null {
  if (request.keepMs !== undefined) return 'hit'
  const staleUntil = result.freshUntil + request.policy.staleWhileRevalidateMs
  if (nowMs >= staleUntil || !isOfThisData(result, request)) return null
  return nowMs < result.freshUntil ? 'hit' : 'stale'
}

/** False once the data that the result was computed from has changed. */
export function isOfThisData(result: StoredResult, { dataState }: CacheRequest): boolean {
  return dataState === undefined || (result.dataState !== undefined && result.dataState === dataState())
}
