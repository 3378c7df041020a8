/** Finds the partitioned tables and wildcard tables of which a query reads every part. */
import type { Expr, ResolvedQuery, TableScan } from '../googlesql/plan/nodes.js'
import { keyConditions } from './analysis/key-conditions.js'
import { leavesOutPartitions } from './emit/scans/partition-reads.js'
import { LAST_PASSES, PASSES, runPasses } from './passes/index.js'

/** The names of the partitioned and wildcard tables for which no condition of the query leaves out partitions or shards. */
export function wholeTables(query: ResolvedQuery): readonly string[] {
  const options = { delay: null, limitsEarly: false }
  const plan = runPasses(runPasses(query, PASSES, options), LAST_PASSES, options)
  const names = [...keyConditions(plan.scan)].flatMap(([scan, conditions]) =>
    hasParts(scan) && !leavesOut(scan, conditions) ? [scan.table] : [],
  )
  return [...new Set(names)]
}

const leavesOut = (scan: TableScan, conditions: readonly Expr[]): boolean =>
  scan.wildcard ? conditions.length > 0 : leavesOutPartitions(scan, conditions)

const hasParts = (scan: TableScan): boolean => scan.partitionedBy !== undefined || scan.wildcard !== undefined
