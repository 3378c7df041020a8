/** Subqueries as expressions: scalar, ARRAY, EXISTS and IN. */
import type * as ast from '../../ast/nodes.js'
import { startOf } from '../../ast/start-of.js'
import { isComparable } from '../../functions/definitions/operators.js'
import { project } from '../../plan/build.js'
import type { Expr } from '../../plan/nodes.js'
import { coerceTo, commonSupertype } from '../../types/apply-coercion.js'
import { arrayOf, BOOL, shortTypeName } from '../../types/types.js'
import type { ExpressionEnv } from '../context.js'
import { readableExpr, subqueryScope } from '../name-scope.js'

/** A scalar, ARRAY or EXISTS subquery. */
export function resolveSubquery(node: ast.Subquery, env: ExpressionEnv): Expr {
  if (node.form === 'exists') {
    const { scan } = env.query(node.query, { ...env, outer: subqueryScope(env.scope) })
    return { kind: 'subquery', type: BOOL, form: 'exists', scan, at: node.at }
  }
  const what = node.form === 'array' ? 'ARRAY' : 'Scalar'
  const reason = `${what} subquery cannot have more than one column unless using SELECT AS STRUCT to build STRUCT values`
  const { scan, column } = resolveOneColumn(node.query, reason, env, node.at)
  if (node.form === 'scalar') return { kind: 'subquery', type: column.type, form: 'scalar', scan, at: node.at }
  if (column.type.kind === 'ARRAY') {
    return env.fail(
      `Cannot use array subquery with column of type ${shortTypeName(column.type)} because nested arrays are not supported`,
      node.at,
    )
  }
  return { kind: 'subquery', type: arrayOf(column.type), form: 'array', scan, at: node.at }
}

/** The scan of a query that must have exactly one column, and that column. @throws SqlError with this reason. */
export function resolveOneColumn(query: ast.Query, reason: string, env: ExpressionEnv, at = query.at) {
  const result = env.query(query, { ...env, outer: subqueryScope(env.scope) })
  const first = result.columns[0]
  if (!first || result.columns.length !== 1) return env.fail(reason, at)
  return { scan: project(result.scan, [first.column]), column: first.column }
}

/** `x IN (SELECT …)`. */
export function resolveInQuery(node: ast.InQuery, env: ExpressionEnv): Expr {
  const operand = env.expression(node.operand, env)
  const { scan, column } = resolveOneColumn(node.query, 'Subquery of type IN must have only one output column', env)
  const element = readableExpr(column, false, node.at)
  const type = commonSupertype([operand, element])
  const left = type && coerceTo(operand, type, env.source)
  const right = type && coerceTo(element, type, env.source)
  if (!left || !right || !isComparable(type)) {
    return env.fail(
      `Cannot execute IN subquery with uncomparable types ${shortTypeName(operand.type)} and ${shortTypeName(column.type)}`,
      startOf(node),
    )
  }
  if (right === element) return { kind: 'in-query', type: BOOL, operand: left, scan, at: node.at }
  const result = env.newColumn(column.name, right.type)
  return {
    kind: 'in-query',
    type: BOOL,
    operand: left,
    scan: { kind: 'project', input: scan, computed: [{ column: result, expr: right }], columns: [result] },
    at: node.at,
  }
}
