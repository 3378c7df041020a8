/** USING: its join condition, and the names in scope after it. */

import type * as ast from '../../ast/nodes.js'
import { call } from '../../plan/build.js'
import type { Computed, Expr } from '../../plan/nodes.js'
import { coerceTo, commonSupertype } from '../../types/apply-coercion.js'
import { computedColumn, type ExpressionEnv, type ResolveContext } from '../context.js'
import { operatorCall } from '../expressions/arguments.js'
import { type FromNames, type Range, type VisibleColumn, visibleColumn, visibleExpr } from '../name-scope.js'

/** A join with USING. */
export interface UsingNode {
  readonly join: ast.Join['join']
  readonly using: readonly ast.Identifier[]
}

/**
 * For USING (a): the join condition, and the names after the join. The merged column `a` is first in `*`; the columns `a` of
 * the two sides can only be reached through their tables. The merged column is the column of the left side; in a RIGHT join it
 * is the column of the right side, and in a FULL join the COALESCE of both.
 */
export function usingNames(node: UsingNode, left: FromNames, right: FromNames, env: ExpressionEnv) {
  const conditions: Expr[] = []
  const merged: Computed[] = []
  const mergedNames: VisibleColumn[] = []
  const hidden: VisibleColumn[] = []
  const sideColumns = new Set<VisibleColumn>()
  for (const name of node.using) {
    const a = findUsing(name, left, 'left', env)
    const b = findUsing(name, right, 'right', env)
    const [leftExpr, rightExpr] = [visibleExpr(a, false, name.at), visibleExpr(b, false, name.at)]
    conditions.push(operatorCall('$eq', [leftExpr, rightExpr], name.at, env))
    sideColumns.add(a).add(b)
    const full = node.join === 'full' ? coalesceSides(name, leftExpr, rightExpr, env) : null
    if (full) merged.push(full)
    const target = left.hidden?.includes(a) && right.hidden?.includes(b) ? hidden : mergedNames
    target.push(full ? visibleColumn(full.column, a.name) : { ...(node.join === 'right' ? b : a), name: a.name })
  }
  const on = conditions.reduce((all, condition) => call('$and', condition.type, [all, condition], condition.at))
  const rest = [...left.columns, ...right.columns].filter(column => !sideColumns.has(column))
  // If an array's elements are joined under an alias that USING names, the alias refers to the merged column after the join.
  const merges = ({ kind, name }: Range): boolean =>
    kind === 'value' && node.using.some(used => used.name.toLowerCase() === name.toLowerCase())
  const ranges = [...left.ranges, ...right.ranges].filter(range => !merges(range))
  const names: FromNames = {
    ranges,
    columns: [...mergedNames, ...rest],
    hidden: [...hidden, ...hiddenOf(left), ...hiddenOf(right)].filter(column => !sideColumns.has(column)),
  }
  return { on, names, merged }
}

function coalesceSides(name: ast.Identifier, left: Expr, right: Expr, context: ResolveContext): Computed {
  const type = commonSupertype([left, right])!
  const args = [coerceTo(left, type, context.source)!, coerceTo(right, type, context.source)!]
  return computedColumn(name.name, call('COALESCE', type, args, name.at), context)
}

function findUsing(name: ast.Identifier, names: FromNames, side: string, context: ResolveContext): VisibleColumn {
  const key = name.name.toLowerCase()
  if (names.ranges.some(range => range.name.toLowerCase() === key && !isScalar(range))) {
    return context.fail(
      `Name ${name.name} in USING clause is a table alias, not a column name, on ${side} side of join`,
      name.at,
    )
  }
  const matches = [...names.columns, ...hiddenOf(names)].filter(column => column.name.toLowerCase() === key)
  if (matches.length > 1)
    return context.fail(`Column ${name.name} in USING clause is ambiguous on ${side} side of join`, name.at)
  return matches[0] ?? context.fail(`Column ${name.name} in USING clause not found on ${side} side of join`, name.at)
}

const hiddenOf = ({ hidden = [] }: FromNames): readonly VisibleColumn[] => hidden

const isScalar = (range: Range): boolean => range.kind === 'value' && range.column.type.kind !== 'STRUCT'
