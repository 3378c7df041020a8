/** What `GET /api/endpoints` and `GET /api/token` say. */

export interface Parameter {
  readonly name: string
  /** `string`, `int64`, …, or `array<string>`. */
  readonly type: string
  readonly required: boolean
  readonly description: string
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly max_length?: number
  readonly format?: string
}

export interface Column {
  readonly name: string
  readonly type: string
  readonly description?: string
  readonly required?: boolean
  readonly json?: 'number' | 'string'
  readonly unit?: string
}

export interface Endpoint {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly columns: readonly Column[]
  readonly settings: Readonly<Record<string, unknown>>
  readonly pinned: Readonly<Record<string, string>>
  readonly tenant?: string
}

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
}

/** An error of the server (RFC 9457), or one of the network with the same members. */
export interface Problem {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail?: string
  readonly errors?: readonly { readonly parameter: string; readonly detail: string }[]
  /** Seconds after which to ask again. */
  readonly retryAfter?: number
  readonly requestId?: string
}

/** Arguments by parameter; a list has an element for each value. */
export type Arguments = Readonly<Record<string, string | readonly string[]>>
