/** Finds the partitioned tables of which a query reads every partition. */
import type { ResolvedQuery } from '../googlesql/plan/nodes.js'
import { partitionBounds } from './analysis/partition-bounds.js'
import { LAST_PASSES, PASSES, runPasses } from './passes/index.js'

/** The names of tables whose rows no condition selects by the column that they are partitioned by. */
export function wholeTables(query: ResolvedQuery): readonly string[] {
  const options = { delay: null }
  const plan = runPasses(runPasses(query, PASSES, options), LAST_PASSES, options)
  const names = [...partitionBounds(plan.scan)].flatMap(([scan, bounds]) =>
    scan.partitionedBy !== undefined && bounds.length === 0 ? [scan.table] : [],
  )
  return [...new Set(names)]
}
