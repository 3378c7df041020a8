/** What the core asks of the outside. */
import type { Query, ResultColumn, ResultFormat, ResultSet } from './query.js'

export interface RunOptions {
  /** At most so many rows; one more is asked for to know whether the result was cut. */
  readonly maxRows: number
  readonly format: ResultFormat
  readonly timestamps: 'iso8601' | 'unix_micros'
  /** For the log and for job labels. */
  readonly endpoint: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** A mistake in SQL text. `line` and `column` are 1-based places in that text. */
export interface SqlProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

export type CheckResult =
  | { readonly ok: true; readonly columns: readonly ResultColumn[] }
  | { readonly ok: false; readonly problem: SqlProblem }

export interface Explanation {
  /** The SQL that the engine really runs. */
  readonly engineSql: string
  readonly plan: string
}

/** Runs BigQuery SQL. One instance per process; safe for concurrent calls. */
export interface Engine {
  readonly name: 'duckdb' | 'bigquery'
  /**
   * @throws RunnerError QUERY_FAILED when the engine rejects or cannot finish the query, QUERY_TIMEOUT after
   *   `timeoutMs`, CALL_ABANDONED when `signal` fires first, ENGINE_UNAVAILABLE when the engine is gone,
   *   ARGUMENT_INVALID when a bound value itself is at fault (an invalid regular expression).
   */
  run(query: Query, options: RunOptions): Promise<ResultSet>
  /** Compiles without running. `types` are those of the parameters: `{ project: 'STRING' }`. */
  check(sql: string, types: Readonly<Record<string, string>>): Promise<CheckResult>
  explain(query: Query): Promise<Explanation>
  /** Resolves when a trivial query has been answered. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** A result in a store: finished bytes and what the headers need. */
export interface StoredResult {
  readonly body: Uint8Array
  readonly columns: readonly ResultColumn[]
  readonly rowCount: number
  readonly isTruncated: boolean
  /** Strong, with its quotes: computed once. */
  readonly etag: string
  /** When its query began, in milliseconds since 1970: the result is as old as that. */
  readonly storedAt: number
  /** Milliseconds since 1970; equal to `storedAt` where the endpoint is not cached. */
  readonly freshUntil: number
}

/** Keeps results. A failure is a rejected promise; the cache makes a miss of it. */
export interface ResultStore {
  get(key: string): Promise<StoredResult | undefined> | StoredResult | undefined
  /** False when the store has no room for a result of this size. */
  set(key: string, result: StoredResult, keepMs: number): Promise<boolean> | boolean
  delete(key: string): Promise<void> | void
  close(): Promise<void>
}

/** Who calls. */
export interface Caller {
  /** The token's name in the tokens file; for the log. */
  readonly token: string
  /** May this token call the endpoint of this name? */
  mayCall(endpointName: string): boolean
  /** Arguments that every call of this token runs with; as wire text. */
  readonly pinned: Readonly<Record<string, string>>
  /** Counts one call against the token's rate: 0 when it may go on, else milliseconds until the next one may. */
  admit(): number
}

export interface TokenStore {
  /** The caller of this token, or null when it is unknown or has expired. */
  find(token: string): Caller | null
  close(): Promise<void>
}

export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number
  /** Microseconds since 1970. */
  nowMicros(): bigint
  /** Calls back after so many milliseconds; returns how to call it off. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void
}
