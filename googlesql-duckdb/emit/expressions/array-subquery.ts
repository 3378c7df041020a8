/**
 * Writes subqueries over one array, `(SELECT … FROM UNNEST(x) WHERE …)`, as list functions. As correlated subqueries they
 * cost ten times as much, since DuckDB would first collect the distinct arrays and then join to them.
 */

import { isVolatile } from '../../../googlesql/functions/facts.js'
import { columnExpr, filterScan } from '../../../googlesql/plan/build.js'
import { exprKey } from '../../../googlesql/plan/key.js'
import type {
  AggregateScan,
  Column,
  Computed,
  Expr,
  InQueryExpr,
  Scan,
  SortKey,
  SubqueryExpr,
  UnnestScan,
} from '../../../googlesql/plan/nodes.js'
import { mapExpr } from '../../../googlesql/plan/rewrite.js'
import { columnsRead, hasSubquery } from '../../../googlesql/plan/walk.js'
import { INT64 } from '../../../googlesql/types/types.js'
import { isPlainType } from '../../functions/list-aggregates.js'
import { type Entry, type Env, inLambda } from '../context.js'
import { type Fragment, fragment, joinSql, path } from '../fragment.js'
import { variable } from '../quote.js'
import { columnEntry } from '../scans/select-block.js'
import { applyLambda, readsOuter, readsQuery } from '../share-arguments.js'
import { type ListOf, listAggregateSql } from './list-aggregates.js'

/**
 * A scan over one array: it keeps the elements that meet the conditions, and computes a value from each of them.
 */
interface Shape {
  readonly unnest: UnnestScan
  readonly conditions: readonly Expr[]
  /** The expression of a column, in terms of the element and the offset. */
  readonly value: (column: Column) => Expr
  /** The final order of the rows; null for the order of the elements. */
  readonly order: Order | null
}
type Order = { readonly kind: 'reversed' } | { readonly kind: 'sorted'; readonly key: SortKey }

/**
 * The subquery as list functions. Null where the subquery has another shape, or does not depend on the row: then it is better
 * written as a query.
 */
export function arraySubquerySql(expr: SubqueryExpr, env: Env): Fragment | null {
  const [column] = expr.scan.columns
  if (expr.form === 'exists') {
    const list = listOf(expr.scan, null, env)
    return list && fragment`coalesce(len(${list}) > 0, false)`
  }
  if (!column) return null
  if (expr.form === 'array') {
    const limited = withoutLimit(expr.scan)
    const list = listOf(limited?.scan ?? expr.scan, column, env)
    return list && fragment`coalesce(${limited ? fragment`list_slice(${list}, 1, ${limited.limit})` : list}, [])`
  }
  const aggregated = aggregatedSql(expr.scan, column, env)
  if (aggregated !== null) return aggregated
  const limited = withoutLimit(expr.scan)
  if (limited && limited.limit !== '1') return null
  const list = listOf(limited?.scan ?? expr.scan, column, env)
  if (list === null) return null
  if (limited) return fragment`list_extract(${list}, 1)`
  const name = variable(env.newColumn('', expr.type))
  return applyLambda(list, name, fragment`bq_only_element(${path(name)})`)
}

/** The values of `x IN (SELECT … FROM UNNEST(…))` as a list; null where the subquery has another shape. */
export const arrayInQueryList = ({ scan }: InQueryExpr, env: Env): Fragment | null =>
  listOf(scan, scan.columns[0]!, env)

/**
 * The values of the column as a list; without a column, any list whose length is the number of rows. For no rows the list is
 * NULL or empty. Null where the scan cannot be written as a list.
 */
function listOf(scan: Scan, column: Column | null, env: Env): Fragment | null {
  const shape = shapeOf(scan)
  if (!shape || columnsRead([shape.unnest.array]).size === 0) return null
  const value = column && shape.value(column)
  const exprs = [...shape.conditions, ...(value ? [value] : [])]
  if (exprs.some(expr => hasSubquery(expr) || isVolatile(expr) || readsQuery(expr, env.scope))) return null
  if (exprs.some(expr => readsFarOuter(expr, shape.unnest, env))) return null
  const { offset, array } = shape.unnest
  const readsOffset = offset !== null && exprs.some(expr => columnsRead([expr]).has(offset.id))
  if (readsOuter(array, env.scope) && (readsOffset || captures(exprs, shape.unnest))) return null
  // `byOffset` writes the array a second time, in the lambda, and DuckDB allows no subquery there.
  if (readsOffset && (hasSubquery(array) || isVolatile(array))) return null
  if (value && !canArrange(shape.order, value)) return null
  const list = readsOffset ? byOffset(shape, value, offset, env) : byElement(shape, value, env)
  return value ? arrange(list, shape.order) : list
}

/**
 * Whether the list can be put in this order. A list can be sorted only by its own values, and only where DuckDB orders the
 * type as BigQuery does.
 */
const canArrange = (order: Order | null, value: Expr): boolean =>
  order?.kind !== 'sorted' || (isPlainType(value.type) && exprKey(order.key.expr) === exprKey(value))

function arrange(list: Fragment, order: Order | null): Fragment {
  if (!order) return list
  if (order.kind === 'reversed') return fragment`list_reverse(${list})`
  const { isDescending, nullsFirst } = order.key
  return fragment`list_sort(${list}, '${isDescending ? 'DESC' : 'ASC'}', 'NULLS ${nullsFirst ? 'FIRST' : 'LAST'}')`
}

function byElement({ unnest, conditions }: Shape, value: Expr | null, env: Env): Fragment {
  const name = variable(unnest.element)
  const inner = inLambda([columnEntry(unnest.element, path(name))], env)
  const array = env.expr(unnest.array, env)
  const tests = conditions.map(condition => env.expr(condition, inner))
  const kept =
    tests.length === 0 ? array : fragment`list_filter(${array}, lambda ${path(name)}: ${joinSql(tests, ' AND ')})`
  if (!value || isElement(value, unnest.element)) return kept
  return fragment`list_transform(${kept}, lambda ${path(name)}: ${env.expr(value, inner)})`
}

/** Maps and filters the offsets instead of the elements, since filtering the elements would change their positions. */
function byOffset({ unnest, conditions }: Shape, value: Expr | null, offset: Column, env: Env): Fragment {
  const name = variable(env.newColumn('', INT64))
  const mapOffsets = (array: Fragment): Fragment => {
    const element = columnEntry(unnest.element, fragment`list_extract(${array}, ${path(name)} + 1)`)
    const inner = inLambda([element, columnEntry(offset, path(name))], env)
    const tests = conditions.map(condition => env.expr(condition, inner))
    const offsets = fragment`range(len(${array}))`
    const kept =
      tests.length === 0 ? offsets : fragment`list_filter(${offsets}, lambda ${path(name)}: ${joinSql(tests, ' AND ')})`
    return value ? fragment`list_transform(${kept}, lambda ${path(name)}: ${env.expr(value, inner)})` : kept
  }
  const array = env.expr(unnest.array, env)
  let operand = unnest.array
  while (operand.kind === 'field') operand = operand.operand
  if (operand.kind === 'column' || operand.kind === 'parameter') return mapOffsets(array)
  // The lambdas would compute the array again for each element.
  const list = variable(env.newColumn('', unnest.array.type))
  return applyLambda(array, list, mapOffsets(path(list)))
}

const isElement = (expr: Expr, element: Column): boolean => expr.kind === 'column' && expr.column.id === element.id

/** Whether the lambdas read columns other than the element and the offset. */
function captures(exprs: readonly Expr[], { element, offset }: UnnestScan): boolean {
  return [...columnsRead(exprs)].some(id => id !== element.id && id !== offset?.id)
}

const UNWRITTEN = path('')

/** Whether the lambda reads a column of an outer query: DuckDB's lambdas see only the columns of their own query. */
const readsFarOuter = (expr: Expr, { element, offset }: UnnestScan, env: Env): boolean => {
  const entries = [element, ...(offset ? [offset] : [])].map(column => columnEntry(column, UNWRITTEN))
  return readsOuter(expr, inLambda(entries, env).scope)
}

function shapeOf(scan: Scan): Shape | null {
  switch (scan.kind) {
    case 'unnest':
      if (scan.input || scan.isOuter || scan.condition) return null
      return { unnest: scan, conditions: [], value: column => columnExpr(column, false, 0), order: null }
    case 'filter': {
      const shape = shapeOf(scan.input)
      // A list function is evaluated only in its branch, like every expression, so no guard is needed.
      if (scan.isGuard) return shape
      return shape && { ...shape, conditions: [...shape.conditions, inTerms(scan.condition, shape)] }
    }
    case 'project': {
      const shape = shapeOf(scan.input)
      if (!shape) return null
      const computed = new Map(scan.computed.map(({ column, expr }: Computed) => [column.id, expr]))
      return {
        ...shape,
        value: column => {
          const expr = computed.get(column.id)
          return expr ? inTerms(expr, shape) : shape.value(column)
        },
      }
    }
    case 'order': {
      const shape = shapeOf(scan.input)
      const [key, ...others] = scan.keys
      if (!shape || shape.order || !key || others.length > 0) return null
      const expr = inTerms(key.expr, shape)
      const isOffset = expr.kind === 'column' && expr.column.id === shape.unnest.offset?.id
      if (!isOffset) return { ...shape, order: { kind: 'sorted', key: { ...key, expr } } }
      // Sorting by the offset gives the order of the list itself.
      return key.isDescending ? { ...shape, order: { kind: 'reversed' } } : shape
    }
    default:
      return null
  }
}

/** Rewrites an expression over the scan's columns in terms of the element and the offset. */
const inTerms = (expr: Expr, shape: Shape): Expr =>
  mapExpr(expr, part => (part.kind === 'column' ? shape.value(part.column) : undefined))

/**
 * `SELECT SUM(x) / COUNT(*)`: a value computed from aggregates over the whole array, which give one row for any array. Null for
 * any other scan.
 */
function aggregatedSql(scan: Scan, column: Column, env: Env): Fragment | null {
  const aggregate = aggregateOf(scan)
  if (!aggregate) return null
  const value = aggregate.value(column)
  if (hasSubquery(value) || isVolatile(value)) return null
  const { input, aggregates } = aggregate.scan
  const listOfRows: ListOf = (argument, condition) => {
    const rows: Scan = condition ? filterScan(input, condition) : input
    if (!argument) return listOf(rows, null, env)
    const computed = { column: env.newColumn('', argument.type), expr: argument }
    const project: Scan = { kind: 'project', input: rows, computed: [computed], columns: [computed.column] }
    return listOf(project, computed.column, env)
  }
  const reads = columnsRead([value])
  const entries: Entry[] = []
  for (const aggregate of aggregates) {
    if (!reads.has(aggregate.column.id)) continue
    const sql = listAggregateSql(aggregate.call, listOfRows)
    if (sql === null) return null
    entries.push(columnEntry(aggregate.column, sql))
  }
  // Without aggregates of the array, the subquery does not depend on the row.
  return entries.length === 0 ? null : env.expr(value, inLambda(entries, env))
}

/**
 * The aggregation without keys, and the expression of a column of the scan in terms of its aggregates. Null for any other
 * scan.
 */
function aggregateOf(scan: Scan): { readonly scan: AggregateScan; readonly value: (column: Column) => Expr } | null {
  if (scan.kind === 'aggregate') {
    const isWhole = scan.keys.length === 0 && !scan.groupingSets && scan.groupingCalls.length === 0
    return isWhole ? { scan, value: column => columnExpr(column, false, 0) } : null
  }
  if (scan.kind !== 'project') return null
  const inner = aggregateOf(scan.input)
  if (!inner) return null
  const computed = new Map(scan.computed.map(({ column, expr }) => [column.id, expr]))
  const value = (column: Column): Expr => {
    const expr = computed.get(column.id)
    if (!expr) return inner.value(column)
    return mapExpr(expr, part => (part.kind === 'column' ? inner.value(part.column) : undefined))
  }
  return { scan: inner.scan, value }
}

/** The scan without its LIMIT, and the LIMIT as text; null where the scan has no LIMIT, or a LIMIT that is not a literal. */
function withoutLimit(scan: Scan): { readonly scan: Scan; readonly limit: string } | null {
  if (scan.kind === 'project') {
    const limited = withoutLimit(scan.input)
    return limited && { ...limited, scan: { ...scan, input: limited.scan } }
  }
  if (scan.kind !== 'limit' || scan.offset || scan.limit.kind !== 'literal') return null
  const limit = String(scan.limit.value)
  // LIMIT 0 selects no element; a subquery with it is written as a query.
  return /^[1-9]\d{0,8}$/.test(limit) ? { scan: scan.input, limit } : null
}
