/** Scalar functions that run in JavaScript inside the engine's process, where no DuckDB function fits. */

export type NativeType =
  | 'BIGINT'
  | 'HUGEINT'
  | 'DOUBLE'
  | 'BOOLEAN'
  | 'VARCHAR'
  | 'BLOB'
  | 'VARCHAR[]'
  | 'BIGINT[]'
  | 'DOUBLE[]'

/** BIGINT and HUGEINT are bigint, DOUBLE is number, BLOB is Uint8Array, lists are arrays; NULL is null. */
export type NativeValue = bigint | number | boolean | string | Uint8Array | null | readonly NativeValue[]

export interface NativeFunction {
  /** Begins with `bq_`. */
  readonly name: string
  readonly parameters: readonly NativeType[]
  readonly returns: NativeType
  /** True: called for NULL arguments too. False: any NULL argument gives NULL without a call. */
  readonly handlesNull: boolean
  /** @throws NativeError with a message in BigQuery's words. */
  readonly compute: (...args: never[]) => NativeValue
}

/** A query's own mistake, found while it runs; the message reaches authors and is in BigQuery's words. */
export class NativeError extends Error {
  override readonly name = 'NativeError'
}

/** Stands before messages of ours in what DuckDB reports, so that its own texts are never taken for ours. */
export const NATIVE_ERROR_MARK = '[sluice] '
