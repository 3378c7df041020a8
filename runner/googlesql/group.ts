/** After GROUP BY an expression sees only the keys and the aggregates: it is rewritten in terms of them. */

import type { Resolution } from './resolution.js'
import type { Column, Computed, Expr } from './resolved.js'
import { exprKey, mapExpr, type Replace } from './rewrite.js'
import { columnExpr } from './scope.js'

/**
 * Replaces every part that is a key by the key's column. A column of the input that is left is a mistake.
 *
 * @param before the columns that are out of sight afterwards
 * @param complaint what to say of one of them: its name and the clause go around it
 */
export function regrouper(
  keys: readonly Computed[],
  before: readonly Column[],
  complaint: (name: string) => string,
  r: Resolution,
): Replace {
  const byKey = new Map(keys.map(key => [exprKey(key.expr), key.column]))
  const byIdentity = new Map(keys.map(key => [key.expr, key.column]))
  const hidden = new Set(before.map(column => column.id))
  const replace: Replace = expr => {
    const column = byIdentity.get(expr) ?? (isWorthLooking(expr) ? byKey.get(exprKey(expr)) : undefined)
    if (column) return columnExpr(column, expr.kind === 'column' && expr.isCorrelated, expr.at)
    if (expr.kind === 'column' && hidden.has(expr.column.id)) return r.fail(complaint(expr.column.name), expr.at)
    return undefined
  }
  return expr => {
    // A subquery's own expressions refer to the keys from within: what they become is correlated.
    if (expr.kind !== 'subquery' && expr.kind !== 'in-query') return replace(expr)
    return replace(expr) ?? correlate(expr, replace)
  }
}

const isWorthLooking = (expr: Expr): boolean =>
  expr.kind !== 'subquery' && expr.kind !== 'in-query' && expr.kind !== 'word'

function correlate(expr: Expr, replace: Replace): Expr {
  let isInside = false
  return mapExpr(expr, part => {
    if (part === expr) {
      isInside = true
      return undefined
    }
    const replaced = replace(part)
    return replaced?.kind === 'column' && isInside ? { ...replaced, isCorrelated: true } : replaced
  })
}
