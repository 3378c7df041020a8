/** A query: its common table expressions, its set operations, what ORDER BY and LIMIT do to the whole, and its pipes. */
import type * as ast from '../../ast/nodes.js'
import type { ExpressionEnv, QueryEnv, QueryResult, Resolution } from '../context.js'
import { fromScope, readableExpr } from '../name-scope.js'
import { resolvePipes, tableOfFrom, tableOfResult } from '../pipes/pipe.js'
import { rangeNames, resolveFrom } from './from.js'
import { sortKey } from './order.js'
import { limited, resolveSelect, type Tail } from './select.js'
import { combine } from './set.js'
import { resolveCtes } from './with.js'

const NO_TAIL: Tail = { orderBy: [], limit: null, offset: null }

export function resolveQueryNode(node: ast.Query, env: QueryEnv, r: Resolution): QueryResult {
  if (node.ctes.length === 0) return resolvePiped(node, env, r)
  const { ctes, bindings } = resolveCtes(node, env, r)
  const result = resolvePiped(node, { ...env, ctes: bindings }, r)
  return { ...result, scan: { kind: 'with', ctes, body: result.scan, columns: result.scan.columns } }
}

function resolvePiped(node: ast.Query, env: QueryEnv, r: Resolution): QueryResult {
  if (node.body.kind === 'from')
    return resolvePipes(tableOfFrom(resolveFrom(node.body.from, null, env, r)), node.pipes, env, r)
  const result = resolveBody(node.body, node, env, r)
  return node.pipes.length === 0 ? result : resolvePipes(tableOfResult(result), node.pipes, env, r)
}

function resolveBody(body: ast.QueryBody, tail: Tail, env: QueryEnv, r: Resolution): QueryResult {
  if (body.kind === 'from') return resolvePipes(tableOfFrom(resolveFrom(body.from, null, env, r)), [], env, r)
  if (body.kind === 'select') return resolveSelect(body, tail, env, r)
  const result = body.kind === 'query' ? resolveQueryNode(body, env, r) : resolveSet(body, env, r)
  return withTail(result, tail, env, r)
}

/** ORDER BY and LIMIT of a set operation or a query in parentheses: they see its columns only. */
function withTail(result: QueryResult, tail: Tail, env: QueryEnv, r: Resolution): QueryResult {
  if (tail.orderBy.length === 0 && !tail.limit) return result
  const scope = fromScope(rangeNames(result.columns, result.isValueTable, ''), env.outer)
  const base: ExpressionEnv = {
    scope,
    ctes: env.ctes,
    clause: 'ORDER BY clause',
    aggregates: null,
    windows: null,
    inlinesAliases: true,
  }
  const keys = tail.orderBy.map(item => {
    const { expression } = item
    if (expression.kind !== 'int') return sortKey(item, r.expression(expression, base), r)
    const column = result.columns[Number(expression.value) - 1]?.column
    if (!column) {
      return r.fail(
        `ORDER BY column number item is out of range. Column numbers must be between one and ${result.columns.length}`,
        expression.at,
      )
    }
    return sortKey(item, readableExpr(column, false, expression.at), r)
  })
  let scan = result.scan
  if (keys.length > 0) scan = { kind: 'order', input: scan, keys, columns: scan.columns }
  return { ...result, scan: limited(scan, tail, { ...base, scope: null }, r) }
}

// ---- set operations

function resolveSet(node: ast.SetOperation, env: QueryEnv, r: Resolution): QueryResult {
  const results = node.inputs.map(input => resolveBody(input, NO_TAIL, env, r))
  return combine(node, results, r)
}
