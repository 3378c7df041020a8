/** Queries and results: what goes to an engine and what it returns. */
import type { ArgumentValue } from './param.js'

/** A value with its BigQuery type: `STRING`, `INT64`, `ARRAY<STRING>`; from the library also `STRUCT<a INT64>`. */
export interface BoundValue {
  readonly type: string
  readonly value: unknown
}

/** BigQuery SQL and the values bound to its `@names`. Values are never written into the text. */
export interface Query {
  readonly sql: string
  readonly parameters: Readonly<Record<string, BoundValue>>
  /**
   * The compiled query that `Engine.check` returned for this text and these parameter types. Opaque to all but that engine.
   */
  readonly compiled?: object
}

/** `type` as GoogleSQL writes it: `ARRAY<STRUCT<a INT64>>`. */
export interface ResultColumn {
  readonly name: string
  readonly type: string
}

/** What the values of a result's column, or of a field within it, keep to. */
export interface ColumnPromise {
  /** Never NULL; a field, wherever its STRUCT is not NULL. */
  readonly required: boolean
  /** The form of its numbers: see ContractColumn. */
  readonly json: 'number' | 'string' | null
  /** The promises of the fields, in order, for a STRUCT or an ARRAY of STRUCTs; absent where nothing is promised. */
  readonly fields?: readonly ColumnPromise[]
}

/** What an engine's check finds out about a column. */
export interface CheckedColumn extends ResultColumn {
  /** Present where the query shows that the column is never NULL. */
  readonly required?: true
  /** Present where the query shows that the numbers of the column are within ±(2^53−1). */
  readonly json?: 'number'
  /** Present where the query shows the same of a field of a STRUCT, or of an ARRAY of STRUCTs. */
  readonly fields?: readonly ColumnPromise[]
}

/** What a warehouse would read to answer a query. */
export interface WarehouseReads {
  readonly bytes: number
  /** The number of tables that the query names, including those inside views. */
  readonly tables: number
}

/** What the embedded engine would open of a table to answer a query. */
export interface TableReads {
  readonly table: string
  /** The number of files and their bytes; null for a table of a database file. */
  readonly files: number | null
  readonly bytes: number | null
  /** How many parts are read of how many there are; null for a table without parts. */
  readonly parts: { readonly kind: 'partitions' | 'shards'; readonly read: number; readonly of: number } | null
}

/** What the embedded engine would open to answer a query. The totals count each file once. */
export interface FileReads {
  readonly tables: readonly TableReads[]
  readonly files: number
  readonly bytes: number
}

/** What an engine would read to answer a query. */
export type QueryReads =
  | ({ readonly engine: 'duckdb' } & FileReads)
  | ({ readonly engine: 'bigquery' } & WarehouseReads)

/** What a warehouse billed for a query. */
export interface QueryCost {
  readonly bytesProcessed: number
  readonly bytesBilled: number
  /** True when the warehouse answered from its own result cache. */
  readonly isCacheHit: boolean
  /** The warehouse's name for the job; null where it created none. */
  readonly jobId: string | null
}

/** A result as finished bytes: `{"result":[{…},…]}`, from which all other formats are derived. */
export interface ResultSet {
  readonly columns: readonly ResultColumn[]
  readonly rowCount: number
  /** True when the engine had more rows than `maxRows`. */
  readonly isTruncated: boolean
  readonly body: Uint8Array
  /** What the warehouse billed; absent on other engines. */
  readonly cost?: QueryCost
  /**
   * The keys of the parts that the query has read, by table, where `tellsParts` asks for them. Tables without parts and tables with a
   * PartChoice are left out. Absent where a table may have changed meanwhile.
   */
  readonly parts?: Readonly<Record<string, readonly string[]>>
  /** How many of its buckets were not read anew; absent where all rows were. */
  readonly partial?: PartialRead
  /** The rows to keep for the next refresh; absent where there are none. */
  readonly kept?: KeptRows
}

/**
 * How an engine reports changes of a table. `exact`: it reports a change before any query sees it. `declared`: it may report a change
 * later, and rows older than a declared time count as settled.
 */
export type Tier = 'exact' | 'declared'

/** How many buckets of a result were `kept` from earlier queries, and how many it has. */
export interface PartialRead {
  readonly tier: Tier
  readonly kept: number
  readonly of: number
}

/** Rows of a result that are kept, see refresh/kept-rows.ts, and the key that they are kept under. */
export interface KeptRows extends Pick<ResultSet, 'body' | 'rowCount' | 'columns'>, KeptFacts {
  readonly key: string
}

export interface KeptFacts {
  /** Spans of time, in microseconds as digits, each with the number of its rows, which follow those of the span before. */
  readonly spans: readonly { readonly from: string; readonly until: string; readonly rows: number }[]
  /** The parts of the table that the rows were read from, as refresh/kept-parts.ts writes them. */
  readonly parts: string
}

/** A result with the time that was bound to its `@now`, in microseconds since 1970, as digits. */
export interface TimedResult extends ResultSet {
  readonly now: string
}

/** Some of the parts of a table, by their keys. */
export interface PartChoice {
  readonly table: string
  readonly keys: readonly string[]
}

export type ArgumentMap = Readonly<Record<string, ArgumentValue>>

/** A part of a table's rows, such as those of one file. */
export interface TablePart {
  /** Identifies the part in its state, and how it is read: equal keys mean equal rows. See partKey. */
  readonly key: string
  /**
   * The least and greatest value of the column in whole seconds since 1970 (civil for DATETIME and DATE), rounded down; null where no
   * row has a value. Absent where it was not asked for, where a value is not within the years 1 to 9999, and where a text is not a day.
   */
  readonly times?: { readonly least: number; readonly greatest: number } | null
}
