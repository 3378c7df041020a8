/** One SELECT, with the ORDER BY and LIMIT that belong to it: FROM, WHERE, GROUP BY, HAVING, windows, QUALIFY, DISTINCT. */
import type * as ast from './ast.js'
import { isGroupable } from './functions/operators.js'
import { regrouper } from './group.js'
import { project } from './project.js'
import type { Collected, ExpressionEnv, NamedColumn, QueryEnv, QueryResult, Resolution } from './resolution.js'
import { integer, sortKey } from './resolve-call.js'
import { condition, impliedName } from './resolve-expression.js'
import { type FromResult, resolveFrom } from './resolve-from.js'
import { resolveGroupBy, type SelectedItem } from './resolve-group-by.js'
import { resolveStar } from './resolve-star.js'
import type { Column, Computed, Expr, Scan, SortKey } from './resolved.js'
import { exprKey, mapExpr, mapWindow, type Replace } from './rewrite.js'
import { columnExpr, type Found, fromScope, mapScope, NO_NAMES, type Scope } from './scope.js'
import { structOf, typeName } from './types.js'

const ONE_ROW: Scan = { kind: 'one-row', columns: [] }

/** What stands after the select itself: its ORDER BY, LIMIT and OFFSET. */
export interface Tail {
  readonly orderBy: readonly ast.OrderItem[]
  readonly limit: ast.Expression | null
  readonly offset: ast.Expression | null
}

export function resolveSelect(node: ast.Select, tail: Tail, env: QueryEnv, r: Resolution): QueryResult {
  const from: FromResult = node.from ? resolveFrom(node.from, null, env, r) : { scan: ONE_ROW, names: NO_NAMES }
  if (!node.from) refuseWithoutFrom(node, r)
  const scope = fromScope(from.names, env.outer)
  const base: ExpressionEnv = {
    scope,
    ctes: env.ctes,
    clause: 'WHERE clause',
    aggregates: null,
    windows: null,
    inlinesAliases: true,
  }
  let scan = from.scan
  if (node.where) scan = filter(scan, condition(node.where, 'WHERE clause', base, r))

  const collected: Collected = { aggregates: [], windows: [], groupings: [] }
  const named = new Map(node.windows.map(window => [window.name.name.toLowerCase(), window.window]))
  const full: ExpressionEnv = {
    ...base,
    clause: 'SELECT list',
    aggregates: { collected, scope },
    windows: { collected, named },
  }
  const items = selectItems(node, from, full, r)
  const columns = items.map(item => r.newColumn(item.name, item.expr.type))

  // The later clauses see the select list's names before those of FROM.
  const grouping =
    node.groupBy &&
    resolveGroupBy(node.groupBy, items, collectedIds(collected), { ...base, clause: 'GROUP BY clause' }, r)
  const aliases = aliasScope(items, columns, scope)
  const late = (clause: string): ExpressionEnv => ({ ...full, scope: aliases, clause })
  const having = node.having && condition(node.having, 'HAVING clause', { ...late('HAVING clause'), windows: null }, r)
  const qualify = node.qualify && condition(node.qualify, 'QUALIFY clause', late('QUALIFY clause'), r)
  const order = orderKeys(node, tail.orderBy, items, columns, { ...late('ORDER BY clause'), inlinesAliases: false }, r)

  // ---- the scans, from the inside out
  let select: readonly Computed[] = items.map((item, i) => ({ column: columns[i]!, expr: item.expr }))
  let after: Replace = () => undefined
  const isAggregated =
    grouping !== null || collected.aggregates.length > 0 || node.having !== null || collected.groupings.length > 0
  if (isAggregated) {
    const keys = grouping?.keys ?? []
    const complain = (name: string) =>
      `SELECT list expression references column ${name} which is neither grouped nor aggregated`
    after = regrouper(keys, from.scan.columns, complain, r)
    const groupingCalls = collected.groupings.map(({ column, expr, at }) => {
      const key = keys.findIndex(candidate => sameKey(candidate.expr, expr))
      if (key < 0) return r.fail('GROUPING must have an argument that is a GROUP BY key', at)
      return { column, key }
    })
    scan = {
      kind: 'aggregate',
      input: scan,
      keys,
      aggregates: collected.aggregates,
      groupingSets: grouping?.sets ?? null,
      groupingCalls,
      columns: [
        ...keys.map(key => key.column),
        ...collected.aggregates.map(aggregate => aggregate.column),
        ...groupingCalls.map(call => call.column),
      ],
    }
    if (having) {
      scan = filter(scan, mapExpr(having, regrouper(keys, from.scan.columns, complainOf('HAVING clause'), r)))
    }
    select = select.map(({ column, expr }) => ({ column, expr: mapExpr(expr, after) }))
  }
  if (collected.windows.length > 0) {
    const functions = collected.windows.map(({ column, call }) => ({
      column,
      call: isAggregated ? mapWindow(call, after) : call,
    }))
    scan = { kind: 'window', input: scan, functions, columns: [...scan.columns, ...functions.map(f => f.column)] }
  }
  scan = { kind: 'project', input: scan, computed: select, columns: [...scan.columns, ...columns] }
  if (qualify) {
    if (collected.windows.length === 0)
      return r.fail('The QUALIFY clause requires a window function in it or in the SELECT list', node.qualify!.at)
    scan = filter(scan, isAggregated ? mapExpr(qualify, after) : qualify)
  }
  let outputs: readonly Column[] = columns
  let keys: readonly SortKey[] = order.map(key => ({
    ...key,
    expr: isAggregated ? mapExpr(key.expr, after) : key.expr,
  }))
  if (node.isDistinct) {
    const distinct = distinctScan(scan, items, columns, select, r)
    const visibleNow = regrouper(
      distinct.keys,
      scan.columns.filter(column => !columns.includes(column)).concat(columns),
      name => `ORDER BY clause expression references column ${name} which is not visible after SELECT DISTINCT`,
      r,
    )
    keys = keys.map(key => ({ ...key, expr: mapExpr(key.expr, visibleNow) }))
    scan = distinct.scan
    outputs = distinct.outputs
  }
  if (node.as) {
    const valued = asValue(node, items, outputs, scan, r)
    scan = valued.scan
    outputs = [valued.column]
  }
  if (keys.length > 0) scan = { kind: 'order', input: scan, keys, columns: scan.columns }
  scan = limited(scan, tail, { ...base, scope: null }, r)
  scan = project(scan, outputs)
  const results: NamedColumn[] = node.as
    ? [{ name: '', column: outputs[0]! }]
    : items.map((item, i) => ({ name: item.name, column: outputs[i]! }))
  return { scan, columns: results, isValueTable: node.as !== null }
}

const complainOf =
  (clause: string) =>
  (name: string): string =>
    `${clause} expression references column ${name} which is neither grouped nor aggregated`

const sameKey = (a: Expr, b: Expr): boolean => a === b || exprKey(a) === exprKey(b)

function refuseWithoutFrom(node: ast.Select, r: Resolution): void {
  const clause = node.where
    ? 'WHERE'
    : node.groupBy
      ? 'GROUP BY'
      : node.having
        ? 'HAVING'
        : node.qualify
          ? 'QUALIFY'
          : null
  if (node.isDistinct) return
  if (clause) r.fail(`Query without FROM clause cannot have a ${clause} clause`, node.at)
}

const filter = (input: Scan, condition: Expr): Scan => ({ kind: 'filter', input, condition, columns: input.columns })

export function limited(scan: Scan, tail: Tail, env: ExpressionEnv, r: Resolution): Scan {
  if (!tail.limit) return scan
  const limit = integer(tail.limit, 'LIMIT', env, r)
  const offset = tail.offset && integer(tail.offset, 'OFFSET', env, r)
  return { kind: 'limit', input: scan, limit, offset, columns: scan.columns }
}

function collectedIds(collected: Collected): ReadonlySet<number> {
  return new Set([...collected.aggregates, ...collected.windows, ...collected.groupings].map(({ column }) => column.id))
}

function selectItems(node: ast.Select, from: FromResult, env: ExpressionEnv, r: Resolution): readonly SelectedItem[] {
  return node.items.flatMap((item): SelectedItem[] => {
    if (item.kind === 'star') {
      return resolveStar(item, node.from ? from.names : null, env, r).map(({ name, expr }) => ({
        name,
        expr,
        at: item.at,
      }))
    }
    const expr = r.expression(item.expression, env)
    return [{ name: item.alias?.name ?? impliedName(item.expression), expr, at: item.at }]
  })
}

/** Aliases of the select list over the names of FROM. */
function aliasScope(items: readonly SelectedItem[], columns: readonly Column[], outer: Scope): Scope {
  const names = new Map<string, Found>()
  items.forEach((item, i) => {
    if (item.name === '') return
    const key = item.name.toLowerCase()
    const before = names.get(key)
    const found: Found = { kind: 'alias', expr: item.expr, column: columns[i]! }
    if (!before) names.set(key, found)
    else if (before.kind === 'alias' && !sameKey(before.expr, item.expr)) names.set(key, { kind: 'ambiguous' })
  })
  return mapScope(names, outer)
}

function orderKeys(
  node: ast.Select,
  orderBy: readonly ast.OrderItem[],
  items: readonly SelectedItem[],
  columns: readonly Column[],
  env: ExpressionEnv,
  r: Resolution,
): readonly SortKey[] {
  return orderBy.map(item => {
    const { expression } = item
    if (expression.kind === 'int' && !node.as) {
      const column = columns[Number(expression.value) - 1]
      if (!column) {
        return r.fail(
          `ORDER BY column number item is out of range. Column numbers must be between one and ${items.length}`,
          expression.at,
        )
      }
      return sortKey(item, columnExpr(column, false, expression.at), r)
    }
    return sortKey(item, r.expression(expression, env), r)
  })
}

function distinctScan(
  input: Scan,
  items: readonly SelectedItem[],
  columns: readonly Column[],
  select: readonly Computed[],
  r: Resolution,
) {
  const outputs = columns.map(column => r.newColumn(column.name, column.type))
  items.forEach(item => {
    if (!isGroupable(item.expr.type)) {
      r.fail(
        `Column ${item.name || 'in the SELECT list'} of type ${typeName(item.expr.type)} cannot be used in SELECT DISTINCT`,
        item.at,
      )
    }
  })
  const keys: Computed[] = columns.map((column, i) => ({
    column: outputs[i]!,
    expr: columnExpr(column, false, items[i]?.at ?? 0),
  }))
  const scan: Scan = {
    kind: 'aggregate',
    input,
    keys,
    aggregates: [],
    groupingSets: null,
    groupingCalls: [],
    columns: outputs,
  }
  // ORDER BY may repeat a select expression instead of naming it.
  const written = select.map(({ expr }, i) => ({ column: outputs[i]!, expr }))
  return { scan, outputs, keys: [...keys, ...written] }
}

function asValue(
  node: ast.Select,
  items: readonly SelectedItem[],
  outputs: readonly Column[],
  scan: Scan,
  r: Resolution,
) {
  if (node.as === 'value') {
    if (outputs.length !== 1) return r.fail('SELECT AS VALUE query must have exactly one column', node.at)
    return { scan, column: outputs[0]! }
  }
  const type = structOf(items.map(item => ({ name: item.name, type: item.expr.type })))
  const column = r.newColumn('', type)
  const expr: Expr = {
    kind: 'struct',
    type,
    fields: outputs.map(output => columnExpr(output, false, node.at)),
    hasWrittenType: true,
    at: node.at,
  }
  const projected: Scan = {
    kind: 'project',
    input: scan,
    computed: [{ column, expr }],
    columns: [...scan.columns, column],
  }
  return { scan: projected, column }
}
