/** One SELECT, with the ORDER BY and LIMIT that belong to it: FROM, WHERE, GROUP BY, HAVING, windows, QUALIFY, DISTINCT. */

import type * as ast from '../../ast/nodes.js'
import { isGroupable } from '../../functions/definitions/operators.js'
import { aggregateScan, filterScan, project, withComputed } from '../../plan/build.js'
import { isSameExpr } from '../../plan/key.js'
import type { Column, Computed, Expr, Scan, SortKey } from '../../plan/nodes.js'
import { mapExpr, mapWindow, type Replace } from '../../plan/rewrite.js'
import { structOf, typeName } from '../../types/types.js'
import {
  type CollectedCalls,
  clauseEnv,
  type ExpressionEnv,
  type NamedColumn,
  type QueryEnv,
  type QueryResult,
  type ResolveContext,
} from '../context.js'
import { conditionOf, impliedName } from '../expressions/expression.js'
import { fromScope, mapScope, type NameScope, NO_NAMES, readableExpr, type Target } from '../name-scope.js'
import { type FromResult, resolveFrom } from './from.js'
import { refersToAny, resolveGroupBy, type SelectedItem } from './group-by.js'
import { orderKey, resolveCount, sortKey } from './order.js'
import { groupScan, regrouper } from './rewrite-grouped.js'
import { resolveStar } from './star.js'

const ONE_ROW: Scan = { kind: 'one-row', columns: [] }

/** The clauses after the select itself: ORDER BY, LIMIT and OFFSET. */
export interface Tail {
  readonly orderBy: readonly ast.OrderItem[]
  readonly limit: ast.Expression | null
  readonly offset: ast.Expression | null
}

/** `pipeInput` is the table that comes through a pipe, in place of FROM; the SELECT of a pipe cannot have aggregates. */
export function resolveSelect(
  node: ast.Select,
  tail: Tail,
  env: QueryEnv,
  pipeInput: FromResult | null = null,
): QueryResult {
  const hasFrom = node.from !== null || pipeInput !== null
  const from = pipeInput ?? (node.from ? resolveFrom(node.from, null, env) : { scan: ONE_ROW, names: NO_NAMES })
  if (!hasFrom) refuseWithoutFrom(node, env)
  const scope = fromScope(from.names, env.outer)
  const base = clauseEnv(scope, env, 'WHERE clause')
  let scan = from.scan
  if (node.where) scan = filterScan(scan, conditionOf(node.where, 'WHERE clause', base))

  const collected: CollectedCalls = { aggregates: [], windows: [], groupings: [] }
  const named = namedWindows(node.windows, env)
  const selectEnv: ExpressionEnv = {
    ...base,
    clause: pipeInput ? 'pipe SELECT' : 'SELECT list',
    aggregates: pipeInput ? null : { collected, scope },
    windows: { collected, named },
  }
  const items = selectItems(node, hasFrom ? from : null, selectEnv)
  const columns = items.map(item => env.newColumn(item.name, item.expr.type))

  // In the later clauses, names of the select list take precedence over names of FROM.
  const grouping =
    node.groupBy && resolveGroupBy(node.groupBy, items, collectedIds(collected), { ...base, clause: 'GROUP BY clause' })
  const aliases = aliasScope(items, columns, collected, scope)
  const envOf = (clause: string): ExpressionEnv => ({
    ...selectEnv,
    scope: aliases,
    aggregates: selectEnv.aggregates && { collected, scope: aliases },
    clause,
  })
  const isGrouped = grouping !== null || collected.aggregates.length > 0 || collected.groupings.length > 0
  const having = node.having && conditionOf(node.having, 'HAVING clause', { ...envOf('HAVING clause'), windows: null })
  if (node.having && !isGrouped) refuseHaving(node.having, collected, env)
  const qualify = node.qualify && conditionOf(node.qualify, 'QUALIFY clause', envOf('QUALIFY clause'))
  const orderEnv: ExpressionEnv = { ...envOf('ORDER BY clause'), inlinesAliases: false }
  // The row of SELECT AS STRUCT or VALUE is one value, so an integer is not the number of a column.
  const order = tail.orderBy.map(item =>
    node.as ? sortKey(item, env.expression(item.expression, orderEnv), env) : orderKey(item, columns, orderEnv),
  )

  // ---- the scans, from the inside out
  let select: readonly Computed[] = items.map((item, i) => ({ column: columns[i]!, expr: item.expr }))
  let regroup: Replace = () => undefined
  let regroupOrder: Replace = regroup
  const isAggregated =
    grouping !== null || collected.aggregates.length > 0 || node.having !== null || collected.groupings.length > 0
  if (isAggregated) {
    const keys = grouping?.keys ?? []
    regroup = regrouper(keys, from.scan.columns, complaintIn('SELECT list'), env)
    regroupOrder = regrouper(keys, from.scan.columns, complaintIn('ORDER BY clause'), env)
    scan = groupScan(scan, keys, grouping?.sets ?? null, collected, env)
    if (having) {
      scan = filterScan(scan, mapExpr(having, regrouper(keys, from.scan.columns, complaintIn('HAVING clause'), env)))
    }
    select = select.map(({ column, expr }) => ({ column, expr: mapExpr(expr, regroup) }))
  }
  if (collected.windows.length > 0) {
    const functions = collected.windows.map(({ column, call }) => ({
      column,
      call: isAggregated ? mapWindow(call, part => mapExpr(part, regroup)) : call,
    }))
    scan = { kind: 'window', input: scan, functions, columns: [...scan.columns, ...functions.map(f => f.column)] }
  }
  scan = withComputed(scan, select)
  if (qualify) {
    if (collected.windows.length === 0)
      return env.fail('The QUALIFY clause requires a window function in it or in the SELECT list', node.qualify!.at)
    scan = filterScan(scan, isAggregated ? mapExpr(qualify, regroup) : qualify)
  }
  let outputs: readonly Column[] = columns
  let keys: readonly SortKey[] = order.map(key => ({
    ...key,
    expr: isAggregated ? mapExpr(key.expr, regroupOrder) : key.expr,
  }))
  if (node.isDistinct) {
    const distinct = distinctScan(scan, items, columns, select, env)
    const replaceSelected = regrouper(
      distinct.keys,
      scan.columns.filter(column => !columns.includes(column)).concat(columns),
      name => `ORDER BY clause expression references column ${name} which is not visible after SELECT DISTINCT`,
      env,
    )
    keys = keys.map(key => ({ ...key, expr: mapExpr(key.expr, replaceSelected) }))
    scan = distinct.scan
    outputs = distinct.outputs
  }
  if (node.as) {
    const row = rowValue(node, items, outputs, scan, env)
    scan = row.scan
    outputs = [row.column]
  }
  if (keys.length > 0) scan = { kind: 'order', input: scan, keys, columns: scan.columns }
  scan = limitScan(scan, tail, { ...base, scope: null })
  scan = project(scan, outputs)
  const results: NamedColumn[] = node.as
    ? [{ name: '', column: outputs[0]! }]
    : items.map((item, i) => ({ name: item.name, column: outputs[i]! }))
  return { scan, columns: results, isValueTable: node.as !== null }
}

function namedWindows(windows: ast.Select['windows'], context: ResolveContext): ReadonlyMap<string, ast.Window> {
  const named = new Map<string, ast.Window>()
  for (const { name, window } of windows) {
    const key = name.name.toLowerCase()
    if (named.has(key)) context.fail(`Duplicate window alias ${name.name}`, name.at)
    named.set(key, window)
  }
  return named
}

const complaintIn =
  (clause: string) =>
  (name: string): string =>
    `${clause} expression references column ${name} which is neither grouped nor aggregated`

function refuseWithoutFrom(node: ast.Select, context: ResolveContext): void {
  const clauses = { WHERE: node.where, 'GROUP BY': node.groupBy, HAVING: node.having, QUALIFY: node.qualify }
  const clause = Object.entries(clauses).find(([, part]) => part)?.[0]
  if (node.isDistinct) return
  if (clause) context.fail(`Query without FROM clause cannot have a ${clause} clause`, node.at)
}

/**
 * Refuses HAVING without GROUP BY and without an aggregate in the select list; in standard SQL such a HAVING makes one group of
 * all rows.
 */
function refuseHaving(having: ast.Expression, collected: CollectedCalls, context: ResolveContext): never {
  return context.fail(
    collected.aggregates.length > 0
      ? 'The HAVING clause only allows aggregation if GROUP BY or SELECT list aggregation is present'
      : 'The HAVING clause requires GROUP BY or aggregation to be present',
    having.at,
  )
}

export function limitScan(scan: Scan, tail: Tail, env: ExpressionEnv): Scan {
  if (!tail.limit) return scan
  const limit = resolveCount(tail.limit, 'LIMIT', env)
  const offset = tail.offset && resolveCount(tail.offset, 'OFFSET', env)
  return { kind: 'limit', input: scan, limit, offset, columns: scan.columns }
}

function collectedIds(collected: CollectedCalls): ReadonlySet<number> {
  return new Set([...collected.aggregates, ...collected.windows, ...collected.groupings].map(({ column }) => column.id))
}

function selectItems(node: ast.Select, from: FromResult | null, env: ExpressionEnv): readonly SelectedItem[] {
  return node.items.flatMap((item): SelectedItem[] => {
    if (item.kind === 'star') {
      return resolveStar(item, from?.names ?? null, env).map(({ name, expr }) => ({
        name,
        expr,
        at: item.at,
      }))
    }
    const expr = env.expression(item.expression, env)
    return [{ name: item.alias?.name ?? impliedName(item.expression), expr, at: item.at }]
  })
}

/** A scope of the select list's aliases inside the scope of FROM. */
function aliasScope(
  items: readonly SelectedItem[],
  columns: readonly Column[],
  { aggregates, windows }: CollectedCalls,
  outer: NameScope,
): NameScope {
  const [aggregateIds, windowIds] = [aggregates, windows].map(calls => new Set(calls.map(({ column }) => column.id)))
  const names = new Map<string, Target>()
  items.forEach((item, i) => {
    if (item.name === '') return
    const key = item.name.toLowerCase()
    const previous = names.get(key)
    const contains = refersToAny(item.expr, windowIds!)
      ? 'window'
      : refersToAny(item.expr, aggregateIds!)
        ? 'aggregate'
        : 'neither'
    const target: Target = { kind: 'alias', expr: item.expr, column: columns[i]!, contains }
    if (!previous) names.set(key, target)
    else if (previous.kind === 'alias' && !isSameExpr(previous.expr, item.expr)) names.set(key, { kind: 'ambiguous' })
  })
  return mapScope(names, outer)
}

function distinctScan(
  input: Scan,
  items: readonly SelectedItem[],
  columns: readonly Column[],
  select: readonly Computed[],
  context: ResolveContext,
) {
  const outputs = columns.map(column => context.newColumn(column.name, column.type))
  items.forEach(item => {
    if (!isGroupable(item.expr.type)) {
      context.fail(
        `Column ${item.name || 'in the SELECT list'} of type ${typeName(item.expr.type)} cannot be used in SELECT DISTINCT`,
        item.at,
      )
    }
  })
  const keys: Computed[] = columns.map((column, i) => ({
    column: outputs[i]!,
    expr: readableExpr(column, false, items[i]?.at ?? 0),
  }))
  // ORDER BY may repeat an expression of the select list instead of using its alias.
  const selectKeys = select.map(({ expr }, i) => ({ column: outputs[i]!, expr }))
  return { scan: aggregateScan(input, keys), outputs, keys: [...keys, ...selectKeys] }
}

function rowValue(
  node: ast.Select,
  items: readonly SelectedItem[],
  outputs: readonly Column[],
  scan: Scan,
  context: ResolveContext,
) {
  if (node.as === 'value') {
    if (outputs.length !== 1) return context.fail('SELECT AS VALUE query must have exactly one column', node.at)
    return { scan, column: outputs[0]! }
  }
  const type = structOf(items.map(item => ({ name: item.name, type: item.expr.type })))
  const column = context.newColumn('', type)
  const expr: Expr = {
    kind: 'struct',
    type,
    fields: outputs.map(output => readableExpr(output, false, node.at)),
    hasWrittenType: true,
    at: node.at,
  }
  return { scan: withComputed(scan, [{ column, expr }]), column }
}
