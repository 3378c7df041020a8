/**
 * Finds columns that are copies of other columns: the columns of a scan of a common table expression, and the columns that a
 * projection copies.
 */
import type { Column, CteScan, Expr, ResolvedQuery } from '../../googlesql/plan/nodes.js'
import { visitScans } from '../../googlesql/plan/walk.js'

export function findCopies(query: ResolvedQuery) {
  const sources = new Map<number, number>()
  /** The column references in projections that only copy a column. */
  const copies = new Set<Expr>()
  const copy = (column: Column, source: Column): void => {
    if (column.id !== source.id) sources.set(column.id, source.id)
  }
  const copyAll = (columns: readonly Column[], of: readonly Column[]): void => {
    for (const [i, column] of columns.entries()) copy(column, of[i]!)
  }
  const ctes = new Map<number, readonly Column[]>()
  const reads: CteScan[] = []
  visitScans(query.scan, scan => {
    if (scan.kind === 'cte') reads.push(scan)
    if (scan.kind === 'with') {
      for (const cte of scan.ctes) {
        ctes.set(cte.id, cte.columns)
        if (!cte.recursion) copyAll(cte.columns, cte.scan.columns)
      }
    }
    if (scan.kind !== 'project') return
    for (const { column, expr } of scan.computed) {
      if (expr.kind !== 'column') continue
      copies.add(expr)
      copy(column, expr.column)
    }
  })
  for (const scan of reads) copyAll(scan.columns, ctes.get(scan.cte)!)
  /** The id of the original column that this column copies, directly or through other copies; its own id if it is not a copy. */
  const rootOf = (id: number): number => {
    const source = sources.get(id)
    return source === undefined ? id : rootOf(source)
  }
  return { rootOf, copies }
}
