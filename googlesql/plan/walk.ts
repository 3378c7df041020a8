/** Walks over the resolved tree: the direct parts of expressions and scans, and visitors of all parts. */
import { collectParts, type Parts } from '../parts.js'
import type { Type } from '../types/types.js'
import type { AggregateCall, Column, Expr, InQueryExpr, Scan, SubqueryExpr, WindowCall } from './nodes.js'
import { CALL_PARTS, PARTS, WINDOW_PARTS } from './parts.js'

function partsIn<P>(value: unknown, parts: Parts, sort: 'expr' | 'scan' | 'column'): readonly P[] {
  const collected: P[] = []
  collectParts(value, parts, sort, collected)
  return collected
}

/** The direct parts of an expression, in order, without the scan of a subquery. */
export const partsOf = (expr: Expr): readonly Expr[] => partsIn(expr, PARTS[expr.kind], 'expr')

export const partsOfCall = (call: AggregateCall): readonly Expr[] => partsIn(call, CALL_PARTS, 'expr')

export const partsOfWindow = (call: WindowCall): readonly Expr[] => partsIn(call, WINDOW_PARTS, 'expr')

/** The expressions of the scan itself, without those of its inputs. */
export const exprsOfScan = (scan: Scan): readonly Expr[] => partsIn(scan, PARTS[scan.kind], 'expr')

/** The direct inputs of a scan; for a WITH, the scans of its definitions too. */
export const inputsOfScan = (scan: Scan): readonly Scan[] => partsIn(scan, PARTS[scan.kind], 'scan')

/** All columns that the scan computes or outputs, whether or not they are read. */
export const columnsMade = (scan: Scan): readonly Column[] => partsIn(scan, PARTS[scan.kind], 'column')

/** The columns that the expression itself refers to or defines, without those of its parts. */
export const columnsNamed = (expr: Expr): readonly Column[] => partsIn(expr, PARTS[expr.kind], 'column')

const ignore = (): void => {}

/** Visits an expression and every expression inside it, scans of subqueries included. */
export function visitExpr(expr: Expr, visit: (expr: Expr) => void, visitScanToo: (scan: Scan) => void = ignore): void {
  visit(expr)
  for (const part of partsOf(expr)) visitExpr(part, visit, visitScanToo)
  if (isQuery(expr)) visitScan(expr.scan, visit, visitScanToo)
}

export function visitScan(scan: Scan, visit: (expr: Expr) => void, visitScanToo: (scan: Scan) => void = ignore): void {
  visitScanToo(scan)
  for (const expr of exprsOfScan(scan)) visitExpr(expr, visit, visitScanToo)
  for (const input of inputsOfScan(scan)) visitScan(input, visit, visitScanToo)
}

/** Visits the scan and every scan inside it, scans of subqueries included. */
export const visitScans = (root: Scan, visit: (scan: Scan) => void): void => visitScan(root, ignore, visit)

/** The ids of all columns that the expressions refer to, at any depth. */
export function columnsRead(exprs: readonly Expr[]): Set<number> {
  const ids = new Set<number>()
  const visit = (part: Expr): void => {
    if (part.kind === 'column') ids.add(part.column.id)
  }
  for (const expr of exprs) visitExpr(expr, visit)
  return ids
}

/** The ids of the outer references of the scan: the columns that it reads and does not define. */
export const outerColumns = (scan: Scan): Set<number> => freeIds((visit, onScan) => visitScan(scan, visit, onScan))

/** The ids of the columns that the expression reads, except for those that a lambda, a let or a subquery in it defines. */
export const freeColumns = (expr: Expr): Set<number> => freeIds((visit, onScan) => visitExpr(expr, visit, onScan))

function freeIds(walk: (visit: (expr: Expr) => void, visitPart: (scan: Scan) => void) => void): Set<number> {
  const read = new Set<number>()
  const made = new Set<number>()
  const add = (ids: Set<number>, columns: readonly Column[]): void => {
    for (const { id } of columns) ids.add(id)
  }
  walk(
    expr => add(expr.kind === 'column' ? read : made, columnsNamed(expr)),
    scan => add(made, columnsMade(scan)),
  )
  for (const id of made) read.delete(id)
  return read
}

/** The ids of all columns of the scan and of its inputs at any depth, without the columns of subqueries. */
export function columnsGiven(scan: Scan): Set<number> {
  const ids = new Set<number>()
  const visit = (part: Scan): void => {
    for (const column of part.columns) ids.add(column.id)
    inputsOfScan(part).forEach(visit)
  }
  visit(scan)
  return ids
}

/** The largest ids of a column and of a common table expression in the plan, so that new ids can be larger. */
export function lastIds(root: Scan): { readonly column: number; readonly cte: number } {
  let [column, cte] = [0, 0]
  const see = (columns: readonly Column[]): void => {
    for (const { id } of columns) column = Math.max(column, id)
  }
  visitScan(
    root,
    expr => see(columnsNamed(expr)),
    scan => {
      see(columnsMade(scan))
      if (scan.kind === 'with') for (const { id } of scan.ctes) cte = Math.max(cte, id)
    },
  )
  return { column, cte }
}

/** Makes a column with an id that the query does not use. */
export type NewColumn = (name: string, type: Type) => Column

/** Returns a function that makes new columns; it searches the plan for the largest id when it makes the first column. */
export function freshColumns(root: Scan): NewColumn {
  let last: number | null = null
  return (name, type) => {
    last = (last ?? lastIds(root).column) + 1
    return { id: last, name, type }
  }
}

/** Whether the test holds for the scan or for a scan inside it, scans of subqueries included. */
export function someScan(root: Scan, test: (scan: Scan) => boolean): boolean {
  let holds = false
  visitScans(root, scan => {
    holds ||= test(scan)
  })
  return holds
}

type QueryExpr = SubqueryExpr | InQueryExpr
const isQuery = (expr: Expr): expr is QueryExpr => expr.kind === 'subquery' || expr.kind === 'in-query'

/** Whether the expression contains a subquery, at any depth. */
export const hasSubquery = (expr: Expr): boolean => someOf(expr, isQuery)

/** Whether the expression refers to a column, at any depth. */
export const readsColumn = (expr: Expr): boolean => someOf(expr, part => part.kind === 'column')

/** Whether the test holds for the expression or for an expression inside it, scans of subqueries included. */
export function someOf(expr: Expr, test: (expr: Expr) => boolean): boolean {
  if (test(expr)) return true
  if (isQuery(expr)) {
    let holds = false
    visitExpr(expr, part => {
      holds ||= test(part)
    })
    return holds
  }
  for (const part of partsOf(expr)) if (someOf(part, test)) return true
  return false
}

/** The operands of a chain of ANDs; the condition itself where it is not an AND. */
export function conjuncts(condition: Expr): readonly Expr[] {
  if (condition.kind !== 'call' || condition.name !== '$and') return [condition]
  return condition.arguments.flatMap(part => (part ? conjuncts(part) : []))
}

/** Whether the expression is an untyped NULL, coerced or not. */
export function isBareNull(expr: Expr | null | undefined): boolean {
  if (expr?.kind === 'cast') return expr.isImplicit && isBareNull(expr.operand)
  return expr?.kind === 'literal' && expr.value === null
}

/** Whether the expression is a literal NULL, or a cast or a field of a literal NULL. */
export function isNullLiteral(expr: Expr | null | undefined): boolean {
  if (expr?.kind === 'cast' || expr?.kind === 'field') return isNullLiteral(expr.operand)
  return expr?.kind === 'literal' && expr.value === null
}
