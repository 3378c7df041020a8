/**
 * Makes a new plan by replacing parts of another one. Every function that rebuilds a node derives from PARTS. A node whose
 * parts all stay the same stays the same object.
 */
import { memo } from '../memo.js'
import { mapPartsIn } from '../parts.js'
import type { Column, Expr, Scan, WindowCall } from './nodes.js'
import { PARTS, WINDOW_PARTS } from './parts.js'
import { columnsMade, columnsNamed, visitExpr, visitScan } from './walk.js'

/** Returns a replacement for the expression, or undefined to continue with its parts. */
export type Replace = (expr: Expr) => Expr | undefined

type Maps = {
  readonly expr?: (part: Expr) => Expr
  readonly scan?: (part: Scan) => Scan
  readonly column?: (part: Column) => Column
}

/** The node with its direct parts mapped. */
const mapNode = <N extends Expr | Scan>(node: N, maps: Maps): N => mapPartsIn(node, PARTS[node.kind], maps)

export const mapExpr = (expr: Expr, replace: Replace): Expr =>
  replace(expr) ?? mapNode(expr, { expr: part => mapExpr(part, replace), scan: scan => mapScan(scan, replace) })

export const mapScan = (scan: Scan, replace: Replace): Scan =>
  mapNode(scan, { expr: part => mapExpr(part, replace), scan: input => mapScan(input, replace) })

/** The scan with its own expressions mapped; its inputs are unchanged. */
export const mapExprs = (scan: Scan, map: (part: Expr) => Expr): Scan => mapNode(scan, { expr: map })

/** The call with the expressions in it mapped. */
export const mapWindow = (call: WindowCall, map: (part: Expr) => Expr): WindowCall =>
  mapPartsIn(call, WINDOW_PARTS, { expr: map })

/** The same scan over other inputs, in the number and order that `inputsOfScan` returns. */
export function withInputs(scan: Scan, inputs: readonly Scan[]): Scan {
  let next = 0
  return mapNode(scan, { scan: () => inputs[next++]! })
}

/**
 * Replaces every scan, after the scans in its inputs and subqueries. A scan that is not replaced, and has no subquery and no
 * changed input, stays the same object.
 *
 * @param replace returns the replacement of a scan; `isInner` is true for a scan in a subquery
 */
export function mapScans(root: Scan, replace: (scan: Scan, isInner: boolean) => Scan, isInner = false): Scan {
  const scan = mapNode(root, { scan: input => mapScans(input, replace, isInner) })
  const inExpr = (expr: Expr): Expr => mapNode(expr, { expr: inExpr, scan: query => mapScans(query, replace, true) })
  return replace(mapExprs(scan, inExpr), isInner)
}

/** Makes another plan of the same shape. */
export interface PlanMap {
  scan(scan: Scan): Scan
  expr(expr: Expr): Expr
}

/**
 * Sets the offset of every part of a plan to `at`. The body of a function in a dataset needs this, because its own offsets
 * refer to the function's text, not to the query's.
 */
export function moverTo(at: number): PlanMap {
  const expr = (part: Expr): Expr => ({ ...mapNode(part, { expr, scan }), at })
  const scan = (part: Scan): Scan => moveScan(mapNode(part, { expr, scan }), at)
  return { scan, expr }
}

/** The scan with this offset for its table, or for its aggregate and window calls. */
function moveScan(scan: Scan, at: number): Scan {
  if (scan.kind === 'table') return { ...scan, at }
  if (scan.kind === 'aggregate') {
    return { ...scan, aggregates: scan.aggregates.map(part => ({ ...part, call: { ...part.call, at } })) }
  }
  if (scan.kind !== 'window') return scan
  const move = (window: WindowCall): WindowCall => ({ ...window, call: { ...window.call, at } })
  return { ...scan, functions: scan.functions.map(part => ({ ...part, call: move(part.call) })) }
}

/**
 * Copies scans, and expressions over them, with new columns; columns of outer queries stay the same.
 *
 * @param newColumn returns a new column with the same name and type
 */
export function copierOf(
  scans: readonly Scan[],
  exprs: readonly Expr[],
  newColumn: (column: Column) => Column,
): PlanMap {
  const ids = new Set<number>()
  const addIds = (columns: readonly Column[]): void => columns.forEach(({ id }) => void ids.add(id))
  const visit = (expr: Expr): void => void (expr.kind === 'column' || addIds(columnsNamed(expr)))
  for (const scan of scans) visitScan(scan, visit, part => addIds(columnsMade(part)))
  for (const expr of exprs) visitExpr(expr, visit, part => addIds(columnsMade(part)))
  const copies = new Map<number, Column>()
  const column = (part: Column): Column => (ids.has(part.id) ? memo(copies, part.id, () => newColumn(part)) : part)
  const scan = (part: Scan): Scan => mapNode(mapNode(mapExprs(part, expr), { column }), { scan })
  const expr = (part: Expr): Expr => mapNode(part, { expr, scan, column })
  return { scan, expr }
}
