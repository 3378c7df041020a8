/** Finds the common table expressions that can be inlined: the definition can replace the only scan that reads it. */
import { isVolatileScan } from '../../googlesql/functions/facts.js'
import type { ResolvedCte, Scan } from '../../googlesql/plan/nodes.js'
import { visitScans } from '../../googlesql/plan/walk.js'

/** The CTEs that can be inlined, by id: read exactly once, and not recursive, volatile or `isComputedFirst`. */
export function inlineCtes(root: Scan): ReadonlyMap<number, ResolvedCte> {
  const ctes = new Map<number, ResolvedCte>()
  const uses = new Map<number, number>()
  visitScans(root, scan => {
    if (scan.kind === 'cte') uses.set(scan.cte, (uses.get(scan.cte) ?? 0) + 1)
    if (scan.kind === 'with') for (const cte of scan.ctes) ctes.set(cte.id, cte)
  })
  for (const [id, { recursion, scan, isComputedFirst }] of ctes)
    if (uses.get(id) !== 1 || recursion || isComputedFirst || isVolatileScan(scan)) ctes.delete(id)
  return ctes
}
