/**
 * Writes conditions that select the partitions which a query reads. By them the engine tells how much the query would read, without
 * running it.
 */
import { PARTITION_TIME } from '../../../googlesql/data.js'
import type { Column, Expr, TableScan } from '../../../googlesql/plan/nodes.js'
import { someOf } from '../../../googlesql/plan/walk.js'
import { keyColumn, keyColumns } from '../../analysis/key-conditions.js'
import { type Context, inScope } from '../context.js'
import { fragment, path } from '../fragment.js'
import type { WrittenPartitionRead } from '../shard-views.js'
import { FROM_COLUMN, PARTITION_ALIAS } from './hidden-columns.js'
import { partitionTest, partitionTests, slackOf } from './partition-filter.js'

/** The read of a partitioned table; null for a table without partitions. */
export function partitionRead(scan: TableScan, context: Context): WrittenPartitionRead | null {
  if (scan.partitionedBy === undefined || scan.wildcard) return null
  const tests =
    scan.partitionedBy === PARTITION_TIME
      ? partitionTimeTests(scan, context)
      : partitionTests(scan, PARTITION_ALIAS, context)
  return { table: scan.table, conditions: tests.map(sql => ({ sql, readsClock: false })) }
}

/** Whether one of these conditions, which select rows of the partitioned table, leaves out partitions. */
export function leavesOutPartitions(scan: TableScan, conditions: readonly Expr[]): boolean {
  if (scan.partitionedBy === PARTITION_TIME) return conditions.some(condition => isPlain(condition, keyColumns(scan)))
  const column = keyColumn(scan)
  return column !== undefined && conditions.some(condition => partitionTest(condition, column) !== null)
}

/**
 * The tests for a table that is partitioned by `_PARTITIONTIME`. DuckDB applies every condition on that pseudocolumn which can be computed
 * while the query is planned.
 */
function partitionTimeTests(scan: TableScan, context: Context): readonly string[] {
  const time = `${PARTITION_ALIAS}.${FROM_COLUMN}`
  const keys = keyColumns(scan)
  const entries = new Map(
    keys.map(column => {
      const sql = column.type.kind === 'DATE' ? fragment`CAST(${path(time)} AS DATE)` : path(time)
      return [column.id, { column, sql, kind: 'column', isVolatile: false, source: column.id }] as const
    }),
  )
  const conditions = (context.keyConditions.get(scan) ?? []).filter(condition => isPlain(condition, keys))
  return conditions.map(condition => context.expr(condition, inScope({ entries, outer: null }, context)).text)
}

/**
 * Whether only operators are applied to the keys, to their dates and to their truncations. Other functions are excluded, such as those with
 * a time zone: DuckDB computes them only while the query runs.
 */
function isPlain(condition: Expr, keys: readonly Column[]): boolean {
  const readsKey = (expr: Expr): boolean =>
    someOf(expr, part => part.kind === 'column' && keys.some(({ id }) => id === part.column.id))
  return !someOf(condition, part => {
    const isFunction = part.kind === 'cast' || (part.kind === 'call' && !part.name.startsWith('$'))
    return isFunction && readsKey(part) && keys.every(key => slackOf(part, key) === null)
  })
}
