/** How a GoogleSQL function is written in DuckDB SQL. The tables of forms are data, by topic, in functions/. */
import type { AggregateCall, Expr } from '../../googlesql/plan/nodes.js'
import type { Type } from '../../googlesql/types/types.js'

export interface FormCall {
  /**
   * DuckDB SQL of each argument, safe to stand anywhere an operand can; null where an optional one was not given. A word
   * argument is the word itself (`DAY`, `WEEK_MONDAY`, `NFKC`); that of a lambda is its body.
   */
  readonly sql: readonly (string | null)[]
  readonly args: readonly (Expr | null)[]
  /** The result's type. */
  readonly type: Type
}
export type Form = (call: FormCall) => string

/** A form, and what the writer of a call has to know of its SQL. */
export interface FunctionSql {
  readonly write: Form
  /**
   * A literal NULL as any argument, or as the first one, makes the call a NULL of its type, and the form is not asked: where
   * the type of such a NULL is not written, DuckDB forgets the element's, or the form meets parts that the type has not.
   */
  readonly isNullFor: 'any' | 'first' | null
  /** An argument that is written `INTERVAL n PART` is given to the form as two, n and PART. */
  readonly takesIntervalParts: boolean
  /** Its SQL has TRY around the arguments. */
  readonly hasTry: boolean
  /** An operator that takes as long as a function does. */
  readonly isHeavyOperator: boolean
}

/** Of a form of which nothing has to be known. */
export const PLAIN: Omit<FunctionSql, 'write'> = {
  isNullFor: null,
  takesIntervalParts: false,
  hasTry: false,
  isHeavyOperator: false,
}

/** Of one that gives an element of an array, or an array of the same elements. */
export const ofElements = (write: Form): FunctionSql => ({ ...PLAIN, write, isNullFor: 'any' })

/** Of one whose other argument is a part that the type of the first has. */
export const ofParts = (write: Form): FunctionSql => ({ ...PLAIN, write, isNullFor: 'first' })

/** Of one whose own SQL has TRY around the arguments. */
export const trying = (write: Form): FunctionSql => ({ ...PLAIN, write, hasTry: true })

export const heavyOperator = (write: Form): FunctionSql => ({ ...PLAIN, write, isHeavyOperator: true })

/** By the canonical name in the catalogue. */
export type Forms = Readonly<Record<string, Form | FunctionSql>>

/** The arguments as the form takes them. The catalogue's checks make sure that such an interval is written. */
export function formArguments(
  { takesIntervalParts }: FunctionSql,
  args: readonly (Expr | null)[],
): readonly (Expr | null)[] {
  if (!takesIntervalParts) return args
  return args.flatMap(arg => (arg?.kind === 'call' && arg.name === '$interval' ? arg.arguments : [arg]))
}

export interface AggregateFormCall extends FormCall {
  readonly call: AggregateCall
  /** `DISTINCT ` or nothing. */
  readonly distinct: string
  /** ` ORDER BY …` for inside the parentheses, or nothing. */
  readonly orderBy: string
  /** ` FILTER (WHERE …)` for after the parentheses, or nothing. */
  readonly filter: string
  /** The condition inside `filter`, for forms that add one of their own; null where there is none. */
  readonly filterSql: string | null
  /**
   * The expression of HAVING MAX/MIN. A plain aggregate's is applied by whoever writes the aggregation, who knows the
   * keys: the input gets `max(x) OVER (PARTITION BY keys) AS m`, `filter` gets `x IS NOT DISTINCT FROM m`, and this is
   * null. It is given only with `over`, where a form applies it itself or throws.
   */
  readonly havingSql: string | null
  /** LIMIT's count, which the form itself applies; null where there is none. */
  readonly limitSql: string | null
  /** As the context has it. */
  readonly addsByParts: boolean
  /** Whether the frame may end before it begins: both ends are so many rows before this one, or behind it. */
  readonly mayBeBackward: boolean
  /** ` OVER (…)`, or nothing for a plain aggregate. It has to follow every aggregate function that the form writes. */
  readonly over: string
}
export type AggregateForm = (call: AggregateFormCall) => string

/** A form of an aggregate or window function, and what the writer of a call has to know of its SQL. */
export interface AggregateSql {
  readonly write: AggregateForm
  /** It looks at rows in their order, so that DuckDB could compute it while rows stream by. */
  readonly mayStream: boolean
  /** The same over the elements of a list; null where no list function gives what the aggregate would. */
  readonly list: ListForm | null
}
/** Null for calls that no list function computes. */
export type ListForm = (list: string, type: Type, call: AggregateCall, second: Expr | null) => string | null

export const overList = (write: AggregateForm, list: ListForm): AggregateSql => ({ write, mayStream: false, list })

export const streaming = (write: AggregateForm): AggregateSql => ({ write, mayStream: true, list: null })

export type AggregateForms = Readonly<Record<string, AggregateForm | AggregateSql>>

/** What DuckDB cannot compute as BigQuery does. The message names the function; who generates adds the place. */
export class FormError extends Error {
  override readonly name = 'FormError'
}
