/** Everything worth a log line or a metric. Business code says what happened; observe/ decides what becomes of it. */
import type { Diagnostic } from './diagnostic.js'
import type { RunnerError } from './errors.js'
import type { QueryCost } from './query.js'

/** `fresh`: the caller demanded a new result although a stored one would have done. */
export type CacheOutcome = 'hit' | 'miss' | 'coalesced' | 'stale' | 'bypass' | 'fresh'

export type Event =
  | { readonly kind: 'server.ready'; readonly url: string; readonly endpoints: number; readonly engine: string }
  | { readonly kind: 'manifests.loaded'; readonly endpoints: number }
  | {
      /** Manifests, partials and table schemas were read again, and are served. */
      readonly kind: 'manifests.reloaded'
      readonly endpoints: number
      readonly added: number
      readonly changed: number
      readonly removed: number
      readonly durationMs: number
    }
  | {
      /** They were read again, and what was served before goes on being served. */
      readonly kind: 'manifests.refused'
      readonly reason: string
      readonly diagnostics: readonly Diagnostic[]
    }
  | { readonly kind: 'server.draining' }
  | { readonly kind: 'server.closed' }
  | {
      readonly kind: 'request.done'
      readonly requestId: string
      readonly method: string
      /** Of the address; never the query string. */
      readonly path: string
      readonly endpoint: string | null
      readonly token: string | null
      readonly status: number
      readonly durationMs: number
      readonly cache: CacheOutcome | null
      readonly rows: number | null
      /** Of the query that this request started; only of a warehouse. */
      readonly cost?: QueryCost
      readonly error: RunnerError | null
    }
  | { readonly kind: 'query.started'; readonly endpoint: string; readonly engine: string }
  | {
      readonly kind: 'query.done'
      readonly endpoint: string
      readonly engine: string
      readonly durationMs: number
      readonly rows: number
      /** Only of a warehouse. */
      readonly cost?: QueryCost
    }
  | {
      readonly kind: 'query.failed'
      readonly endpoint: string
      readonly engine: string
      readonly durationMs: number
      /** Of a query that was paid for all the same. */
      readonly cost?: QueryCost
      readonly error: RunnerError
    }
  | {
      /** A request to a warehouse failed and is sent again. */
      readonly kind: 'engine.retried'
      readonly engine: string
      readonly endpoint: string
      readonly reason: string
      readonly pauseMs: number
    }
  | { readonly kind: 'job.cancelled'; readonly endpoint: string; readonly jobId: string }
  | {
      /** The job may be running on: only its own timeout ends it. */
      readonly kind: 'job.cancel-failed'
      readonly endpoint: string
      readonly jobId: string | null
      readonly cause: unknown
    }
  | { readonly kind: 'cache.warmed'; readonly endpoint: string; readonly durationMs: number }
  | { readonly kind: 'cache.warm-failed'; readonly endpoint: string; readonly error: RunnerError }
  | { readonly kind: 'cache.purged'; readonly endpoint: string; readonly token: string }
  | { readonly kind: 'store.failed'; readonly operation: string; readonly cause: unknown }
  | { readonly kind: 'engine.started'; readonly engine: string; readonly durationMs: number }
  | { readonly kind: 'engine.died'; readonly engine: string; readonly reason: string }
  | { readonly kind: 'engine.table-read'; readonly table: string; readonly files: number; readonly durationMs: number }
  | { readonly kind: 'tokens.reloaded'; readonly tokens: number }
  | { readonly kind: 'tokens.unreadable'; readonly reason: string }
  | { readonly kind: 'bug'; readonly where: string; readonly cause: unknown }

export type Observer = (event: Event) => void
