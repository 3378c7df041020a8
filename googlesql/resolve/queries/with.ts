/** WITH: common table expressions, including recursive ones. */
import type * as ast from '../../ast/nodes.js'
import { childrenOf, type Node } from '../../ast/walk.js'
import { project } from '../../plan/build.js'
import type { Column, ResolvedCte } from '../../plan/nodes.js'
import type { CteBinding, Ctes, QueryEnv, QueryResult } from '../context.js'
import { scopeOfCtes } from '../name-scope.js'
import { castColumns } from './set.js'

type WithNode = Pick<ast.Query, 'ctes' | 'isRecursive'>

/** The definitions, each before its uses, and the bindings of their names for the query that follows. */
export function resolveCtes(node: WithNode, env: QueryEnv): { ctes: readonly ResolvedCte[]; bindings: Ctes } {
  const bindings = new Map<string, CteBinding>(env.ctes)
  const keys = new Set<string>()
  const ctes = orderOfDefinition(node).map((cte): ResolvedCte => {
    const key = cte.name.name.toLowerCase()
    if (keys.has(key)) return env.fail(`Duplicate alias ${cte.name.name} for WITH subquery`, cte.name.at)
    keys.add(key)
    const id = env.newCte()
    const inner: QueryEnv = { ...env, outer: scopeOfCtes(env.outer), ctes: bindings }
    if (node.isRecursive && namesIn(cte.query).has(key)) return resolveRecursive(cte, id, key, bindings, inner)
    const result = env.query(cte.query, inner)
    bindings.set(key, { id, name: cte.name.name, columns: result.columns, isValueTable: result.isValueTable })
    const columns = result.columns.map(named => named.column)
    return { id, name: cte.name.name, scan: project(result.scan, columns), columns, recursion: null }
  })
  return { ctes, bindings }
}

/** The definitions, each before its uses: in WITH RECURSIVE a name may be used before it is defined. */
function orderOfDefinition(node: WithNode): readonly ast.Cte[] {
  if (!node.isRecursive) return node.ctes
  const remaining = [...node.ctes]
  const ordered: ast.Cte[] = []
  const namesByCte = new Map(remaining.map(cte => [cte, namesIn(cte.query)]))
  while (remaining.length > 0) {
    const ready = remaining.findIndex(
      cte => !remaining.some(other => other !== cte && namesByCte.get(cte)!.has(other.name.name.toLowerCase())),
    )
    ordered.push(...remaining.splice(Math.max(ready, 0), 1))
  }
  return ordered
}

/** The table names of one word in every FROM in the tree, in lower case. */
function namesIn(node: Node, names = new Set<string>()): ReadonlySet<string> {
  if (node.kind !== 'table') for (const child of childrenOf(node)) namesIn(child, names)
  else if (node.path.length === 1) names.add(node.path[0]!.name.toLowerCase())
  return names
}

function resolveRecursive(
  cte: ast.Cte,
  id: number,
  key: string,
  bindings: Map<string, CteBinding>,
  env: QueryEnv,
): ResolvedCte {
  const query = unionOf(cte.query)
  const { body } = query
  const isPlain = query.orderBy.length === 0 && !query.limit && query.pipes.length === 0
  // A WITH inside the recursive query applies to each of its terms.
  const termOf = (part: ast.QueryBody): QueryResult => env.query({ ...query, body: part }, { ...env, ctes: bindings })
  if (body.kind !== 'set-operation' || body.operator !== 'UNION' || !isPlain) {
    return env.fail(
      `Recursive query ${cte.name.name} must be a UNION of a non-recursive term and a recursive one`,
      cte.at,
    )
  }
  if (body.match !== 'position') {
    return env.fail('BY NAME and CORRESPONDING for set operations cannot be used in WITH RECURSIVE', body.at)
  }
  const isBase = body.inputs.map(input => !namesIn(input).has(key))
  const bases = body.inputs.slice(0, isBase.indexOf(false))
  if (bases.length === 0 || bases.length < isBase.length - 1) {
    return env.fail(`Recursive reference '${cte.name.name}' must be in the last term of its UNION`, cte.at)
  }
  const base = termOf(bases.length === 1 ? bases[0]! : { ...body, inputs: bases })
  const columns: readonly Column[] = base.columns.map(named => named.column)
  bindings.set(key, { id, name: cte.name.name, columns: base.columns, isValueTable: base.isValueTable })
  const terms = body.inputs.slice(bases.length).map(input => {
    const result = termOf(input)
    if (result.columns.length !== columns.length) {
      return env.fail(
        `Queries in UNION ${body.isAll ? 'ALL' : 'DISTINCT'} have mismatched column count; query 1 has ${columns.length} columns, query 2 has ${result.columns.length} columns`,
        input.at,
      )
    }
    return castColumns(
      result,
      columns.map(column => column.type),
      input.at,
      `recursive term of ${cte.name.name}`,
      env,
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

/** The query with `base |> UNION ALL (…)` as a set operation; any other query unchanged. */
function unionOf(query: ast.Query): ast.Query {
  const last = query.pipes.at(-1)
  if (last?.kind !== 'pipe-set-operation') return query
  const { kind: _, queries, ...operator } = last
  const base: ast.Query = { ...query, ctes: [], isRecursive: false, pipes: query.pipes.slice(0, -1) }
  const body: ast.QueryBody = { ...operator, kind: 'set-operation', inputs: [base, ...queries] }
  return { ...query, body, orderBy: [], limit: null, offset: null, pipes: [] }
}
