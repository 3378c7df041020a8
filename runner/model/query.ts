/** What goes to an engine and what comes back. */
import type { ArgumentValue } from './param.js'

/** A value with its BigQuery type: `STRING`, `INT64`, `ARRAY<STRING>`, `STRUCT<a INT64>` for library callers. */
export interface BoundValue {
  readonly type: string
  readonly value: unknown
}

/** BigQuery SQL and the values bound to its `@names`. Text and values never mix. */
export interface Query {
  readonly sql: string
  readonly parameters: Readonly<Record<string, BoundValue>>
  /** From the check of this text with parameters of these types: what only the engine that checked it can read. */
  readonly compiled?: object
}

/** `type` as GoogleSQL writes it: `ARRAY<STRUCT<a INT64>>`. */
export interface ResultColumn {
  readonly name: string
  readonly type: string
}

/**
 * `json`: `{"result":[{…},…]}`; `ndjson`: one object a line; `csv`: RFC 4180 with a header line; `arrays`: `[[…],…]`, a
 * JSON array of rows, each an array in column order.
 */
export const RESULT_FORMATS = ['json', 'ndjson', 'csv', 'arrays'] as const
export type ResultFormat = (typeof RESULT_FORMATS)[number]

/** What a warehouse would read for a query. */
export interface WarehouseReads {
  readonly bytes: number
  /** How many tables it names, views' own among them. */
  readonly tables: number
}

/** What a query cost on a warehouse. */
export interface QueryCost {
  readonly bytesProcessed: number
  readonly bytesBilled: number
  /** The warehouse had the result already. */
  readonly isCacheHit: boolean
  /** As the warehouse names it; null where it made none. */
  readonly jobId: string | null
}

/** Finished bytes: what a caller is sent. */
export interface ResultSet {
  readonly columns: readonly ResultColumn[]
  readonly rowCount: number
  /** The engine had more rows than `maxRows`. */
  readonly isTruncated: boolean
  readonly body: Uint8Array
  /** Only of a warehouse. */
  readonly cost?: QueryCost
}

export type ArgumentMap = Readonly<Record<string, ArgumentValue>>
