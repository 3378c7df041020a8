/** How a GoogleSQL function is written in DuckDB SQL. The tables of forms are data, by topic, in functions/. */
import type { AggregateCall, Expr } from '../../googlesql/plan/nodes.js'
import type { Type } from '../../googlesql/types/types.js'

export interface FormCall {
  /**
   * DuckDB SQL of each argument, safe to stand anywhere an operand can; null where an optional one was not given. A word
   * argument is the word itself (`DAY`, `WEEK_MONDAY`, `NFKC`); a lambda is `lambda c7$: body`.
   */
  readonly sql: readonly (string | null)[]
  readonly args: readonly (Expr | null)[]
  /** The result's type. */
  readonly type: Type
}
export type Form = (call: FormCall) => string
/** By the canonical name in the catalogue. */
export type Forms = Readonly<Record<string, Form>>

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
export type AggregateForms = Readonly<Record<string, AggregateForm>>

/** What DuckDB cannot compute as BigQuery does. The message names the function; who generates adds the place. */
export class FormError extends Error {
  override readonly name = 'FormError'
}
