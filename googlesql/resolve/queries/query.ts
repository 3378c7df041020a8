/** A query: its common table expressions, its set operations, its ORDER BY and LIMIT, and its pipe operators. */
import type * as ast from '../../ast/nodes.js'
import { clauseEnv, type QueryEnv, type QueryResult } from '../context.js'
import { fromScope } from '../name-scope.js'
import { resolvePipes, tableOfFrom, tableOfResult } from '../pipes/pipe.js'
import { rangeNames, resolveFrom } from './from.js'
import { orderKey } from './order.js'
import { limitScan, resolveSelect, type Tail } from './select.js'
import { combine } from './set.js'
import { resolveCtes } from './with.js'

const NO_TAIL: Tail = { orderBy: [], limit: null, offset: null }

export function resolveQueryNode(node: ast.Query, env: QueryEnv): QueryResult {
  if (node.ctes.length === 0) return resolveWithPipes(node, env)
  const { ctes, bindings } = resolveCtes(node, env)
  const result = resolveWithPipes(node, { ...env, ctes: bindings })
  return { ...result, scan: { kind: 'with', ctes, body: result.scan, columns: result.scan.columns } }
}

function resolveWithPipes(node: ast.Query, env: QueryEnv): QueryResult {
  if (node.body.kind === 'from') return resolveFromClause(node.body, node.pipes, env)
  const result = resolveBody(node.body, node, env)
  return node.pipes.length === 0 ? result : resolvePipes(tableOfResult(result), node.pipes, env)
}

function resolveBody(body: ast.QueryBody, tail: Tail, env: QueryEnv): QueryResult {
  if (body.kind === 'from') return resolveFromClause(body, [], env)
  if (body.kind === 'select') return resolveSelect(body, tail, env)
  const result =
    body.kind === 'query'
      ? resolveQueryNode(body, env)
      : combine(
          body,
          body.inputs.map(input => resolveBody(input, NO_TAIL, env)),
          env,
        )
  return withTail(result, tail, env)
}

/** A query that begins with FROM, with its pipe operators. */
function resolveFromClause(
  { from }: Extract<ast.QueryBody, { readonly kind: 'from' }>,
  pipes: ast.Query['pipes'],
  env: QueryEnv,
): QueryResult {
  return resolvePipes(tableOfFrom(resolveFrom(from, null, env)), pipes, env)
}

/** ORDER BY and LIMIT of a set operation or a query in parentheses: only the columns of its result are in scope. */
function withTail(result: QueryResult, tail: Tail, env: QueryEnv): QueryResult {
  if (tail.orderBy.length === 0 && !tail.limit) return result
  const scope = fromScope(rangeNames(result.columns, result.isValueTable, ''), env.outer)
  const base = clauseEnv(scope, env, 'ORDER BY clause')
  const columns = result.columns.map(named => named.column)
  const keys = tail.orderBy.map(item => orderKey(item, columns, base))
  let scan = result.scan
  if (keys.length > 0) scan = { kind: 'order', input: scan, keys, columns: scan.columns }
  return { ...result, scan: limitScan(scan, tail, { ...base, scope: null }) }
}
