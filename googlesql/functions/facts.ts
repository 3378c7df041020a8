/** Facts from the catalogue about the functions that an expression or a scan calls. */
import type { CallExpr, Expr, Scan } from '../plan/nodes.js'
import { someOf, visitScan } from '../plan/walk.js'
import { findFunction } from './all.js'
import type { Evaluation, Volatility } from './catalogue.js'
import { type ResultFacts, UNKNOWN } from './result-facts.js'

/** The volatility of the function with this name or alias, in upper case; undefined for an unknown name. */
export const volatilityOf = (name: string): Volatility | undefined => findFunction(name)?.volatility

/** Whether the expression itself calls a volatile function. Functions without an entry are internal to the translation. */
export const isVolatileCall = (expr: Expr): boolean => expr.kind === 'call' && volatilityOf(expr.name) === 'volatile'

/** Whether the expression calls a volatile function at any depth. */
export const isVolatile = (expr: Expr): boolean => someOf(expr, isVolatileCall)

export function isVolatileScan(scan: Scan): boolean {
  let hasVolatile = false
  visitScan(scan, part => {
    hasVolatile ||= isVolatileCall(part)
  })
  return hasVolatile
}

/** What is known about the results of the function with this name or alias. */
export const resultOf = (name: string): ResultFacts => findFunction(name)?.result ?? UNKNOWN

/** Which arguments a call evaluates. Functions without an entry are internal to the translation and evaluate all of them. */
export const evaluationOf = (call: CallExpr): Evaluation => findFunction(call.name)?.evaluation ?? 'all'

/**
 * Whether the expression is a CASE, or a call that may leave some of its arguments unevaluated, so that they raise no error.
 */
export function hasBranches(expr: Expr): boolean {
  if (expr.kind !== 'call') return expr.kind === 'case'
  const evaluation = evaluationOf(expr)
  return evaluation === 'chosen' || evaluation === 'until-value'
}
