/** How a GoogleSQL function is written in DuckDB SQL. The tables of forms are data, by topic, in functions/. */
import type { AggregateCall, Expr } from '../../../googlesql/resolved.js'
import type { Type } from '../../../googlesql/types.js'

export interface FormCall {
  /**
   * DuckDB SQL of each argument, safe to stand anywhere an operand can; null where an optional one was not given. A word
   * argument is the word itself (`DAY`, `WEEK_MONDAY`, `NFKC`); a lambda is `lambda "c7": body`.
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
  /** ` OVER (…)`, or nothing for a plain aggregate. It has to follow every aggregate function that the form writes. */
  readonly over: string
}
export type AggregateForm = (call: AggregateFormCall) => string
export type AggregateForms = Readonly<Record<string, AggregateForm>>
