/** A query: its common table expressions, its set operations, and what ORDER BY and LIMIT do to the whole. */
import type * as ast from './ast.js'
import { project } from './project.js'
import type { CteBinding, Ctes, ExpressionEnv, NamedColumn, QueryEnv, QueryResult, Resolution } from './resolution.js'
import { sortKey } from './resolve-call.js'
import { rangeNames } from './resolve-from.js'
import { limited, resolveSelect, type Tail } from './resolve-select.js'
import { alignInputs, castColumns } from './resolve-set.js'
import type { Column, ResolvedCte, Scan } from './resolved.js'
import { columnExpr, fromScope } from './scope.js'

const NO_TAIL: Tail = { orderBy: [], limit: null, offset: null }

export function resolveQueryNode(node: ast.Query, env: QueryEnv, r: Resolution): QueryResult {
  if (node.ctes.length === 0) return resolveBody(node.body, node, env, r)
  const { ctes, bindings } = resolveCtes(node, env, r)
  const result = resolveBody(node.body, node, { ...env, ctes: bindings }, r)
  return { ...result, scan: { kind: 'with', ctes, body: result.scan, columns: result.scan.columns } }
}

function resolveBody(body: ast.QueryBody, tail: Tail, env: QueryEnv, r: Resolution): QueryResult {
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
    return sortKey(item, columnExpr(column, false, expression.at), r)
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

function combine(node: ast.SetOperation, results: readonly QueryResult[], r: Resolution): QueryResult {
  const { inputs, names } = alignInputs(node, results, r)
  const columns = names.map((name, i) => r.newColumn(name, inputs[0]!.columns[i]!.type))
  const scan: Scan = { kind: 'set', operator: node.operator, isAll: node.isAll, inputs, columns }
  return {
    scan,
    columns: columns.map((column, i): NamedColumn => ({ name: names[i]!, column })),
    isValueTable: results.every(result => result.isValueTable),
  }
}

// ---- common table expressions

function resolveCtes(node: ast.Query, env: QueryEnv, r: Resolution): { ctes: readonly ResolvedCte[]; bindings: Ctes } {
  const bindings = new Map<string, CteBinding>(env.ctes)
  const own = new Set<string>()
  const ctes = orderOfDefinition(node).map((cte): ResolvedCte => {
    const key = cte.name.name.toLowerCase()
    if (own.has(key)) return r.fail(`Duplicate alias ${cte.name.name} for WITH subquery`, cte.name.at)
    own.add(key)
    const id = r.newCte()
    const inner: QueryEnv = { ...env, ctes: bindings }
    if (node.isRecursive && mentions(cte.query, key)) return resolveRecursive(cte, id, key, bindings, inner, r)
    const result = r.query(cte.query, inner)
    bindings.set(key, { id, name: cte.name.name, columns: result.columns, isValueTable: result.isValueTable })
    const columns = result.columns.map(named => named.column)
    return { id, name: cte.name.name, scan: project(result.scan, columns), columns, recursion: null }
  })
  return { ctes, bindings }
}

/** WITH RECURSIVE may use a name before it is defined: definitions are put before their uses. */
function orderOfDefinition(node: ast.Query): readonly ast.Cte[] {
  if (!node.isRecursive) return node.ctes
  const left = [...node.ctes]
  const ordered: ast.Cte[] = []
  while (left.length > 0) {
    const ready = left.findIndex(
      cte => !left.some(other => other !== cte && mentions(cte.query, other.name.name.toLowerCase())),
    )
    ordered.push(...left.splice(Math.max(ready, 0), 1))
  }
  return ordered
}

/** Does a FROM anywhere in it name this table? */
function mentions(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some(item => mentions(item, name))
  if (typeof value !== 'object' || value === null) return false
  const node = value as { kind?: unknown; path?: readonly ast.Identifier[] }
  if (node.kind === 'table' && node.path?.length === 1 && node.path[0]!.name.toLowerCase() === name) return true
  return Object.values(value).some(item => mentions(item, name))
}

function resolveRecursive(
  cte: ast.Cte,
  id: number,
  key: string,
  bindings: Map<string, CteBinding>,
  env: QueryEnv,
  r: Resolution,
): ResolvedCte {
  const { body } = cte.query
  const isPlain = cte.query.orderBy.length === 0 && !cte.query.limit
  // Its own WITH stands before every term.
  const term = (input: ast.QueryBody): QueryResult => r.query({ ...cte.query, body: input }, { ...env, ctes: bindings })
  if (body.kind !== 'set-operation' || body.operator !== 'UNION' || !isPlain) {
    return r.fail(
      `Recursive query ${cte.name.name} must be a UNION of a non-recursive term and a recursive one`,
      cte.at,
    )
  }
  const isBase = body.inputs.map(input => !mentions(input, key))
  if (!isBase[0] || isBase.slice(1).some(Boolean)) {
    return r.fail(`Recursive reference '${cte.name.name}' must be in the last term of its UNION`, cte.at)
  }
  const base = term(body.inputs[0]!)
  const columns: readonly Column[] = base.columns.map(named => named.column)
  bindings.set(key, { id, name: cte.name.name, columns: base.columns, isValueTable: base.isValueTable })
  const terms = body.inputs.slice(1).map(input => {
    const result = term(input)
    if (result.columns.length !== columns.length) {
      return r.fail(
        `Queries in UNION ${body.isAll ? 'ALL' : 'DISTINCT'} have mismatched column count; query 1 has ${columns.length} columns, query 2 has ${result.columns.length} columns`,
        input.at,
      )
    }
    return castColumns(
      result,
      columns.map(column => column.type),
      input.at,
      `recursive term of ${cte.name.name}`,
      r,
    )
  })
  return {
    id,
    name: cte.name.name,
    scan: project(base.scan, columns),
    columns,
    recursion: { isAll: body.isAll, terms },
  }
}
