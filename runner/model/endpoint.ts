/** An endpoint: a manifest compiled, frozen and ready to serve. */
import type { Diagnostic } from './diagnostic.js'
import type { Parameter } from './param.js'
import type { ArgumentMap, ColumnPromise, Query, WarehouseReads } from './query.js'

export interface CachePolicy {
  /** The greatest age of a result that is served, in milliseconds. */
  readonly ttlMs: number
  /** The interval of background refreshes of an entry in use, in milliseconds; null for none. */
  readonly warmMs: number | null
  /** How long beyond its ttl a result may be served when the engine fails, in milliseconds; 0 for not at all. */
  readonly staleIfErrorMs: number
  /** How long beyond its ttl a result is served while the background refresh runs, in milliseconds; 0 for not at all. */
  readonly staleWhileRevalidateMs: number
  /** True: a result is also dropped, before its ttl ends, when the data that it was computed from changes. */
  readonly untilDataChanges: boolean
  /**
   * The age from which a row no longer changes, in milliseconds, for engines that report changes late: buckets of such rows are kept
   * for the next query. Null where each query reads all of its rows.
   */
  readonly settledMs: number | null
}

/** How a result is given out page by page. */
export interface PagePolicy {
  /** The most rows of a page. */
  readonly maxSize: number
  /** How long the result is kept after its last page was asked for, in milliseconds. */
  readonly keepMs: number
}

/** A column of the row contract, as declared or else as inferred from the query. */
export interface ContractColumn extends ColumnPromise {
  readonly name: string
  /**
   * As GoogleSQL writes it, with all fields of a STRUCT. Where variants have different fields, the fields are left out, as in the
   * declaration: `ARRAY<STRUCT>`.
   */
  readonly type: string
  readonly description: string
  /**
   * `number`: JSON has every value as a number; `string`: every value as a string. Null for columns of other types, and where the form
   * depends on the value: an INT64 is a string only beyond ±(2^53−1), a FLOAT64 only where it is NaN or infinite.
   */
  readonly json: 'number' | 'string' | null
  /** `ms`, `bytes`, …; null where none is declared. */
  readonly unit: string | null
}

/** The limits of an export. */
export interface ExportPolicy {
  readonly maxRows: number
  /** The most milliseconds of an export; the time that the caller takes to read counts too. */
  readonly timeoutMs: number
}

export interface Endpoint {
  /** The UUID, in lower case. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  /** The parameter that identifies the tenant: a token must pin it or be for all tenants. Null: the endpoint has no tenants. */
  readonly tenant: string | null
  readonly columns: readonly ContractColumn[]
  /** The tables that its queries name, as their schemas spell them; null where only the warehouse knows the tables of some query. */
  readonly tables: readonly string[] | null
  readonly maxRows: number
  /** The cache policy; null where results are not cached. */
  readonly cache: CachePolicy | null
  /** Null where results have no pages. */
  readonly pages: PagePolicy | null
  readonly timeoutMs: number
  readonly timestamps: 'iso8601' | 'unix_micros'
  /** Null where it has no exports. */
  readonly export: ExportPolicy | null
  /** The most bytes that BigQuery may bill a query for; null for no limit. Other engines ignore it. */
  readonly maxBytesBilled: number | null
  /** The largest body of a result, in bytes; null for no limit but the engine's. */
  readonly maxResultBytes: number | null
  readonly labels: Readonly<Record<string, string>>
  /** A hash of everything that can change a result: the manifest, its partials, all table schemas and functions, the engine. */
  readonly revision: string
  /**
   * Reviewed rows of a result, for documents: those of `<name>.example.json`, to be written by `stringifyExact`. Null where
   * there is no such file.
   */
  readonly example: readonly unknown[] | null
  /** Whether undeclared arguments are an error; otherwise they are ignored. */
  readonly rejectsUnknown: boolean
  /** The settings as authored, with defaults filled in, for `GET /api/endpoints`. */
  readonly settings: Readonly<Record<string, unknown>>
  /**
   * The query for these arguments, each already typed. `nowMicros`, since 1970, is bound to `@now`, truncated as the manifest says.
   */
  render(args: ArgumentMap, nowMicros: bigint): Query
}

/** A manifest with errors: an endpoint that cannot be served. */
export interface BrokenEndpoint {
  readonly file: string
  /** Null where it cannot be read. */
  readonly name: string | null
  /** The UUID, in lower case; null where it cannot be read. */
  readonly id: string | null
  /** Its errors and warnings, those of partials that it includes too. */
  readonly diagnostics: readonly Diagnostic[]
}

/** One SQL text that a template can produce, and the choices that lead to it. */
export interface Variant {
  /** The choices in words, for diagnostics and `--explain`: `interval=1day, function_id given`. */
  readonly label: string
  readonly sql: string
  /** What the warehouse would read; absent where no warehouse was asked. */
  readonly reads?: WarehouseReads
}
