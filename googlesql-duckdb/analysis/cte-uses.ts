/** How often common table expressions are read. One that is read once may stand in the place of its reader. */
import { isVolatileScan } from '../../googlesql/functions/facts.js'
import type { ResolvedCte, Scan } from '../../googlesql/plan/nodes.js'
import { visitScan } from '../../googlesql/plan/walk.js'

/** Those whose definition may stand where they are read, by id: read once, and not recursive, volatile or computed first. */
export function inlineCtes(root: Scan): ReadonlyMap<number, ResolvedCte> {
  const ctes = new Map<number, ResolvedCte>()
  const uses = new Map<number, number>()
  visitScan(
    root,
    () => {},
    scan => {
      if (scan.kind === 'cte') uses.set(scan.cte, (uses.get(scan.cte) ?? 0) + 1)
      if (scan.kind === 'with') for (const cte of scan.ctes) ctes.set(cte.id, cte)
    },
  )
  for (const [id, { recursion, scan, isComputedFirst }] of ctes)
    if (uses.get(id) !== 1 || recursion || isComputedFirst || isVolatileScan(scan)) ctes.delete(id)
  return ctes
}
