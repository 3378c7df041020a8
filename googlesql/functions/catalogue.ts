/**
 * The shape of the function catalogue: what the language knows of a function. How an engine computes it is the engine's
 * affair. The entries are data, by topic, in the files beside this one; `all.ts` joins them.
 */
import type { Expr } from '../plan/nodes.js'
import type { Type } from '../types/types.js'

export type FunctionKind = 'scalar' | 'aggregate' | 'window'

/**
 * A signature, in words: `(STRING, INT64, [INT64]) -> STRING`.
 *
 *     STRING, ARRAY<INT64>   a type; an argument is coerced to it where the language allows
 *     T, U                   any type, the same wherever the letter stands: `(ARRAY<T>, T) -> BOOL`. T takes the common
 *                            supertype of its arguments.
 *     ANY                    any type, on its own
 *     [X]                    may be left out (all after it too)
 *     X...                   one or more; (X...)? written `[X...]` is none or more
 *     name => X              a named argument, always optional; it may also be given by position
 *     PART                   a date part: DAY, WEEK(MONDAY)
 *     WORD(NFC|NFKC)         one of these keywords
 *     LAMBDA(T) -> U         a lambda of these parameter types
 */
export type SignatureText = string

/**
 * Whether the function itself raises an error for some arguments of its signatures' types, be it an overflow; or, where it
 * can be told from the coerced arguments (null: not given), for some values of those. Errors of the arguments are theirs.
 */
export type CanFail = boolean | ((args: readonly (Expr | null)[]) => boolean)

export const CAN_FAIL = true
export const NEVER_FAILS = false

/** It can fail where this argument is given and is no literal; literals are checked before the query runs. */
export const canFailUnlessLiteral =
  (index: number) =>
  (args: readonly (Expr | null)[]): boolean =>
    canFailWith(index)(args) && args[index]?.kind !== 'literal'

/** It can fail where this argument is given: a time zone, or the month behind the year. */
export const canFailWith =
  (index: number) =>
  (args: readonly (Expr | null)[]): boolean =>
    args[index] !== undefined && args[index] !== null

/**
 * Of the same arguments: `immutable` is the same value always, `stable` the same within one query (it reads the clock),
 * `volatile` another value at each call.
 */
export type Volatility = 'immutable' | 'stable' | 'volatile'

/**
 * Which arguments are computed: `all` of them; of `chosen` the first, and the one that it chooses; of `until-value` one
 * after another until there is one that is not NULL. An error in an argument that is not computed is none. `may-stop`
 * promises nothing: the result may be known before all arguments are computed, in whatever order.
 */
export type Evaluation = 'all' | 'chosen' | 'until-value' | 'may-stop'

export interface FunctionEntry {
  /** Upper case, `NET.HOST` with its dot; operators begin with `$`. */
  readonly name: string
  readonly aliases?: readonly string[]
  readonly kind: FunctionKind
  readonly canFail: CanFail
  readonly volatility: Volatility
  readonly evaluation: Evaluation
  readonly signatures: readonly SignatureText[]
  /** The page and anchor of BigQuery's documentation: `string_functions#lower`; the open language's where it is beyond BigQuery. */
  readonly documentation: string
  /** The open language has it and BigQuery's documentation does not: BigQuery itself would not find it. */
  readonly isBeyondBigQuery?: true
  /** Where a signature cannot say it: the result's type from the coerced arguments (null: not given). */
  readonly resultType?: (args: readonly (Expr | null)[], declared: Type | null) => Type
  /** Its signatures of NUMERIC and BIGNUMERIC are for calls whose arguments all are of those types; elsewhere one is enough. */
  readonly decimalsNeedAll?: true
  /** Arguments of signatures, as between their parentheses, that a text literal or parameter does not match. */
  readonly notForTextLiterals?: readonly string[]
  /**
   * A further check of the coerced arguments: a message in BigQuery's words, or null when they will do. Entries cannot look
   * into the catalogue that they make up, so the check is handed what it may have to know of other functions.
   */
  readonly check?: (args: readonly (Expr | null)[], isVolatileCall: (expr: Expr) => boolean) => string | null
  /** For aggregates and window functions. */
  readonly aggregate?: AggregateTraits
  /** SAFE. may stand before it; default true for scalars. */
  readonly allowsSafe?: boolean
}

/** What BigQuery has and this project refuses: a function, all of a family (`ST_*`), or a clause. */
export interface Refusal {
  /** Upper case; the part before a closing `*` is all that has to fit. */
  readonly name: string
  /** Page and anchor, as FunctionEntry has them. */
  readonly documentation: string
  /** Goes on after `… is not supported: `. */
  readonly reason: string
}

export interface AggregateTraits {
  readonly allowsDistinct?: boolean
  readonly allowsNullsClause?: boolean
  /** What happens without IGNORE/RESPECT NULLS. */
  readonly ignoresNullsByDefault?: boolean
  readonly allowsOrderBy?: boolean
  readonly allowsLimit?: boolean
  readonly allowsHaving?: boolean
  /** May stand with OVER. */
  readonly allowsOver?: boolean
  /** Must not stand without OVER. */
  readonly requiresOver?: boolean
  /** With OVER it must have ORDER BY: RANK, LEAD, … */
  readonly requiresOrder?: boolean
  /** With OVER it must not have ORDER BY. */
  readonly refusesOrder?: boolean
  /** With OVER it may have a frame. */
  readonly allowsFrame?: boolean
  /** The empty input's value is not NULL: COUNT gives 0. */
  readonly emptyIsZero?: boolean
}

/** Marks an entry that only the open language's documentation has. */
export function beyondBigQuery(entry: FunctionEntry): FunctionEntry {
  return { ...entry, isBeyondBigQuery: true }
}
