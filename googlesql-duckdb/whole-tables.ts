/** Finds the partitioned and date-sharded tables of which a query reads every part. */
import type { ResolvedQuery, TableScan } from '../googlesql/plan/nodes.js'
import { keyConditions } from './analysis/key-conditions.js'
import { testsPartitions } from './emit/scans/partition-filter.js'
import { LAST_PASSES, PASSES, runPasses } from './passes/index.js'

/** The names of tables whose rows no condition selects by their partition or the suffix of their shard. */
export function wholeTables(query: ResolvedQuery): readonly string[] {
  const options = { delay: null }
  const plan = runPasses(runPasses(query, PASSES, options), LAST_PASSES, options)
  const names = [...keyConditions(plan.scan)].flatMap(([scan, conditions]) =>
    isInParts(scan) && !conditions.some(scan.wildcard ? () => true : testsPartitions) ? [scan.table] : [],
  )
  return [...new Set(names)]
}

const isInParts = (scan: TableScan): boolean => scan.partitionedBy !== undefined || scan.wildcard !== undefined
