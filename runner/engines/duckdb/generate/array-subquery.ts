/**
 * Subqueries over one array, `(SELECT … FROM UNNEST(x) WHERE …)`, as list functions. As correlated subqueries DuckDB
 * would gather the distinct arrays first and join to them, which costs ten times as much.
 */
import type {
  Column,
  ColumnExpr,
  Computed,
  Expr,
  InQueryExpr,
  Scan,
  SubqueryExpr,
  UnnestScan,
} from '../../../googlesql/resolved.js'
import { mapExpr } from '../../../googlesql/rewrite.js'
import { INT64 } from '../../../googlesql/types.js'
import { readsOuter } from './bind.js'
import { columnEntry } from './block.js'
import type { Context, Entry, Scope } from './context.js'
import { columnsRead, hasSubquery, isVolatile } from './walk.js'

/** What the scan does with the array: keep the elements that meet the conditions, and compute a value of each. */
interface Shape {
  readonly unnest: UnnestScan
  readonly conditions: readonly Expr[]
  /** In terms of the element and the offset. */
  readonly value: (column: Column) => Expr
}

/** Null when the subquery is of another shape, or does not depend on the row: then it is a query of its own. */
export function arraySubquerySql(expr: SubqueryExpr, scope: Scope | null, context: Context): string | null {
  const [column] = expr.scan.columns
  if (expr.form === 'exists') {
    const list = listOf(expr.scan, null, scope, context)
    return list && `coalesce(len(${list}) > 0, false)`
  }
  if (!column) return null
  if (expr.form === 'array') {
    const list = listOf(expr.scan, column, scope, context)
    return list && `coalesce(${list}, [])`
  }
  const counted = countedRows(expr.scan, column)
  if (counted) {
    const list = listOf(counted, null, scope, context)
    return list && `coalesce(len(${list}), 0)`
  }
  const first = firstOnly(expr.scan)
  const list = listOf(first ?? expr.scan, column, scope, context)
  if (list === null) return null
  if (first) return `list_extract(${list}, 1)`
  const name = `"c${context.newColumn('', expr.type).id}"`
  return `list_extract(list_transform([${list}], lambda ${name}: bq_only_element(${name})), 1)`
}

/** The values of `x IN (SELECT … FROM UNNEST(…))` as a list. */
export function arrayInQueryList({ scan }: InQueryExpr, scope: Scope | null, context: Context): string | null {
  const [column] = scan.columns
  return column ? listOf(scan, column, scope, context) : null
}

/** The values of the column as a list, or without one any list as long as there are rows; NULL or empty for none. */
function listOf(scan: Scan, column: Column | null, scope: Scope | null, context: Context): string | null {
  const shape = shapeOf(scan)
  if (!shape || columnsRead([shape.unnest.array]).size === 0) return null
  const value = column && shape.value(column)
  const exprs = [...shape.conditions, ...(value ? [value] : [])]
  if (exprs.some(expr => hasSubquery(expr) || isVolatile(expr) || readsFarOuter(expr, shape.unnest, scope))) return null
  const { offset, array } = shape.unnest
  const readsOffset = offset !== null && exprs.some(expr => columnsRead([expr]).has(offset.id))
  if (readsOuter(array, scope) && (readsOffset || captures(exprs, shape.unnest))) return null
  return readsOffset ? byOffset(shape, value, offset, scope, context) : byElement(shape, value, scope, context)
}

function byElement({ unnest, conditions }: Shape, value: Expr | null, scope: Scope | null, context: Context): string {
  const name = `"c${unnest.element.id}"`
  const inner = within([columnEntry(unnest.element, name)], scope)
  const array = context.expr(unnest.array, scope)
  const test = conditions.map(condition => context.expr(condition, inner)).join(' AND ')
  const kept = test === '' ? array : `list_filter(${array}, lambda ${name}: ${test})`
  if (!value || isElement(value, unnest.element)) return kept
  return `list_transform(${kept}, lambda ${name}: ${context.expr(value, inner)})`
}

/** Through the offsets of the elements, since filtering moves elements to others. */
function byOffset(
  { unnest, conditions }: Shape,
  value: Expr | null,
  offset: Column,
  scope: Scope | null,
  context: Context,
): string {
  const array = context.expr(unnest.array, scope)
  const name = `"c${context.newColumn('', INT64).id}"`
  const inner = within(
    [columnEntry(unnest.element, `list_extract(${array}, ${name} + 1)`), columnEntry(offset, name)],
    scope,
  )
  const test = conditions.map(condition => context.expr(condition, inner)).join(' AND ')
  const offsets = `range(len(${array}))`
  const kept = test === '' ? offsets : `list_filter(${offsets}, lambda ${name}: ${test})`
  return value ? `list_transform(${kept}, lambda ${name}: ${context.expr(value, inner)})` : kept
}

const within = (entries: readonly Entry[], scope: Scope | null): Scope => ({
  entries: new Map(entries.map(entry => [entry.column.id, entry])),
  outer: scope,
  isLambda: true,
})

const isElement = (expr: Expr, element: Column): boolean => expr.kind === 'column' && expr.column.id === element.id

/** Do the lambdas read columns beside the element and the offset? */
function captures(exprs: readonly Expr[], { element, offset }: UnnestScan): boolean {
  return [...columnsRead(exprs)].some(id => id !== element.id && id !== offset?.id)
}

/** DuckDB's lambdas see the columns of their own query, but not those of one around it. */
const readsFarOuter = (expr: Expr, { element, offset }: UnnestScan, scope: Scope | null): boolean =>
  readsOuter(expr, within([columnEntry(element, ''), ...(offset ? [columnEntry(offset, '')] : [])], scope))

function shapeOf(scan: Scan): Shape | null {
  switch (scan.kind) {
    case 'unnest':
      if (scan.input || scan.isOuter || scan.condition) return null
      return { unnest: scan, conditions: [], value: column => columnExpr(column) }
    case 'filter': {
      const shape = shapeOf(scan.input)
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
      // The order of the offsets is the list's own.
      const shape = shapeOf(scan.input)
      const [key, ...others] = scan.keys
      if (!shape || !key || others.length > 0 || key.isDescending || key.expr.kind !== 'column') return null
      const value = shape.value(key.expr.column)
      return value.kind === 'column' && value.column.id === shape.unnest.offset?.id ? shape : null
    }
    default:
      return null
  }
}

const columnExpr = (column: Column): ColumnExpr => ({
  kind: 'column',
  type: column.type,
  column,
  isCorrelated: false,
  at: 0,
})

/** The expression over the scan's columns as one over the element and the offset. */
const inTerms = (expr: Expr, shape: Shape): Expr =>
  mapExpr(expr, part => (part.kind === 'column' ? shape.value(part.column) : undefined))

/** The rows that `SELECT COUNT(*)` or `SELECT COUNTIF(c)` counts; null for any other scan. */
function countedRows(scan: Scan, column: Column): Scan | null {
  if (scan.kind === 'project') {
    const computed = scan.computed.find(part => part.column.id === column.id)
    if (!computed) return countedRows(scan.input, column)
    return computed.expr.kind === 'column' ? countedRows(scan.input, computed.expr.column) : null
  }
  if (scan.kind !== 'aggregate' || scan.keys.length > 0 || scan.groupingSets) return null
  const call = scan.aggregates.find(aggregate => aggregate.column.id === column.id)?.call
  if (!call || call.isDistinct || call.filter || call.having) return null
  if (call.name === '$count_star') return scan.input
  const [condition] = call.arguments
  if (call.name !== 'COUNTIF' || !condition) return null
  return { kind: 'filter', input: scan.input, condition, columns: scan.input.columns }
}

/** The scan without its LIMIT 1; null where it has none. */
function firstOnly(scan: Scan): Scan | null {
  if (scan.kind === 'project') {
    const input = firstOnly(scan.input)
    return input && { ...scan, input }
  }
  const isFirst = scan.kind === 'limit' && !scan.offset && scan.limit.kind === 'literal' && scan.limit.value === '1'
  return isFirst ? scan.input : null
}
