/** Finds the bounds that a query sets on the column by which a table is partitioned. */

import { isVolatile } from '../../googlesql/functions/facts.js'
import type { CallExpr, Column, Expr, Scan, TableScan } from '../../googlesql/plan/nodes.js'
import { conjuncts, inputsOfScan, partsOf, someScan, visitScan } from '../../googlesql/plan/walk.js'

/**
 * A condition that every row must meet that the query uses of a table: the partitioning column compared with a value that is
 * the same for all rows.
 */
export interface PartitionBound {
  readonly operator: '<' | '<=' | '>' | '>=' | '='
  readonly value: Expr
}
export type PartitionBounds = ReadonlyMap<TableScan, readonly PartitionBound[]>

/** The bounds of every partitioned table of the query. */
export function partitionBounds(root: Scan): PartitionBounds {
  const found = new Map<TableScan, PartitionBound[]>()
  if (!someScan(root, scan => scan.kind === 'table' && scan.partitionedBy !== undefined)) return found
  visit(root, [], found)
  visitScan(root, expr => {
    if (expr.kind === 'subquery' || expr.kind === 'in-query') visit(expr.scan, [], found)
  })
  return found
}

/** `conditions` are those that every row of `scan` must meet to be used. */
function visit(scan: Scan, conditions: readonly Expr[], found: Map<TableScan, PartitionBound[]>): void {
  switch (scan.kind) {
    case 'table': {
      const column = scan.columns.find(({ name }) => name === scan.partitionedBy)
      const bounds = column ? conditions.flatMap(condition => boundsOf(condition, column)) : []
      // A table scan that is read in two places must return the rows for both, so it gets no bounds.
      found.set(scan, found.has(scan) ? [] : bounds)
      return
    }
    case 'filter':
      visit(scan.input, [...conditions, ...conjuncts(scan.condition)], found)
      return
    case 'unnest':
      if (scan.input) visit(scan.input, conditions, found)
      return
    case 'project':
    case 'order':
      visit(scan.input, conditions, found)
      return
    case 'join': {
      // Conditions cannot be pushed to the NULL-padded side of an outer join.
      const inner = scan.join === 'inner' || scan.join === 'cross'
      const own = inner && scan.condition ? [...conditions, ...conjuncts(scan.condition)] : conditions
      visit(scan.left, inner || scan.join === 'left' ? own : [], found)
      visit(scan.right, inner || scan.join === 'right' ? own : [], found)
      return
    }
    case 'one-row':
    case 'cte':
    case 'aggregate':
    case 'window':
    case 'set':
    case 'limit':
    case 'with':
      for (const input of inputsOfScan(scan)) visit(input, [], found)
      return
    default:
      scan satisfies never
  }
}

const OPERATORS: Readonly<Record<string, PartitionBound['operator']>> = {
  $lt: '<',
  $le: '<=',
  $gt: '>',
  $ge: '>=',
  $eq: '=',
}
const MIRRORED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '=': '=' } as const

function boundsOf(condition: Expr, column: Column): readonly PartitionBound[] {
  if (condition.kind !== 'call') return []
  return betweenOf(condition, column) ?? comparisonOf(condition, column)
}

function comparisonOf(call: CallExpr, column: Column): readonly PartitionBound[] {
  const operator = OPERATORS[call.name]
  const [left, right] = call.arguments
  if (!operator || !left || !right) return []
  if (isColumn(left, column) && isFixed(right)) return [{ operator, value: right }]
  return isColumn(right, column) && isFixed(left) ? [{ operator: MIRRORED[operator], value: left }] : []
}

function betweenOf(call: CallExpr, column: Column): readonly PartitionBound[] | null {
  const [value, low, high] = call.arguments
  if (call.name !== '$between' || !value || !low || !high || !isColumn(value, column)) return null
  return [
    ...(isFixed(low) ? [{ operator: '>=' as const, value: low }] : []),
    ...(isFixed(high) ? [{ operator: '<=' as const, value: high }] : []),
  ]
}

const isColumn = (expr: Expr, column: Column): boolean => expr.kind === 'column' && expr.column.id === column.id

/** Whether the value is the same for every row and known before the first row is read. */
const isFixed = (expr: Expr): boolean =>
  expr.kind !== 'column' &&
  expr.kind !== 'subquery' &&
  expr.kind !== 'in-query' &&
  !isVolatile(expr) &&
  partsOf(expr).every(isFixed)
