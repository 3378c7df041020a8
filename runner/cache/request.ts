/** What is asked of the cache. */
import type { CachePolicy } from '../model/endpoint.js'
import type { StoredResult } from '../model/ports.js'
import type { ResultFormat, ResultSet } from '../model/query.js'

/** A key, how long its result may live, and how to make it. */
export interface CacheRequest {
  /** What stands before the first colon is the endpoint's; see `purge`. */
  readonly key: string
  /** The endpoint's name, for events. */
  readonly endpoint: string
  readonly format: ResultFormat
  readonly policy: CachePolicy
  /** How long its query may take, in milliseconds: nobody waits longer for another replica's. */
  readonly timeoutMs: number
  /** Asks the engine. The signal is the shared run's own; in the background nobody pays for it. */
  readonly run: (signal: AbortSignal, isBackground: boolean) => Promise<ResultSet>
  /** False once the endpoint has been changed or removed: its entries are no longer warmed. */
  readonly isCurrent: () => boolean
  /**
   * What tells the data that the query reads from any other; null when that cannot be told now. Present where a result
   * is kept only as long as its data stays the same.
   */
  readonly dataState?: () => string | null
}

/** May this result be served as a fresh one? */
export function isFresh(result: StoredResult, request: CacheRequest, nowMs: number): boolean {
  return nowMs < result.freshUntil && isOfThisData(result, request)
}

/** May this result, whose time is over, be served while a new one is made? */
export function mayServeStale(result: StoredResult, request: CacheRequest, nowMs: number): boolean {
  return nowMs < result.freshUntil + request.policy.staleWhileRevalidateMs && isOfThisData(result, request)
}

/** False once the data has changed that the result was made of. */
export function isOfThisData(result: StoredResult, { dataState }: CacheRequest): boolean {
  return dataState === undefined || (result.dataState !== undefined && result.dataState === dataState())
}
