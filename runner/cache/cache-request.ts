/** What is asked of the cache. */
import type { CachePolicy } from '../model/endpoint.js'
import type { ResultFormat, ResultSet } from '../model/query.js'

/** A key, how long its result may live, and how to make it. */
export interface CacheRequest {
  readonly key: string
  /** The endpoint's name, for events. */
  readonly endpoint: string
  readonly format: ResultFormat
  readonly policy: CachePolicy
  /** Asks the engine. The signal is the shared run's own. */
  readonly run: (signal: AbortSignal) => Promise<ResultSet>
  /** False once the endpoint has been changed or removed: its entries are no longer warmed. */
  readonly isCurrent: () => boolean
}
