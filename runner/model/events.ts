/** Events worth a log line or a metric. The code that emits an event does not know levels or counters; observe/ does. */
import type { Diagnostic } from './diagnostic.js'
import type { RunnerError } from './errors.js'
import type { PartialRead, QueryCost } from './query.js'

/** `fresh`: the caller demanded a new result although a stored one could have been served. */
export type CacheOutcome = 'hit' | 'miss' | 'coalesced' | 'stale' | 'bypass' | 'fresh'

/** The numbers of endpoints that a reload added, changed and removed. */
export interface ReloadReport {
  readonly endpoints: number
  readonly added: number
  readonly changed: number
  readonly removed: number
}

export interface EndedQuery {
  readonly endpoint: string
  readonly engine: string
  readonly durationMs: number
  /** What the warehouse billed for the query, even where it failed; absent on other engines. */
  readonly cost?: QueryCost
}

export type Event =
  | { readonly kind: 'server.ready'; readonly url: string; readonly endpoints: number; readonly engine: string }
  | { readonly kind: 'manifests.loaded'; readonly endpoints: number }
  /** Manifests, partials, table schemas and functions were reloaded and are now served. */
  | ({ readonly kind: 'manifests.reloaded'; readonly durationMs: number } & ReloadReport)
  | {
      /** A reload found errors, so the endpoints loaded before stay in service. */
      readonly kind: 'manifests.refused'
      readonly reason: string
      readonly diagnostics: readonly Diagnostic[]
    }
  | {
      /** Manifests have errors, so their endpoints are not served; the others are. */
      readonly kind: 'manifests.broken'
      readonly manifests: number
      readonly diagnostics: readonly Diagnostic[]
    }
  | { readonly kind: 'server.draining' }
  | { readonly kind: 'server.closed' }
  | {
      readonly kind: 'request.done'
      readonly requestId: string
      readonly method: string
      /** The path of the address, never its query string. */
      readonly path: string
      readonly endpoint: string | null
      readonly token: string | null
      readonly status: number
      readonly durationMs: number
      readonly cache: CacheOutcome | null
      readonly rows: number | null
      /** `mcp`: an agent's call. Absent for calls over plain HTTP. */
      readonly via?: 'mcp'
      /** What the warehouse billed for the query that this request started; absent on other engines. */
      readonly cost?: QueryCost
      readonly error: RunnerError | null
    }
  | { readonly kind: 'query.started'; readonly endpoint: string; readonly engine: string }
  | ({
      readonly kind: 'query.done'
      readonly rows: number
      /** Present where not all rows were read anew. */
      readonly partial?: PartialRead
    } & EndedQuery)
  | ({ readonly kind: 'query.failed'; readonly error: RunnerError } & EndedQuery)
  | {
      /** A request to the warehouse failed and will be retried. */
      readonly kind: 'engine.retried'
      readonly engine: string
      readonly endpoint: string
      readonly reason: string
      readonly pauseMs: number
    }
  | { readonly kind: 'job.cancelled'; readonly endpoint: string; readonly jobId: string }
  | {
      /** The job could not be cancelled, so it may run until its own timeout. */
      readonly kind: 'job.cancel-failed'
      readonly endpoint: string
      readonly jobId: string | null
      readonly cause: unknown
    }
  /** The engine has refused the SQL that reads only new rows, and runs the whole query. */
  | { readonly kind: 'refresh.refused'; readonly endpoint: string; readonly cause: unknown }
  /** A result put together from kept and new rows differed from the whole query's at this byte; it was not used. */
  | { readonly kind: 'refresh.differed'; readonly endpoint: string; readonly at: number }
  | { readonly kind: 'cache.warmed'; readonly endpoint: string; readonly durationMs: number }
  | { readonly kind: 'cache.warm-failed'; readonly endpoint: string; readonly error: RunnerError }
  | { readonly kind: 'cache.purged'; readonly endpoint: string; readonly token: string }
  | { readonly kind: 'store.failed'; readonly operation: string; readonly cause: unknown }
  | { readonly kind: 'engine.started'; readonly engine: string; readonly durationMs: number }
  | { readonly kind: 'engine.died'; readonly engine: string; readonly reason: string }
  | { readonly kind: 'engine.data-unknown'; readonly engine: string; readonly what: string; readonly cause: unknown }
  | { readonly kind: 'engine.table-read'; readonly table: string; readonly files: number; readonly durationMs: number }
  | { readonly kind: 'tokens.reloaded'; readonly tokens: number }
  | { readonly kind: 'tokens.unreadable'; readonly reason: string }
  | { readonly kind: 'cursors.key-not-kept'; readonly reason: string }
  | { readonly kind: 'bug'; readonly where: string; readonly cause: unknown }

export type Observer = (event: Event) => void

type RequestDone = Extract<Event, { kind: 'request.done' }>

/** The event of an answered request. */
export const requestDone = (
  call: Pick<RequestDone, 'requestId' | 'method' | 'path' | 'endpoint' | 'token' | 'via'>,
  status: number,
  durationMs: number,
  outcome: Pick<RequestDone, 'error'> & Partial<Pick<RequestDone, 'cache' | 'rows' | 'cost'>>,
): RequestDone => ({ kind: 'request.done', ...call, status, durationMs, cache: null, rows: null, ...outcome })
