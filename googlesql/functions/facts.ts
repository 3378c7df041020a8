/** What the catalogue says of the functions that are called in an expression or a scan. */
import type { CallExpr, Expr, Scan } from '../plan/nodes.js'
import { someOf, visitScan } from '../plan/walk.js'
import { findFunction } from './all.js'
import type { Evaluation, Volatility } from './catalogue.js'

/** Of a function by its name or alias in upper case; undefined where there is none of that name. */
export const volatilityOf = (name: string): Volatility | undefined => findFunction(name)?.volatility

/** Is it itself a call of a volatile function? A function without an entry is one that translation makes up. */
export const isVolatileCall = (expr: Expr): boolean => expr.kind === 'call' && volatilityOf(expr.name) === 'volatile'

/** Is a volatile function called in it, at any depth? */
export const isVolatile = (expr: Expr): boolean => someOf(expr, isVolatileCall)

export function isVolatileScan(scan: Scan): boolean {
  let found = false
  visitScan(scan, part => {
    found ||= isVolatileCall(part)
  })
  return found
}

/** A function without an entry is one that translation makes up; it computes all its arguments. */
export const evaluationOf = (call: CallExpr): Evaluation => findFunction(call.name)?.evaluation ?? 'all'

/** Is there a part whose error is none where other parts do not ask for it? */
export function hasBranches(expr: Expr): boolean {
  if (expr.kind !== 'call') return expr.kind === 'case'
  const evaluation = evaluationOf(expr)
  return evaluation === 'chosen' || evaluation === 'until-value'
}
