/** GROUP BY: its scan, and the rewriting of expressions in terms of its keys and aggregates. */

import { exprKey, isSameExpr } from '../../plan/key.js'
import type { AggregateScan, Column, Computed, Expr, Scan } from '../../plan/nodes.js'
import { mapExpr, mapScan, type Replace } from '../../plan/rewrite.js'
import type { CollectedCalls, ResolveContext } from '../context.js'
import { readableExpr } from '../name-scope.js'

/** The aggregate scan of the collected calls; the argument of a GROUPING call must be a key. */
export function groupScan(
  input: Scan,
  keys: readonly Computed[],
  groupingSets: AggregateScan['groupingSets'],
  collected: CollectedCalls,
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
 * Returns a function that replaces every part of an expression that is a key by the key's column, and refuses any other column
 * of the input.
 *
 * @param inputColumns the columns of the input, which are out of scope after the grouping
 * @param complaint returns the message about a use of such a column, from its name
 */
export function regrouper(
  keys: readonly Computed[],
  inputColumns: readonly Column[],
  complaint: (name: string) => string,
  context: ResolveContext,
): Replace {
  const byKey = new Map(keys.map(key => [exprKey(key.expr), key.column]))
  const byIdentity = new Map(keys.map(key => [key.expr, key.column]))
  const kinds = new Set(keys.map(key => kindOf(key.expr)))
  const hidden = new Set(inputColumns.map(column => column.id))
  const keyOf = (expr: Expr): Column | undefined =>
    byIdentity.get(expr) ?? (isComparedByKey(expr) && kinds.has(kindOf(expr)) ? byKey.get(exprKey(expr)) : undefined)
  const replace: Replace = expr => {
    const column = keyOf(expr)
    if (column) return readableExpr(column, expr.kind === 'column' && expr.isCorrelated, expr.at)
    const name = hiddenName(expr, hidden)
    const isField = expr.kind === 'field' && keyOf(expr.operand) !== undefined
    if (name !== undefined && !isField) {
      return context.fail(complaint(name), expr.at, { code: 'ungrouped-column', name })
    }
    return undefined
  }
  const regroup: Replace = expr => {
    const replaced = replace(expr)
    if (replaced || (expr.kind !== 'subquery' && expr.kind !== 'in-query')) return replaced
    const scan = correlate(expr.scan, replace)
    return expr.kind === 'subquery' ? { ...expr, scan } : { ...expr, operand: mapExpr(expr.operand, regroup), scan }
  }
  return regroup
}

/**
 * The name of the column if the expression reads a column that is out of scope, otherwise undefined; the fields of a row that
 * is a struct are columns too.
 */
function hiddenName(expr: Expr, hidden: ReadonlySet<number>): string | undefined {
  if (expr.kind === 'column') return hidden.has(expr.column.id) ? expr.column.name : undefined
  const { operand } = expr.kind === 'field' ? expr : { operand: null }
  if (expr.kind !== 'field' || operand?.kind !== 'column' || operand.column.name !== '') return undefined
  if (!hidden.has(operand.column.id) || operand.type.kind !== 'STRUCT') return undefined
  return operand.type.fields[expr.index]?.name
}

/**
 * The kind of an expression, for a quick test before keys are compared: expressions of different kinds never have equal keys.
 */
const kindOf = (expr: Expr): string => (expr.kind === 'call' ? expr.name : expr.kind)

const isComparedByKey = (expr: Expr): boolean =>
  expr.kind !== 'subquery' && expr.kind !== 'in-query' && expr.kind !== 'word'

/** Replaces keys in the scan of a subquery, where the column of a key is an outer reference. */
const correlate = (scan: Scan, replace: Replace): Scan =>
  mapScan(scan, part => {
    const replaced = replace(part)
    return replaced?.kind === 'column' ? { ...replaced, isCorrelated: true } : replaced
  })
