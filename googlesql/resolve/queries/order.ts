/** The sort keys of ORDER BY, and the numbers of LIMIT and OFFSET. */
import type * as ast from '../../ast/nodes.js'
import { isOrderable } from '../../functions/definitions/operators.js'
import { isVolatile } from '../../functions/facts.js'
import type { Column, Expr, SortKey } from '../../plan/nodes.js'
import { hasSubquery } from '../../plan/walk.js'
import { coerceTo } from '../../types/apply-coercion.js'
import { INT64, shortTypeName } from '../../types/types.js'
import type { ExpressionEnv, ResolveContext } from '../context.js'
import { readableExpr } from '../name-scope.js'

/** The number of LIMIT and OFFSET: an INT64 expression of literals and parameters. */
export function resolveCount(node: ast.Expression, clause: string, env: ExpressionEnv): Expr {
  const expr = env.expression(node, { ...env, scope: null, aggregates: null, windows: null })
  const value = coerceTo(expr, INT64, env.source)
  if (!value || hasSubquery(value) || isVolatile(value)) {
    const other = expr.kind === 'parameter' ? `: @${expr.name} is ${shortTypeName(expr.type)}` : ''
    return env.fail(`${clause} expects an integer literal or parameter, or an expression of them${other}`, node.at)
  }
  if (value.kind === 'literal' && (value.value === null || String(value.value).startsWith('-'))) {
    return env.fail(`${clause} expects a non-negative integer literal or parameter`, node.at)
  }
  return value
}

/** A sort key; by default, NULLs come first in ascending and last in descending order. */
export function sortKey(item: ast.OrderItem, expr: Expr, context: ResolveContext): SortKey {
  if (!isOrderable(expr.type)) {
    return context.fail(`ORDER BY does not support expressions of type ${shortTypeName(expr.type)}`, item.at)
  }
  return {
    expr,
    isDescending: item.isDescending,
    nullsFirst: item.nulls ? item.nulls === 'first' : !item.isDescending,
  }
}

/** A sort key of a query; an integer literal is the number of a column. */
export function orderKey(item: ast.OrderItem, columns: readonly Column[], env: ExpressionEnv): SortKey {
  const { expression } = item
  if (expression.kind !== 'int') return sortKey(item, env.expression(expression, env), env)
  const column = columns[Number(expression.value) - 1]
  if (column) return sortKey(item, readableExpr(column, false, expression.at), env)
  const range = `Column numbers must be between one and ${columns.length}`
  return env.fail(`ORDER BY column number item is out of range. ${range}`, expression.at)
}
