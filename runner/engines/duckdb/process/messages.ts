/** The messages between the parent process and the engine's child process. */

import type { StructField, TableDefinition, Type } from '../../../../googlesql/data.js'
import type { PartitionRead, ShardRead } from '../../../../googlesql-duckdb/names-and-types.js'
import type { ArgumentProblem } from '../../../model/errors.js'
import type { ColumnPromise, FileReads, PartChoice, ResultSet, TablePart } from '../../../model/query.js'

/** A table that the engine may read. Without `files`, its files are looked up in the data folder. */
export interface TableSource {
  readonly definition: TableDefinition
  /** Absolute paths of the table's files. */
  readonly files?: readonly string[]
  /** Rows by column name, with values as HTTP results write them. */
  readonly rows?: readonly object[]
}

export interface SessionOptions {
  /** An existing folder of this session; it is removed when the session ends. */
  readonly folder: string
  readonly dataDir: string | null
  readonly database: string | null
  readonly tables: readonly { readonly definition: TableDefinition; readonly files?: readonly string[] }[]
  readonly memoryLimitMb: number
  /** Disk space for queries that exceed the memory limit, in megabytes. */
  readonly tempLimitMb: number
  readonly threads: number
  readonly connections: number
  /** Whether queries of many callers share the process, so that no query may block it. */
  readonly isShared: boolean
  /** How much lower the process's priority is than its parent's. @default 10 (NICENESS in fork-child.ts) */
  readonly niceness?: number
}

/** A value to bind; a value of type JSON, ARRAY or STRUCT is a plain JSON value. */
export interface WireParameter {
  readonly name: string
  readonly type: Type
  readonly value: unknown
}

/** A translated query. */
export interface Statement {
  readonly sql: string
  readonly tables: readonly string[]
  /** Whether the SQL, or a condition on shards or partitions, calls JavaScript functions. */
  readonly runsJavaScript: boolean
  /** The places where the SQL reads wildcard tables. */
  readonly shardReads: readonly ShardRead[]
}

/** A translated query with its arguments. */
export interface BoundQuery extends Statement {
  /** The parameters, in the order of $1, $2, … */
  readonly parameters: readonly WireParameter[]
}

export interface RunRequest extends BoundQuery {
  readonly kind: 'run'
  /** The columns of the result in order; names are unique. */
  readonly columns: readonly StructField[]
  readonly maxRows: number
  readonly timestamps: 'iso8601' | 'unix_micros'
  /** What the endpoint promises about each column; empty if it promises nothing. */
  readonly contract: readonly ColumnPromise[]
  readonly maxBytes: number
  /** The parts of a table that are read; its other parts have no rows that the query needs. */
  readonly parts?: PartChoice
  /** Whether the answer has the parts that were read; see RunOptions. */
  readonly tellsParts: boolean
  /** For an export: the format of its rows. Parts of the result are sent one by one, each after the reader has taken the part before. */
  readonly exported?: { readonly format: string; readonly endpoint: string; readonly revision: string }
}
export type CheckRequest = Statement & { readonly kind: 'check'; readonly columnCount: number }
export type ExplainRequest = BoundQuery & { readonly kind: 'explain' }
/** Asks which files a query would open. */
export type ReadsRequest = BoundQuery & { readonly kind: 'reads'; readonly partitionReads: readonly PartitionRead[] }
/** Asks for the parts of a table, or of those shards of a wildcard table that `shardReads` choose; see Engine. */
export interface PartsRequest extends Pick<BoundQuery, 'parameters' | 'shardReads'> {
  readonly kind: 'parts'
  readonly table: string
  readonly column: string
  readonly withTimes: boolean
}
/** Whether the request calls JavaScript functions. DuckDB calls none when it only plans a query. */
export const runsJavaScript = (request: Request): boolean =>
  (request.kind === 'run' || request.kind === 'reads') && request.runsJavaScript

export type Request =
  | RunRequest
  | CheckRequest
  | ExplainRequest
  | ReadsRequest
  | PartsRequest
  /** Looks again for tables without a schema file. */
  | { readonly kind: 'discover' }
  | { readonly kind: 'ping' }

/** Whether DuckDB works on the request, on a connection of its own. */
export const needsConnection = (request: Request): boolean =>
  request.kind === 'parts'
    ? request.withTimes || request.shardReads.length > 0
    : request.kind !== 'ping' && request.kind !== 'discover'

/** Whether the rows of a request are passed on as they come. */
export const isExport = (request: Request): boolean => request.kind === 'run' && request.exported !== undefined

/** The answer to each kind of request. */
export interface Answers {
  /** `body` lacks the parts that were sent before. */
  readonly run: Pick<ResultSet, 'body' | 'rowCount' | 'isTruncated' | 'parts'>
  readonly check: null
  readonly explain: { readonly sql: string; readonly plan: string }
  readonly reads: FileReads
  readonly parts: readonly TablePart[] | null
  readonly discover: Discovery
  readonly ping: null
}

export type Answer = Answers[keyof Answers]

/** The tables found in the data folder or the database. */
export interface Discovery {
  readonly tables: readonly TableDefinition[]
  /** Tables that have files but cannot be queried, and why; see TableCatalogue's `absence`. */
  readonly unreadable: readonly { readonly table: string; readonly reason: string }[]
  /**
   * Whether datasets exist that this child may not read, since they appeared after it was locked; the next child may read
   * them.
   */
  readonly hasNewDatasets: boolean
}

/** `cause` is DuckDB's text, or the reason why the process ended. */
export type Failure =
  /** The query or its data is at fault. */
  | {
      readonly kind: 'query'
      /** BigQuery's message. */
      readonly message: string
      readonly cause: string
      /** The kind of failure of an expression, without values; null if a file or a resource failed. */
      readonly reason: string | null
      /** Whether memory or disk space was short: other queries may have used it. */
      readonly isShortOfRoom?: boolean
    }
  /** The query's JavaScript functions have used up their time, so the query is not run again. */
  | { readonly kind: 'javascript-time'; readonly message: string }
  /** Any failure that no other kind describes. */
  | { readonly kind: 'engine'; readonly cause: string }
  /** Bound values are at fault. */
  | { readonly kind: 'argument'; readonly errors: readonly ArgumentProblem[]; readonly cause: string }
  | { readonly kind: 'too-large'; readonly maxBytes: number }
  /** The result breaks the endpoint's promise. */
  | { readonly kind: 'contract'; readonly message: string }
  /**
   * The query is to run apart. It has blocked the process that it shares with other queries (`blocked`), was in that process when the
   * process died (`died`), was short of memory or disk space beside other queries (`crowded`), or was found to block while this request
   * waited (`waited`).
   */
  | { readonly kind: 'disruptive'; readonly cause: string; readonly how: 'blocked' | 'died' | 'crowded' | 'waited' }
  | { readonly kind: 'interrupted' }

export type ToChild =
  /** `readAhead`: the tables that the child reads before it is ready. */
  | { readonly kind: 'open'; readonly options: SessionOptions; readonly readAhead: readonly string[] }
  | { readonly kind: 'request'; readonly id: number; readonly request: Request }
  | { readonly kind: 'cancel'; readonly id: number }
  /** The reader of an export has taken the part that was sent last. */
  | { readonly kind: 'taken'; readonly id: number }
  | { readonly kind: 'close' }

export type FromChild =
  | { readonly kind: 'ready'; readonly discovery: Discovery }
  | { readonly kind: 'broken'; readonly cause: string }
  | { readonly kind: 'part'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure }
  | { readonly kind: 'table-read'; readonly table: string; readonly files: number; readonly durationMs: number }
