/** An endpoint: a manifest compiled, frozen and ready to serve. */
import type { Parameter } from './param.js'
import type { ArgumentMap, Query, WarehouseReads } from './query.js'

export interface CachePolicy {
  /** How old a result may be. */
  readonly ttlMs: number
  /** How often an entry in use is queried again in the background; null for never. */
  readonly warmMs: number | null
  /** How long beyond its ttl an old result may be served when the engine fails; 0 for never. */
  readonly staleIfErrorMs: number
  /** How long beyond its ttl an old result is served while a new one is made in the background; 0 for never. */
  readonly staleWhileRevalidateMs: number
  /** A result is kept until the data changes that it was made of, and within its ttl. */
  readonly untilDataChanges: boolean
}

/** The fields of a nested column are left open where the manifest leaves them so. */
export interface DeclaredColumn {
  readonly name: string
  readonly type: string
  readonly description: string
}

export interface Endpoint {
  /** Lower case. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  /** The parameter that tells tenants apart: who calls must pin it, or be for all tenants. Null: there are none. */
  readonly tenant: string | null
  readonly columns: readonly DeclaredColumn[]
  readonly maxRows: number
  /** Null: results are not cached. */
  readonly cache: CachePolicy | null
  readonly timeoutMs: number
  readonly timestamps: 'iso8601' | 'unix_micros'
  /** BigQuery only; null for no limit. */
  readonly maxBytesBilled: number | null
  /** Of a result's body; null for no limit but the engine's. */
  readonly maxResultBytes: number | null
  readonly labels: Readonly<Record<string, string>>
  /** A hash over everything that can change a result: manifest, partials, lookup tables, table schemas. */
  readonly revision: string
  /** The settings as authored, defaults filled in, for the describe route. */
  readonly settings: Readonly<Record<string, unknown>>
  /** The query for these arguments, each already typed; `nowMicros` since 1970 is bound to `@now`, truncated as the manifest says. */
  render(args: ArgumentMap, nowMicros: bigint): Query
}

/** One SQL text that a template can produce, and how to come to it. */
export interface Variant {
  /** `interval=1day, function_id given`: for diagnostics and `--explain`. */
  readonly label: string
  readonly sql: string
  /** Only where a warehouse was asked. */
  readonly reads?: WarehouseReads
}
