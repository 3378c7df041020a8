/** The sort keys of ORDER BY, and the numbers of LIMIT and OFFSET. */
import type * as ast from '../../ast/nodes.js'
import { isOrderable } from '../../functions/definitions/operators.js'
import { isVolatile } from '../../functions/facts.js'
import type { Expr, SortKey } from '../../plan/nodes.js'
import { hasSubquery } from '../../plan/walk.js'
import { coerceTo } from '../../types/apply-coercion.js'
import { INT64, shortTypeName } from '../../types/types.js'
import type { ExpressionEnv, ResolveContext } from '../context.js'

/** The number of LIMIT and OFFSET: an INT64 expression of literals and parameters. */
export function integer(node: ast.Expression, clause: string, env: ExpressionEnv, context: ResolveContext): Expr {
  const expr = context.expression(node, { ...env, scope: null, aggregates: null, windows: null })
  const value = coerceTo(expr, INT64, context.source)
  if (!value || hasSubquery(value) || isVolatile(value)) {
    return context.fail(`${clause} expects an integer literal or parameter, or an expression of them`, node.at)
  }
  if (value.kind === 'literal' && (value.value === null || String(value.value).startsWith('-'))) {
    return context.fail(`${clause} expects a non-negative integer literal or parameter`, node.at)
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
