/** What the parent process and the engine's child process say to each other. */

import type { StructField, TableDefinition, Type } from '../../../../googlesql/data.js'
import type { ArgumentProblem } from '../../../model/errors.js'
import type { ResultFormat } from '../../../model/query.js'

/** A table that the engine may read. Where `files` is not given, its files are looked for in the data folder. */
export interface TableSource {
  readonly definition: TableDefinition
  /** Files of this table, by absolute path. */
  readonly files?: readonly string[]
  /** Values as DESIGN 6 has them on the wire, by column name. */
  readonly rows?: readonly object[]
}

export interface SessionOptions {
  /** Exists, is this session's own, and is removed with it. */
  readonly folder: string
  readonly dataDir: string | null
  readonly database: string | null
  readonly tables: readonly { readonly definition: TableDefinition; readonly files?: readonly string[] }[]
  readonly memoryLimitMb: number
  /** What queries that need more memory may write to the disk. */
  readonly tempLimitMb: number
  readonly threads: number
  readonly connections: number
}

/** A value to be bound; those of JSON, ARRAY and STRUCT are plain JSON values. */
export interface WireParameter {
  readonly name: string
  readonly type: Type
  readonly value: unknown
}

export interface RunRequest {
  readonly kind: 'run'
  readonly sql: string
  /** A quicker way to the same rows over large files; it fails where `sql` does not, and then `sql` counts. Null for none. */
  readonly quickSql: string | null
  /** What the query gives, in order; names are unique. */
  readonly columns: readonly StructField[]
  /** In the order of $1, $2, … */
  readonly parameters: readonly WireParameter[]
  readonly tables: readonly string[]
  readonly maxRows: number
  readonly format: ResultFormat
  readonly timestamps: 'iso8601' | 'unix_micros'
  readonly maxBytes: number
}
export interface CheckRequest {
  readonly kind: 'check'
  readonly sql: string
  readonly columns: readonly StructField[]
  readonly tables: readonly string[]
}
export interface ExplainRequest {
  readonly kind: 'explain'
  readonly sql: string
  /** As RunRequest's. */
  readonly quickSql: string | null
  readonly parameters: readonly WireParameter[]
  readonly tables: readonly string[]
}
/** Looks again for tables that have no schema of their own. */
export interface DiscoverRequest {
  readonly kind: 'discover'
}
export interface PingRequest {
  readonly kind: 'ping'
}
export type Request = RunRequest | CheckRequest | ExplainRequest | DiscoverRequest | PingRequest

/** What each kind of request is answered with. */
export interface Answers {
  /** Of the body, what comes after the parts that were sent before. */
  readonly run: { readonly body: Uint8Array; readonly rowCount: number; readonly isTruncated: boolean }
  readonly check: null
  readonly explain: { readonly sql: string; readonly plan: string }
  readonly discover: Discovery
  readonly ping: null
}

/** Tables found in the data folder or the database, and what was left out of them and why, for the log. */
export interface Discovery {
  readonly tables: readonly TableDefinition[]
  readonly notes: readonly string[]
  /** Tables that there are files of, and why they cannot be queried: as TableCatalogue's `absence` tells it. */
  readonly unreadable: readonly { readonly table: string; readonly reason: string }[]
  /** There are datasets that this child may not read, since it was locked before they were there; the next child may. */
  readonly isOutgrown: boolean
}

/**
 * `query`: the query or its data is at fault, `message` in BigQuery's words. `engine`: anything else. `cause` is
 * DuckDB's own text. `argument`: bound values are at fault. `too-large`: the result has more bytes than it may have.
 */
export type Failure =
  | { readonly kind: 'query'; readonly message: string; readonly cause: string }
  | { readonly kind: 'engine'; readonly cause: string }
  | { readonly kind: 'argument'; readonly errors: readonly ArgumentProblem[]; readonly cause: string }
  | { readonly kind: 'too-large'; readonly maxBytes: number }
  | { readonly kind: 'interrupted' }

export type ToChild =
  | { readonly kind: 'open'; readonly options: SessionOptions }
  | { readonly kind: 'request'; readonly id: number; readonly request: Request }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'close' }

export type FromChild =
  | { readonly kind: 'ready'; readonly discovery: Discovery }
  | { readonly kind: 'broken'; readonly cause: string }
  | { readonly kind: 'part'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answers[keyof Answers] }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure }
  | { readonly kind: 'table-read'; readonly table: string; readonly files: number; readonly durationMs: number }
