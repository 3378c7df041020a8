/** Scalar functions that run in JavaScript in the engine's process, where DuckDB has no suitable function. */

/** The JavaScript values of each type; NULL is null. */
interface Values {
  BIGINT: bigint
  HUGEINT: bigint
  BIGNUM: bigint
  DOUBLE: number
  BOOLEAN: boolean
  VARCHAR: string
  BLOB: Uint8Array
  'VARCHAR[]': readonly (string | null)[]
  'VARCHAR[][]': readonly (readonly string[])[]
  'BIGINT[]': readonly (bigint | null)[]
  'DOUBLE[]': readonly (number | null)[]
}
export type ScalarFunctionType = keyof Values
export type ScalarFunctionValue = Values[ScalarFunctionType] | null | readonly ScalarFunctionValue[]

export interface ScalarFunction {
  /** The SQL name, which begins with `bq_`. */
  readonly name: string
  readonly parameters: readonly ScalarFunctionType[]
  readonly returns: ScalarFunctionType
  /** Whether the function is called for NULL arguments too; otherwise any NULL argument gives NULL without a call. */
  readonly handlesNull: boolean
  /** Whether a call is short for any texts, so that its time need not be watched. @default false */
  readonly isShort?: true
  /**
   * Whether `compute` may throw a RefusalError. Only for functions that return VARCHAR: SQL calls them as
   * `bq_raise_refusal(bq_name(…))`.
   */
  readonly refuses?: true
  /** @throws ScalarFunctionError with a message in BigQuery's words. */
  readonly compute: (...args: never[]) => ScalarFunctionValue
}

type Facts = Partial<Pick<ScalarFunction, 'handlesNull' | 'isShort' | 'refuses'>>
type Arguments<Types extends readonly ScalarFunctionType[], F extends Facts> = {
  [I in keyof Types]: Values[Types[I]] | (F extends { handlesNull: true } ? null : never)
}

/**
 * Makes a scalar function; `facts` are the members that do not have their default. `compute` may declare a narrower type for an argument
 * than the SQL type has. TypeScript allows that only for methods, so the type of `compute` is that of a method.
 */
export const scalar = <const Types extends readonly ScalarFunctionType[], const F extends Facts = object>(
  name: string,
  parameters: Types,
  returns: ScalarFunctionType,
  compute: { method(...args: Arguments<Types, F>): ScalarFunctionValue }['method'],
  facts?: F,
): ScalarFunction => ({
  name,
  parameters,
  returns,
  handlesNull: false,
  compute: compute as ScalarFunction['compute'],
  ...facts,
})

/** An error of the query itself, found at run time. The message is shown to authors and is in BigQuery's words. */
export class ScalarFunctionError extends Error {
  override readonly name = 'ScalarFunctionError'
}

export function fail(message: string): never {
  throw new ScalarFunctionError(message)
}

/**
 * Thrown for a correct query that the embedded engine cannot compute. SAFE must not turn a refusal into NULL, but TRY turns
 * every error of a scalar function into NULL. So the function returns the refusal as a text, which bq_raise_refusal turns into an
 * error.
 */
export class RefusalError extends Error {
  override readonly name = 'RefusalError'
}

/** The beginning of the text that a scalar function returns for a RefusalError; no other result begins with it. */
export const REFUSAL_MARK = '[refused] '

/**
 * Precedes this project's error messages inside DuckDB's error messages, so that DuckDB's own texts are never mistaken for
 * them.
 */
export const NATIVE_ERROR_MARK = '[sluice] '
