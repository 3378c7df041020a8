/** Scalar functions that run in JavaScript inside the engine's process, where no DuckDB function fits. */

export type ScalarFunctionType =
  | 'BIGINT'
  | 'HUGEINT'
  | 'DOUBLE'
  | 'BOOLEAN'
  | 'VARCHAR'
  | 'BLOB'
  | 'VARCHAR[]'
  | 'VARCHAR[][]'
  | 'BIGINT[]'
  | 'DOUBLE[]'

/** BIGINT and HUGEINT are bigint, DOUBLE is number, BLOB is Uint8Array, lists are arrays; NULL is null. */
export type ScalarFunctionValue =
  | bigint
  | number
  | boolean
  | string
  | Uint8Array
  | null
  | readonly ScalarFunctionValue[]

export interface ScalarFunction {
  /** Begins with `bq_`. */
  readonly name: string
  readonly parameters: readonly ScalarFunctionType[]
  readonly returns: ScalarFunctionType
  /** True: called for NULL arguments too. False: any NULL argument gives NULL without a call. */
  readonly handlesNull: boolean
  /** It may throw a RefusalError. Only for one that returns VARCHAR: it is called as `bq_unrefused(bq_name(…))`. */
  readonly refuses?: true
  /** @throws ScalarFunctionError with a message in BigQuery's words. */
  readonly compute: (...args: never[]) => ScalarFunctionValue
}

/** A query's own mistake, found while it runs; the message reaches authors and is in BigQuery's words. */
export class ScalarFunctionError extends Error {
  override readonly name = 'ScalarFunctionError'
}

/**
 * The query is right and the embedded engine does not compute it. SAFE must not make a NULL of that, and TRY makes one of
 * every error that a scalar function raises: so a refusal is returned as a text, of which bq_unrefused makes an error.
 */
export class RefusalError extends Error {
  override readonly name = 'RefusalError'
}

/** Begins the text that a scalar function returns in place of a RefusalError; no answer begins so. */
export const REFUSAL_MARK = '[refused] '

/** Stands before messages of ours in what DuckDB reports, so that its own texts are never taken for ours. */
export const NATIVE_ERROR_MARK = '[sluice] '
