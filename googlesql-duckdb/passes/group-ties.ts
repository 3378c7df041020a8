/**
 * Adds sort keys to an ORDER BY over groups if its own keys leave ties. DuckDB returns groups in the order of a hash table, so
 * each run of the query could return tied rows in another order, and with a LIMIT other rows. Rows of tables and constants keep
 * the order in which they are read.
 *
 * Before: a plan from which nothing is pruned later. After: a sort over groups, or over a set operation or a join of groups, has further
 * keys: the columns that are read from the sort, until no two groups have equal keys.
 */

import { isOrderable } from '../../googlesql/functions/definitions/operators.js'
import { columnExpr } from '../../googlesql/plan/build.js'
import type {
  Column,
  Expr,
  OrderScan,
  ProjectScan,
  ResolvedCte,
  ResolvedQuery,
  Scan,
} from '../../googlesql/plan/nodes.js'
import { mapExpr, mapExprs, withInputs } from '../../googlesql/plan/rewrite.js'
import { columnsRead, hasSubquery, inputsOfScan, someScan, visitScans } from '../../googlesql/plan/walk.js'
import { findCopies } from '../analysis/copied-columns.js'
import { isConstant } from '../emit/context.js'

export function orderGroupTies(query: ResolvedQuery): ResolvedQuery {
  if (!someScan(query.scan, scan => scan.kind === 'order')) return query
  const { rootOf } = findCopies(query)
  const ctes = new Map<number, ResolvedCte>()
  const constants = new Set<number>()
  visitScans(query.scan, scan => {
    if (scan.kind === 'with') for (const cte of scan.ctes) ctes.set(cte.id, cte)
    if (scan.kind !== 'project') return
    for (const { column, expr } of scan.computed) if (isConstant(expr)) constants.add(column.id)
  })
  const facts: Facts = { rootOf, ctes, constants }
  const outputs = query.columns.map(({ column }) => column)
  return { ...query, scan: addKeys(query.scan, outputs, facts) }
}

interface Facts {
  readonly rootOf: (id: number) => number
  readonly ctes: ReadonlyMap<number, ResolvedCte>
  /** The ids of columns with one value for all rows. */
  readonly constants: ReadonlySet<number>
}

/** @param read the columns that are read from the scan, in the order in which the author wrote them */
function addKeys(scan: Scan, read: readonly Column[], facts: Facts): Scan {
  const own = mapExprs(scan, expr => addKeysIn(expr, facts))
  const inputs = inputsOfScan(scan).map(input => addKeys(input, columnsReadFrom(input, scan, read), facts))
  const mapped = withInputs(own, inputs)
  return mapped.kind === 'order' && hasGroups(mapped.input, facts) ? withTieKeys(mapped, read, facts) : mapped
}

const addKeysIn = (expr: Expr, facts: Facts): Expr =>
  hasSubquery(expr)
    ? mapExpr(expr, part => {
        if (part.kind === 'subquery') return { ...part, scan: addKeys(part.scan, part.scan.columns, facts) }
        if (part.kind !== 'in-query') return undefined
        return { ...part, operand: addKeysIn(part.operand, facts), scan: addKeys(part.scan, part.scan.columns, facts) }
      })
    : expr

/** The columns that `scan` and the scans above it read from an input. */
function columnsReadFrom(input: Scan, scan: Scan, read: readonly Column[]): readonly Column[] {
  if (scan.kind === 'project') return readByProject(scan, read)
  if (scan.kind === 'limit' || (scan.kind === 'with' && input === scan.body)) return read
  return input.columns
}

function readByProject({ input, computed }: ProjectScan, read: readonly Column[]): readonly Column[] {
  const exprs = new Map(computed.map(({ column, expr }) => [column.id, expr]))
  const inputColumns = new Map(input.columns.map(column => [column.id, column]))
  const ids = read.flatMap(({ id }) => (exprs.has(id) ? [...columnsRead([exprs.get(id)!])] : [id]))
  return [...new Set(ids)].flatMap(id => inputColumns.get(id) ?? [])
}

/** Whether the rows come in the order of a hash table. */
function hasGroups(scan: Scan, facts: Facts): boolean {
  switch (scan.kind) {
    case 'aggregate':
      return true
    case 'set':
      return scan.operator !== 'UNION' || !scan.isAll || scan.inputs.some(input => hasGroups(input, facts))
    case 'cte': {
      const cte = facts.ctes.get(scan.cte)!
      // The terms of a recursion read the CTE itself; they are not examined.
      return cte.recursion?.isAll === false || hasGroups(cte.scan, facts)
    }
    case 'with':
      return hasGroups(scan.body, facts)
    default:
      return inputsOfScan(scan).some(input => hasGroups(input, facts))
  }
}

function withTieKeys(scan: OrderScan, read: readonly Column[], { rootOf, ctes, constants }: Facts): OrderScan {
  const groupKeys = groupKeysOf(scan.input, ctes)
  const sortedRoots = new Set(scan.keys.flatMap(({ expr }) => (expr.kind === 'column' ? [rootOf(expr.column.id)] : [])))
  const { at } = scan.keys[0]!.expr
  const tieKeys: OrderScan['keys'][number][] = []
  // Columns without an order in GoogleSQL (arrays, structs, JSON) come last: to sort by them is slow and rarely needed.
  const candidates = [...read.filter(({ type }) => isOrderable(type)), ...read.filter(({ type }) => !isOrderable(type))]
  for (const column of candidates) {
    if (groupKeys?.every(id => sortedRoots.has(rootOf(id)))) break
    const root = rootOf(column.id)
    if (sortedRoots.has(root) || constants.has(root)) continue
    sortedRoots.add(root)
    tieKeys.push({ expr: columnExpr(column, false, at), isDescending: false, nullsFirst: true })
  }
  return { ...scan, keys: [...scan.keys, ...tieKeys] }
}

/**
 * The columns of the group keys, if the scan has at most one row for each group of one aggregation: no two rows have equal
 * keys. Null for any other scan.
 */
function groupKeysOf(scan: Scan, ctes: Facts['ctes']): readonly number[] | null {
  switch (scan.kind) {
    case 'aggregate':
      return scan.groupingSets ? null : scan.keys.map(({ column }) => column.id)
    case 'filter':
    case 'project':
    case 'window':
    case 'order':
    case 'limit':
      return groupKeysOf(scan.input, ctes)
    case 'with':
      return groupKeysOf(scan.body, ctes)
    case 'cte': {
      const cte = ctes.get(scan.cte)!
      return cte.recursion ? null : groupKeysOf(cte.scan, ctes)
    }
    default:
      return null
  }
}
