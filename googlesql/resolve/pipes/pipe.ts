/**
 * Pipe operators: each turns the table that comes through the pipe into another, with the same scans that other clauses use.
 */

import type * as ast from '../../ast/nodes.js'
import { isGroupable } from '../../functions/definitions/operators.js'
import { aggregateScan, filterScan, project } from '../../plan/build.js'
import type { Column, Computed, ResolvedCte, Scan } from '../../plan/nodes.js'
import { someOf } from '../../plan/walk.js'
import { typeName } from '../../types/types.js'
import {
  type CollectedCalls,
  clauseEnv,
  computedColumn,
  type ExpressionEnv,
  type QueryEnv,
  type QueryResult,
  type ResolveContext,
} from '../context.js'
import { conditionOf, impliedName } from '../expressions/expression.js'
import { fromScope, type Range, readableExpr, type VisibleColumn } from '../name-scope.js'
import { type FromResult, rangeNames, resolvePipeJoin } from '../queries/from.js'
import { orderKey } from '../queries/order.js'
import { resolvePivot, resolveUnpivot } from '../queries/pivot.js'
import { limitScan, resolveSelect } from '../queries/select.js'
import { combine } from '../queries/set.js'
import { resolveStar } from '../queries/star.js'
import { resolveCtes } from '../queries/with.js'
import { resolvePipeAggregate } from './aggregate.js'
import { dropColumns, extendColumns, outputsOf, renameColumns, replaceColumns, type Table } from './columns.js'

/** The table of `FROM …` for the first pipe operator; its aliases stay in scope. */
export function tableOfFrom({ scan, names }: FromResult): Table {
  const range = names.ranges.length === 1 ? names.ranges[0]! : null
  return { scan, names, value: range?.kind === 'value' ? range.column : null }
}

/** The table of a query for the first pipe operator: its columns, without an alias. */
export function tableOfResult({ scan, columns, isValueTable }: QueryResult): Table {
  const value = isValueTable ? (columns[0]?.column ?? null) : null
  return { scan, names: rangeNames(columns, isValueTable, ''), value }
}

export function resolvePipes(start: Table, pipes: readonly ast.Pipe[], env: QueryEnv): QueryResult {
  let table = start
  let inner = env
  const ctes: ResolvedCte[] = []
  for (const pipe of pipes) {
    if (pipe.kind === 'pipe-with') {
      const definitions = resolveCtes(pipe, inner)
      ctes.push(...definitions.ctes)
      inner = { ...inner, ctes: definitions.bindings }
    } else {
      table = resolvePipe(pipe, table, inner)
    }
  }
  const result = resultOf(table)
  const { scan } = result
  return ctes.length === 0 ? result : { ...result, scan: { kind: 'with', ctes, body: scan, columns: scan.columns } }
}

function resultOf(table: Table): QueryResult {
  const columns = outputsOf(table)
  const scan = project(
    table.scan,
    columns.map(named => named.column),
  )
  return { scan, columns, isValueTable: table.value !== null }
}

const plainTable = ({ scan, names }: FromResult): Table => ({ scan, names, value: null })

type Pipe = Exclude<ast.Pipe, ast.PipeWith>
type Resolve<Node> = (node: Node, table: Table, env: QueryEnv) => Table

const resolvePipe: Resolve<Pipe> = (node, table, env) => (RESOLVERS[node.kind] as Resolve<Pipe>)(node, table, env)

const RESOLVERS: { readonly [K in Pipe['kind']]: Resolve<Extract<Pipe, { kind: K }>> } = {
  'pipe-select': (node, table, env) =>
    tableOfResult(resolveSelect(node.select, { orderBy: [], limit: null, offset: null }, env, table)),
  'pipe-extend': extend,
  'pipe-set': set,
  'pipe-drop': dropColumns,
  'pipe-rename': renameColumns,
  'pipe-as': (node, table, env) => ({ ...table, names: aliasNames(node, table, env) }),
  'pipe-where': where,
  'pipe-aggregate': (node, table, env) => plainTable(resolvePipeAggregate(node, table, env)),
  'pipe-distinct': distinct,
  'pipe-order-by': orderBy,
  'pipe-limit': (node, table, env) => ({
    ...table,
    scan: limitScan(table.scan, { orderBy: [], ...node }, envOf(table, 'pipe LIMIT', env)),
  }),
  'pipe-join': (node, table, env) => plainTable(resolvePipeJoin(table, node, env)),
  'pipe-set-operation': setOperation,
  'pipe-pivot': (node, table, env) => plainTable(resolvePivot(node, table, env)),
  'pipe-unpivot': (node, table, env) => plainTable(resolveUnpivot(node, table, env)),
}

// ---- expressions over the table

const envOf = (table: Table, clause: string, env: QueryEnv): ExpressionEnv =>
  clauseEnv(fromScope(table.names, env.outer), env, clause)

/** An environment in which window functions may be called, and a function that returns the scan with their columns. */
function withWindows(table: Table, clause: string, windows: readonly ast.NamedWindow[], env: QueryEnv) {
  const collected: CollectedCalls = { aggregates: [], windows: [], groupings: [] }
  const named = new Map(windows.map(({ name, window }) => [name.name.toLowerCase(), window]))
  const inner: ExpressionEnv = { ...envOf(table, clause, env), windows: { collected, named } }
  const scanWithCalls = (): Scan => {
    const { scan } = table
    if (collected.windows.length === 0) return scan
    const columns = [...scan.columns, ...collected.windows.map(call => call.column)]
    return { kind: 'window', input: scan, functions: collected.windows, columns }
  }
  return { env: inner, calls: collected.windows, computed: scanWithCalls }
}

/** A scan with the table's columns and the computed columns. */
const computeColumns = (table: Table, input: Scan, computed: readonly Computed[]): Scan => ({
  kind: 'project',
  input,
  computed,
  columns: [...table.scan.columns, ...computed.map(item => item.column)],
})

function extend(node: ast.PipeExtend, table: Table, env: QueryEnv): Table {
  const windows = withWindows(table, node.isWindow ? 'pipe WINDOW' : 'pipe EXTEND', node.windows, env)
  const added = node.items.flatMap((item): Computed[] => {
    if (item.kind === 'star') {
      if (!item.path)
        return env.fail('Pipe EXTEND does not support *; the columns of the table are kept anyway', item.at)
      return resolveStar(item, null, windows.env).map(({ name, expr }) => computedColumn(name, expr, env))
    }
    const expr = env.expression(item.expression, windows.env)
    const isWindow = someOf(
      expr,
      part => part.kind === 'column' && windows.calls.some(call => call.column === part.column),
    )
    if (node.isWindow && !isWindow)
      return env.fail('Pipe WINDOW expression must include a window function call', item.at)
    return [computedColumn(item.alias?.name ?? impliedName(item.expression), expr, env)]
  })
  return extendColumns(
    table,
    computeColumns(table, windows.computed(), added),
    added.map(item => item.column),
  )
}

function set(node: ast.PipeSet, table: Table, env: QueryEnv): Table {
  const windows = withWindows(table, 'pipe SET', [], env)
  const values = node.items.map(({ name, expression }) =>
    computedColumn(name.name, env.expression(expression, windows.env), env),
  )
  return replaceColumns(node, table, computeColumns(table, windows.computed(), values), values, env)
}

function where(node: ast.PipeWhere, table: Table, env: QueryEnv): Table {
  const windows = withWindows(table, 'pipe WHERE', [], env)
  const test = conditionOf(node.condition, 'WHERE clause', windows.env)
  const input = windows.computed()
  const scan = filterScan(input, test)
  return { ...table, scan: project(scan, table.scan.columns) }
}

function orderBy(node: ast.PipeOrderBy, table: Table, env: QueryEnv): Table {
  const windows = withWindows(table, 'pipe ORDER BY', [], env)
  const columns = outputsOf(table).map(output => output.column)
  const keys = node.orderBy.map(item => orderKey(item, columns, windows.env))
  const input = windows.computed()
  const scan: Scan = { kind: 'order', input, keys, columns: input.columns }
  return { ...table, scan: project(scan, table.scan.columns) }
}

// ---- whole tables

/** `AS t`: `t` is the only alias for the operators that follow. */
function aliasNames(node: ast.PipeAs, table: Table, context: ResolveContext): FromResult['names'] {
  const alias = node.alias.name
  if (table.value) return rangeNames([{ name: alias, column: table.value }], true, alias)
  const { columns } = table.names
  if (columns.some(column => column.field !== null)) {
    context.fail('Pipe operator AS is not supported where one of several columns is the row of a value table', node.at)
  }
  return { ranges: [{ kind: 'table', name: alias, columns }], columns }
}

/**
 * DISTINCT: one row for each combination of the visible columns' values. Aliases stay in scope, with the columns that remain.
 */
function distinct(node: ast.PipeDistinct, table: Table, context: ResolveContext): Table {
  const outputs = outputsOf(table)
  const keys = outputs.map(({ name, column }): Computed => {
    refuseUngroupable(name, column, node.at, context)
    return computedColumn(column.name, readableExpr(column, false, node.at), context)
  })
  const columns = keys.map(key => key.column)
  const newColumns = new Map(outputs.map(({ column }, i) => [column.id, columns[i]!]))
  const move = (column: VisibleColumn): VisibleColumn[] => {
    const to = newColumns.get(column.column.id)
    return to ? [{ ...column, column: to }] : []
  }
  const ranges = table.names.ranges.flatMap((range): Range[] => {
    if (range.kind === 'table') return [{ ...range, columns: range.columns.flatMap(move), hidden: [] }]
    const to = newColumns.get(range.column.id)
    return to ? [{ ...range, column: to }] : []
  })
  const value = table.value && (newColumns.get(table.value.id) ?? null)
  return { scan: aggregateScan(table.scan, keys), names: { ranges, columns: table.names.columns.flatMap(move) }, value }
}

function refuseUngroupable(name: string, { type }: Column, at: number, context: ResolveContext): void {
  if (isGroupable(type)) return
  context.fail(`Column ${name || 'of the input table'} of type ${typeName(type)} cannot be used in pipe DISTINCT`, at)
}

function setOperation(node: ast.PipeSetOperation, table: Table, env: QueryEnv): Table {
  const { queries, ...operator } = node
  const results = [resultOf(table), ...queries.map(query => env.query(query, env))]
  return tableOfResult(combine({ ...operator, inputs: [node, ...queries] }, results, env))
}
