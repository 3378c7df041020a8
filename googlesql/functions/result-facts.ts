/**
 * What is known about the results of a function, for the contracts of result columns. `unknown` promises nothing. Source: the
 * documentation of each function.
 */

export interface ResultFacts {
  /**
   * When the result is NULL. `with-argument`: only if an argument is NULL, and for an aggregate also if there is no row. For a
   * function that chooses among its arguments, `evaluation` in the catalogue says which argument.
   */
  readonly nulls: 'never' | 'with-argument' | 'unknown'
  /**
   * Whether an INT64 result is always within ±(2^53−1) or NULL. `with-arguments`: if this is true
   * of every argument that may become the result.
   */
  readonly isSmall: 'always' | 'with-arguments' | 'unknown'
  /**
   * What the result consists of. `argument`: it is one of the arguments. `element`: it is an element of the first argument, and
   * it is NULL only if that element or an argument is NULL. `elements`: an array of elements of the arguments, which are
   * arrays. `arguments`: an array of the arguments of all rows. `without-null`: an array without a NULL.
   */
  readonly parts: 'argument' | 'element' | 'elements' | 'arguments' | 'without-null' | 'unknown'
  /** Which arguments cannot be NULL if the result is TRUE. */
  readonly notNullIfTrue: 'all' | 'first' | 'unknown'
}

export const UNKNOWN: ResultFacts = { nulls: 'unknown', isSmall: 'unknown', parts: 'unknown', notNullIfTrue: 'unknown' }
export const NEVER_NULL: ResultFacts = { ...UNKNOWN, nulls: 'never' }
export const NULL_FROM_NULL: ResultFacts = { ...UNKNOWN, nulls: 'with-argument' }
export const COUNT: ResultFacts = { ...NEVER_NULL, isSmall: 'always' }
export const SMALL_INTEGER: ResultFacts = { ...NULL_FROM_NULL, isSmall: 'always' }
export const SMALL_OR_NULL: ResultFacts = { ...UNKNOWN, isSmall: 'always' }
export const SMALL_AS_ARGUMENT: ResultFacts = { ...NULL_FROM_NULL, isSmall: 'with-arguments' }
export const ARGUMENT: ResultFacts = { ...UNKNOWN, isSmall: 'with-arguments', parts: 'argument' }
/** The result is one of all the arguments (GREATEST), or one of the argument's values in all rows (MAX, ANY_VALUE). */
export const ONE_OF_ARGUMENTS: ResultFacts = { ...ARGUMENT, nulls: 'with-argument' }
export const ELEMENT: ResultFacts = { ...UNKNOWN, parts: 'element' }
export const ELEMENTS: ResultFacts = { ...UNKNOWN, parts: 'elements' }
export const ARGUMENTS: ResultFacts = { ...UNKNOWN, parts: 'arguments' }
export const WITHOUT_NULL: ResultFacts = { ...UNKNOWN, parts: 'without-null' }
export const COMPARISON: ResultFacts = { ...NULL_FROM_NULL, notNullIfTrue: 'all' }
export const MEMBERSHIP: ResultFacts = { ...NULL_FROM_NULL, notNullIfTrue: 'first' }
