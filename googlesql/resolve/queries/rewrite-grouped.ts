/** GROUP BY: the scan that it makes, and how expressions are rewritten in terms of its keys and aggregates. */

import { exprKey, isSameExpr } from '../../plan/key.js'
import type { AggregateScan, Column, Computed, Expr, Scan } from '../../plan/nodes.js'
import { mapExpr, type Replace } from '../../plan/rewrite.js'
import type { Collected, ResolveContext } from '../context.js'
import { readableExpr } from '../name-scope.js'

/** The rows of the groups; the calls of GROUPING are answered from the keys. */
export function aggregated(
  input: Scan,
  keys: readonly Computed[],
  groupingSets: AggregateScan['groupingSets'],
  collected: Collected,
  context: ResolveContext,
): AggregateScan {
  const groupingCalls = collected.groupings.map(({ column, expr, at }) => {
    const key = keys.findIndex(candidate => isSameExpr(candidate.expr, expr))
    if (key < 0) return context.fail('GROUPING must have an argument that is a GROUP BY key', at)
    return { column, key }
  })
  const columns = [...keys, ...collected.aggregates, ...groupingCalls].map(item => item.column)
  return { kind: 'aggregate', input, keys, aggregates: collected.aggregates, groupingSets, groupingCalls, columns }
}

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
  context: ResolveContext,
): Replace {
  const byKey = new Map(keys.map(key => [exprKey(key.expr), key.column]))
  const byIdentity = new Map(keys.map(key => [key.expr, key.column]))
  const kinds = new Set(keys.map(key => kindOf(key.expr)))
  const hidden = new Set(before.map(column => column.id))
  const keyOf = (expr: Expr): Column | undefined =>
    byIdentity.get(expr) ?? (isWorthLooking(expr) && kinds.has(kindOf(expr)) ? byKey.get(exprKey(expr)) : undefined)
  const replace: Replace = expr => {
    const column = keyOf(expr)
    if (column) return readableExpr(column, expr.kind === 'column' && expr.isCorrelated, expr.at)
    const name = hiddenName(expr, hidden)
    const isField = expr.kind === 'field' && keyOf(expr.operand) !== undefined
    if (name !== undefined && !isField) return context.fail(complaint(name), expr.at)
    return undefined
  }
  return expr => {
    // A subquery's own expressions refer to the keys from within: what they become is correlated.
    if (expr.kind !== 'subquery' && expr.kind !== 'in-query') return replace(expr)
    return replace(expr) ?? correlate(expr, replace)
  }
}

/** What an author calls a column that is out of sight: a row that is a struct shows its fields as columns. */
function hiddenName(expr: Expr, hidden: ReadonlySet<number>): string | undefined {
  if (expr.kind === 'column') return hidden.has(expr.column.id) ? expr.column.name : undefined
  const { operand } = expr.kind === 'field' ? expr : { operand: null }
  if (expr.kind !== 'field' || operand?.kind !== 'column' || operand.column.name !== '') return undefined
  if (!hidden.has(operand.column.id) || operand.type.kind !== 'STRUCT') return undefined
  return operand.type.fields[expr.index]?.name
}

/** Of expressions that differ in it none computes the same. */
const kindOf = (expr: Expr): string => (expr.kind === 'call' ? expr.name : expr.kind)

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
