/**
 * Replaces NULL arrays of tables by empty arrays. BigQuery's tables contain no NULL arrays, at any depth, but a file may
 * contain them. Rebuilding each value would cost more than reading it, so a column is rebuilt only where the query can
 * distinguish a NULL array from an empty one. Most arrays are only unnested or returned, where the two do not differ: a NULL
 * array has no elements, and the result writes it as [].
 */
import type { Column, CteScan, Expr, ResolvedQuery, Scan } from '../../../googlesql/plan/nodes.js'
import { exprsOfScan, inputsOfScan, partsOf } from '../../../googlesql/plan/walk.js'
import type { Type } from '../../../googlesql/types/types.js'
import { quoteName, quoteText } from '../quote.js'
import { fieldNames } from '../type.js'

/** Which NULL arrays of a column to replace. `own`: the array that is the column's value. `all`: nested arrays, too. */
export type Filling = 'own' | 'all'

/** The table columns, by id, for which the query can distinguish a NULL array from an empty one. */
export function nullableArrays(query: ResolvedQuery): ReadonlyMap<number, Filling> {
  const uses = findUses(query)
  const fillings = new Map<number, Filling>()
  const fill = (id: number, filling: Filling): void => {
    const previous = fillings.get(id)
    if (previous === 'all' || previous === filling) return
    fillings.set(id, filling)
    for (const { from, isWhole } of uses.sources.get(id) ?? []) fill(from, isWhole ? filling : 'all')
  }
  for (const [id, filling] of uses.initial) fill(id, filling)
  return fillings
}

/** The table as SQL that may follow FROM, with NULL arrays replaced in the columns of `fillings`. */
export function tableSql(table: string, columns: readonly Column[], fillings: ReadonlyMap<number, Filling>): string {
  const filled = columns.flatMap(({ id, name, type }) => {
    const filling = fillings.get(id)
    const sql = filling === undefined ? quoteName(name) : filledSql(quoteName(name), type, filling, 1)
    return sql === quoteName(name) ? [] : [`${sql} AS ${quoteName(name)}`]
  })
  return filled.length === 0 ? quoteName(table) : `(SELECT * REPLACE (${filled.join(', ')}) FROM ${quoteName(table)})`
}

/**
 * The value with its NULL arrays replaced. Where a column has no NULL arrays, CASE returns it without a copy; coalesce() would
 * copy it.
 */
function filledSql(sql: string, type: Type, filling: Filling, depth: number): string {
  if (type.kind === 'ARRAY') {
    const item = `x${depth}$`
    const inner = filling === 'all' ? filledSql(item, type.element, filling, depth + 1) : item
    const list = inner === item ? sql : `list_transform(${sql}, lambda ${item}: ${inner})`
    return `CASE WHEN ${sql} IS NULL THEN [] ELSE ${list} END`
  }
  if (type.kind !== 'STRUCT' || filling === 'own' || !hasArray(type)) return sql
  const names = fieldNames(type)
  const fields = type.fields.map((field, i) => {
    const value = filledSql(`struct_extract(${sql}, ${quoteText(names[i]!)})`, field.type, filling, depth)
    return `${quoteName(names[i]!)} := ${value}`
  })
  return `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${fields.join(', ')}) END`
}

function hasArray(type: Type): boolean {
  if (type.kind === 'STRUCT') return type.fields.some(field => hasArray(field.type))
  return type.kind === 'ARRAY'
}

/** The origin of a column's value: another column as a whole, or a part of it. */
interface Source {
  readonly from: number
  readonly isWhole: boolean
}

function findUses(query: ResolvedQuery) {
  const sources = new Map<number, Source[]>()
  const initial: (readonly [number, Filling])[] = []
  const ctes = new Map<number, readonly Column[]>()
  const reads: CteScan[] = []
  const copy = ({ id }: Column, from: Column, isWhole = true): void => {
    if (id === from.id) return
    const columnSources = sources.get(id)
    if (columnSources) columnSources.push({ from: from.id, isWhole })
    else sources.set(id, [{ from: from.id, isWhole }])
  }
  const copyAll = (columns: readonly Column[], from: readonly Column[]): void => {
    for (const [i, column] of columns.entries()) copy(column, from[i]!)
  }
  /** Records columns in which NULL arrays must be replaced at any depth. */
  const fillAll = (columns: readonly Column[]): void => {
    for (const { id, type } of columns) if (hasArray(type)) initial.push([id, 'all'])
  }
  /** Visits the indexes in a path, and returns the column at its start; null where the expression is not a path. */
  const visitPath = (expr: Expr): Column | null => {
    const path = pathOf(expr)
    if (!path) return null
    for (const { array, index, isStrict } of path.accesses) {
      visitExpr(index)
      // An index beyond the end of an array is an error, but every element of a NULL array is NULL.
      if (isStrict) initial.push([path.column.id, array.kind === 'column' ? 'own' : 'all'])
    }
    return path.column
  }
  const visitExpr = (expr: Expr): void => {
    const column = visitPath(expr)
    const parts = partsOf(expr)
    if (column) {
      if (hasArray(expr.type)) initial.push([column.id, 'all'])
    } else if (expr.kind === 'call' && READS_ARRAY_ALONE.has(expr.name) && parts[0]?.kind === 'column') {
      initial.push([parts[0].column.id, 'own'])
    } else if (expr.kind === 'call' && expr.name === '$in_array' && isFlatPath(parts[1])) {
      // IN is false for both a NULL and an empty array.
      visitExpr(parts[0]!)
      visitPath(parts[1]!)
    } else {
      parts.forEach(visitExpr)
    }
    if (expr.kind !== 'subquery' && expr.kind !== 'in-query') return
    visitScan(expr.scan)
    if (expr.kind === 'in-query' || expr.form !== 'exists') fillAll(expr.scan.columns)
  }
  /** Records the column from which `column` is copied, or whose elements `column` has. */
  const visitSource = (column: Column, expr: Expr, isCopy: boolean): void => {
    const from = visitPath(expr)
    if (from) copy(column, from, isCopy && expr.kind === 'column')
    else visitExpr(expr)
  }
  const visitScan = (scan: Scan): void => {
    inputsOfScan(scan).forEach(visitScan)
    switch (scan.kind) {
      case 'unnest':
        visitSource(scan.element, scan.array, false)
        if (scan.condition) visitExpr(scan.condition)
        break
      case 'project':
        for (const { column, expr } of scan.computed) visitSource(column, expr, true)
        break
      case 'set':
        for (const input of scan.inputs) copyAll(scan.columns, input.columns)
        if (!scan.isAll || scan.operator !== 'UNION') fillAll(scan.columns)
        break
      case 'cte':
        reads.push(scan)
        break
      case 'with':
        for (const cte of scan.ctes) {
          ctes.set(cte.id, cte.columns)
          for (const term of [cte.scan, ...(cte.recursion?.terms ?? [])]) copyAll(cte.columns, term.columns)
          if (cte.recursion && !cte.recursion.isAll) fillAll(cte.columns)
        }
        break
      default:
        exprsOfScan(scan).forEach(visitExpr)
    }
  }
  visitScan(query.scan)
  for (const scan of reads) copyAll(scan.columns, ctes.get(scan.cte)!)
  return { sources, initial }
}

/** Whether the expression is a path to an array whose elements contain no arrays. */
const isFlatPath = (expr: Expr | undefined): boolean =>
  expr?.type.kind === 'ARRAY' && !hasArray(expr.type.element) && pathOf(expr) !== null

/** Functions that distinguish a NULL array from an empty one and read no element. */
const READS_ARRAY_ALONE = new Set(['ARRAY_LENGTH', '$is_null'])
const SAFE_ACCESS = new Set(['$safe_array_at_offset', '$safe_array_at_ordinal'])
const STRICT_ACCESS = new Set(['$array_at_offset', '$array_at_ordinal'])

interface Access {
  readonly array: Expr
  readonly index: Expr
  readonly isStrict: boolean
}

/** The parts of a path, which is a column, a field of a path, or an element of a path; null for any other expression. */
function pathOf(expr: Expr): { readonly column: Column; readonly accesses: readonly Access[] } | null {
  if (expr.kind === 'column') return { column: expr.column, accesses: [] }
  if (expr.kind === 'field') return pathOf(expr.operand)
  if (expr.kind !== 'call') return null
  const [array, index] = expr.arguments
  const isStrict = STRICT_ACCESS.has(expr.name)
  if (!array || !index || expr.isSafe || !(isStrict || SAFE_ACCESS.has(expr.name))) return null
  const path = pathOf(array)
  return path && { ...path, accesses: [...path.accesses, { array, index, isStrict }] }
}
