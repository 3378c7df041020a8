/** Scalar functions that run in JavaScript in the engine's process, where DuckDB has no suitable function. */

export type ScalarFunctionType =
  | 'BIGINT'
  | 'HUGEINT'
  | 'BIGNUM'
  | 'DOUBLE'
  | 'BOOLEAN'
  | 'VARCHAR'
  | 'BLOB'
  | 'VARCHAR[]'
  | 'VARCHAR[][]'
  | 'BIGINT[]'
  | 'DOUBLE[]'

/** BIGINT, HUGEINT and BIGNUM are bigint, DOUBLE is number, BLOB is Uint8Array, lists are arrays; NULL is null. */
export type ScalarFunctionValue =
  | bigint
  | number
  | boolean
  | string
  | Uint8Array
  | null
  | readonly ScalarFunctionValue[]

export interface ScalarFunction {
  /** The SQL name, which begins with `bq_`. */
  readonly name: string
  readonly parameters: readonly ScalarFunctionType[]
  readonly returns: ScalarFunctionType
  /** Whether the function is called for NULL arguments too; otherwise any NULL argument gives NULL without a call. */
  readonly handlesNull: boolean
  /** Whether DuckDB must compute every call, and where it is written. TRY refuses such functions. @default false */
  readonly isVolatile?: boolean
  /**
   * Whether `compute` may throw a RefusalError. Only for functions that return VARCHAR: SQL calls them as
   * `bq_unrefused(bq_name(…))`.
   */
  readonly refuses?: true
  /** @throws ScalarFunctionError with a message in BigQuery's words. */
  readonly compute: (...args: never[]) => ScalarFunctionValue
}

/** An error of the query itself, found at run time. The message is shown to authors and is in BigQuery's words. */
export class ScalarFunctionError extends Error {
  override readonly name = 'ScalarFunctionError'
}

/**
 * Thrown for a correct query that the embedded engine does not compute. SAFE must not turn this into NULL, and TRY does so
 * with every error of a scalar function: so a refusal is returned as a text, which bq_unrefused turns into an error.
 */
export class RefusalError extends Error {
  override readonly name = 'RefusalError'
}

/** Begins the text that a scalar function returns in place of a RefusalError; no answer begins so. */
export const REFUSAL_MARK = '[refused] '

/** The start of this project's error messages in those of DuckDB, so that DuckDB's own texts are never mistaken for them. */
export const NATIVE_ERROR_MARK = '[sluice] '
