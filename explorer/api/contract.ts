/** The answers of `GET /api/endpoints` and `GET /api/token`. */
import type { PublishedColumn, PublishedEndpoint, PublishedParameter } from '../../runner/model/published-endpoint.js'

export type Endpoint = PublishedEndpoint
export type Parameter = PublishedParameter
/** A column of a result, with what the contract says about it. */
export type Column = Pick<PublishedColumn, 'name' | 'type'> & Partial<PublishedColumn>

/** What the token may do besides calling. */
export interface TokenFacts {
  readonly name: string
  /** It may demand a new result. */
  readonly fresh: boolean
  /** It may see the SQL of queries. */
  readonly explain: boolean
  readonly engine: 'duckdb' | 'bigquery'
  /** What BigQuery charges for reading a TiB; null on another engine. */
  readonly usd_per_tib: number | null
  /** Whether the server reloads edited files, and streams what they change. */
  readonly dev: boolean
}

export type { Diagnostic } from '../../runner/model/diagnostic.js'
export type { EndpointChange } from '../../runner/model/published-endpoint.js'

/** A problem of the server (RFC 9457), or a failure of the network in the same form. */
export interface Problem {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail?: string
  readonly errors?: readonly { readonly parameter: string; readonly detail: string }[]
  /** How many seconds to wait before asking again. */
  readonly retryAfter?: number
  readonly requestId?: string
}

/** Arguments by parameter; a list has an element for each value. */
export type Arguments = Readonly<Record<string, string | readonly string[]>>
