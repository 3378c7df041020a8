/** Everything worth a log line or a metric. Business code says what happened; observe/ decides what becomes of it. */
import type { RunnerError } from './errors.js'

export type CacheOutcome = 'hit' | 'miss' | 'coalesced' | 'stale' | 'bypass'

export type Event =
  | { readonly kind: 'server.ready'; readonly url: string; readonly endpoints: number; readonly engine: string }
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
      readonly error: RunnerError | null
    }
  | {
      readonly kind: 'query.done'
      readonly endpoint: string
      readonly engine: string
      readonly durationMs: number
      readonly rows: number
    }
  | {
      readonly kind: 'query.failed'
      readonly endpoint: string
      readonly engine: string
      readonly durationMs: number
      readonly error: RunnerError
    }
  | { readonly kind: 'cache.warmed'; readonly endpoint: string; readonly durationMs: number }
  | { readonly kind: 'cache.warm-failed'; readonly endpoint: string; readonly error: RunnerError }
  | { readonly kind: 'store.failed'; readonly operation: string; readonly cause: unknown }
  | { readonly kind: 'engine.started'; readonly engine: string; readonly durationMs: number }
  | { readonly kind: 'engine.died'; readonly engine: string; readonly reason: string }
  | { readonly kind: 'engine.table-read'; readonly table: string; readonly files: number; readonly durationMs: number }
  | { readonly kind: 'tokens.reloaded'; readonly tokens: number }
  | { readonly kind: 'tokens.unreadable'; readonly reason: string }
  | { readonly kind: 'bug'; readonly where: string; readonly cause: unknown }

export type Observer = (event: Event) => void
