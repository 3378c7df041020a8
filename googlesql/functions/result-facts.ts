/**
 * What is known of the results of a function, for the contracts of result columns. What is not known promises nothing. Source:
 * the documentation of each function.
 */

export interface ResultFacts {
  /**
   * When it is NULL: `with-argument` only where an argument is, and for an aggregate also where there is no row. A function that
   * chooses among its arguments says so by `evaluation`.
   */
  readonly nulls: 'never' | 'with-argument' | 'unknown'
  /** Whether an INT64 is within ±(2^53−1), or NULL: `with-arguments` where each argument that it may be is. */
  readonly isSmall: 'always' | 'with-arguments' | 'unknown'
  /**
   * What it consists of: `argument`: it is one of the arguments. `element`: it is an element of the first argument, and NULL only
   * where that element or an argument is. `elements`: an array of elements of the arguments, which are arrays. `arguments`: an
   * array of the arguments of all rows. `without-null`: an array without a NULL.
   */
  readonly parts: 'argument' | 'element' | 'elements' | 'arguments' | 'without-null' | 'unknown'
  /** Which arguments are not NULL where it is TRUE. */
  readonly trueWithout: 'null-arguments' | 'null-first' | 'unknown'
}

export const UNKNOWN: ResultFacts = { nulls: 'unknown', isSmall: 'unknown', parts: 'unknown', trueWithout: 'unknown' }
export const NEVER_NULL: ResultFacts = { ...UNKNOWN, nulls: 'never' }
export const NULL_FROM_NULL: ResultFacts = { ...UNKNOWN, nulls: 'with-argument' }
export const COUNT: ResultFacts = { ...NEVER_NULL, isSmall: 'always' }
export const SMALL_INTEGER: ResultFacts = { ...NULL_FROM_NULL, isSmall: 'always' }
export const SMALL_OR_NULL: ResultFacts = { ...UNKNOWN, isSmall: 'always' }
export const SMALL_AS_ARGUMENT: ResultFacts = { ...NULL_FROM_NULL, isSmall: 'with-arguments' }
export const ARGUMENT: ResultFacts = { ...UNKNOWN, isSmall: 'with-arguments', parts: 'argument' }
/** One of the arguments, of all of them or of all rows. */
export const EXTREME: ResultFacts = { ...ARGUMENT, nulls: 'with-argument' }
export const ELEMENT: ResultFacts = { ...UNKNOWN, parts: 'element' }
export const ELEMENTS: ResultFacts = { ...UNKNOWN, parts: 'elements' }
export const ARGUMENTS: ResultFacts = { ...UNKNOWN, parts: 'arguments' }
export const WITHOUT_NULL: ResultFacts = { ...UNKNOWN, parts: 'without-null' }
export const COMPARISON: ResultFacts = { ...NULL_FROM_NULL, trueWithout: 'null-arguments' }
export const MEMBERSHIP: ResultFacts = { ...NULL_FROM_NULL, trueWithout: 'null-first' }
