/**
 * The shape of the function catalogue: the facts of the language about a function. How an engine computes the function is
 * not part of it. The entries are data, by topic, in `definitions/`; `all.ts` joins them.
 */
import type { SqlMistake } from '../mistakes.js'
import type { Expr } from '../plan/nodes.js'
import type { Type } from '../types/types.js'
import type { ResultFacts } from './result-facts.js'

export type FunctionKind = 'scalar' | 'aggregate' | 'window'

/**
 * A signature, in words: `(STRING, INT64, [INT64]) -> STRING`.
 *
 *     STRING, ARRAY<INT64>   a type; an argument is coerced to it where the language allows
 *     T, U                   any type, the same wherever the letter stands: `(ARRAY<T>, T) -> BOOL`. T takes the common
 *                            supertype of its arguments.
 *     ANY                    any type, independent of the other parameters
 *     [X]                    optional; all parameters after it are optional too
 *     X...                   one or more arguments; `[X...]` zero or more
 *     name => X              a named argument, always optional, which cannot be given by position; `[name => X]` can
 *     PART                   a date part: DAY, WEEK(MONDAY)
 *     WORD(NFC|NFKC)         one of these keywords
 *     LAMBDA(T) -> U         a lambda of these parameter types
 */
export type SignatureText = string

/**
 * Whether the function itself can raise an error, an overflow included, for arguments of its signatures' types. A predicate
 * decides it from the coerced arguments of one call (null: not given). Errors that its arguments raise do not count.
 */
export type CanFail = boolean | ((args: Args) => boolean)

export const CAN_FAIL = true
export const NEVER_FAILS = false

/** The function can fail where this argument is given and is not a literal: literals are checked before the query runs. */
export const canFailUnlessLiteral =
  (index: number) =>
  (args: Args): boolean =>
    canFailWith(index)(args) && args[index]?.kind !== 'literal'

/** The function can fail where this argument is given, such as a time zone, or the month after the year. */
export const canFailWith =
  (index: number) =>
  (args: Args): boolean =>
    args[index] !== undefined && args[index] !== null

/**
 * What calls with equal arguments return: `immutable` always the same value, `stable` the same value within one query (the
 * function reads the clock), `volatile` another value at each call.
 */
export type Volatility = 'immutable' | 'stable' | 'volatile'

/**
 * Which arguments are evaluated; an argument that is not evaluated raises no error. `all`: every argument. `chosen`: the first
 * argument, and the argument that the first selects. `until-value`: the arguments in order, up to the first that is not NULL.
 * `may-stop`: the arguments in any order, perhaps only until the result is known.
 */
export type Evaluation = 'all' | 'chosen' | 'until-value' | 'may-stop'

/** The refusal of a call because of its arguments. */
export interface ArgRefusal {
  readonly reason: string
  readonly mistake: SqlMistake
}

/** The coerced arguments of a call; null for an argument that is not given. */
export type Args = readonly (Expr | null)[]

export type Check = (args: Args, isVolatileCall: (expr: Expr) => boolean, uncoerced: Args) => ArgRefusal | string | null

export interface FunctionEntry {
  /** Upper case, `NET.HOST` with its dot; operators begin with `$`. */
  readonly name: string
  readonly aliases?: readonly string[]
  readonly kind: FunctionKind
  readonly canFail: CanFail
  readonly volatility: Volatility
  readonly evaluation: Evaluation
  readonly result: ResultFacts
  readonly signatures: readonly SignatureText[]
  /**
   * The page and anchor in BigQuery's documentation, such as `string_functions#lower`; in the documentation of the open
   * language if `isBeyondBigQuery`.
   */
  readonly documentation: string
  /** True for a function that the open language documents and BigQuery does not: BigQuery itself does not know the name. */
  readonly isBeyondBigQuery?: true
  /** Computes the result's type from the coerced arguments (null: not given), where a signature cannot express it. */
  readonly resultType?: (args: Args, declared: Type | null) => Type
  /**
   * Its NUMERIC and BIGNUMERIC signatures need every argument to have one of those types; without the flag, one argument is enough.
   */
  readonly decimalsNeedAll?: true
  /** Signatures, each as the text between its parentheses, that no call with a STRING literal matches. */
  readonly notForTextLiterals?: readonly string[]
  /** Signatures that no call with a STRING literal or a STRING parameter matches. */
  readonly notForTextConstants?: readonly string[]
  /**
   * A further check of the coerced arguments: returns a refusal in BigQuery's words, or null for valid arguments. An entry
   * cannot import the catalogue that it is part of, so `isVolatileCall`, which looks functions up in it, is passed in.
   * `uncoerced` are the arguments before coercion, null for words, lambdas and absent arguments.
   */
  readonly check?: Check
  /** Only for aggregate and window functions. */
  readonly aggregate?: AggregateTraits
  /** False: `SAFE.` must not precede the name. */
  readonly allowsSafe?: boolean
}

/** A function, or a family of functions (`ST_*`), that BigQuery has and this project refuses. */
export interface Refusal {
  /** In upper case. A name that ends in `*` stands for every function that begins with the part before the `*`. */
  readonly name: string
  /** Page and anchor of BigQuery's documentation, as in FunctionEntry. */
  readonly documentation: string
  /** Completes the message `… is not supported: `. */
  readonly reason: string
}

export interface AggregateTraits {
  readonly allowsDistinct?: boolean
  readonly allowsNullsClause?: boolean
  /** Whether NULLs are ignored where neither IGNORE NULLS nor RESPECT NULLS is written. */
  readonly ignoresNullsByDefault?: boolean
  readonly allowsOrderBy?: boolean
  readonly allowsLimit?: boolean
  readonly allowsHaving?: boolean
  /** It may be called with OVER. */
  readonly allowsOver?: boolean
  /** It must not be called without OVER. */
  readonly requiresOver?: boolean
  /** With OVER it must have ORDER BY: RANK, LEAD, … */
  readonly requiresOrder?: boolean
  /** With OVER it must not have ORDER BY. */
  readonly refusesOrder?: boolean
  /** With OVER it may have a frame. */
  readonly allowsFrame?: boolean
}

/** The members that most entries leave out, and that a topic can set for all its functions. */
type Traits = Partial<Omit<FunctionEntry, 'name' | 'canFail' | 'result' | 'signatures'>>

/**
 * Defines the functions of one page of the documentation: scalar, immutable, and with all arguments evaluated, unless the
 * traits of the topic or of the function say otherwise.
 */
export const functionsOf =
  (page: string, topic: Traits = {}) =>
  (
    name: string,
    canFail: CanFail,
    result: ResultFacts,
    signatures: readonly SignatureText[],
    more: Traits = {},
  ): FunctionEntry => ({
    name,
    kind: 'scalar',
    canFail,
    volatility: 'immutable',
    evaluation: 'all',
    result,
    signatures,
    documentation: `${page}#${name.toLowerCase()}`,
    ...topic,
    ...more,
  })

export const REALS = ['NUMERIC', 'BIGNUMERIC', 'FLOAT64']
export const NUMBERS = ['INT64', ...REALS]
export const TEXTS = ['STRING', 'BYTES']

/** The signature for each of the types, which take the place of `#`: `(#, [INT64]) -> #`. */
export const each = (types: readonly string[], signature: SignatureText): readonly SignatureText[] =>
  types.map(type => signature.replaceAll('#', type))

/** For functions that only the open language's documentation has. */
export const BEYOND_BIGQUERY = { isBeyondBigQuery: true } as const
