/**
 * Writes reads of wildcard tables. The SQL reads such a table through one view. When the query runs, the engine puts into the view only
 * the shards whose suffixes meet the query's conditions.
 */
import { volatilityOf } from '../../../googlesql/functions/facts.js'
import type { Expr, TableScan } from '../../../googlesql/plan/nodes.js'
import { someOf } from '../../../googlesql/plan/walk.js'
import { keyColumn } from '../../analysis/key-conditions.js'
import { type Context, inScope } from '../context.js'
import { path } from '../fragment.js'
import { SHARD_SUFFIX } from './hidden-columns.js'

/** The name of the view through which the scan's shards are read; equal reads share a view. */
export function shardViewName(scan: TableScan, context: Context): string {
  const { prefix, shards, columns } = scan.wildcard!
  const key = keyColumn(scan)
  const conditions = (key ? (context.keyConditions.get(scan) ?? []) : []).map(condition => {
    const entry = { column: key!, sql: path(SHARD_SUFFIX), kind: 'column', isVolatile: false, source: key!.id } as const
    const sql = context.expr(condition, inScope({ entries: new Map([[key!.id, entry]]), outer: null }, context)).text
    return { sql, readsClock: someOf(condition, readsClock) }
  })
  return context.shardReads.viewOf({ table: scan.table, prefix, shards, columns, conditions })
}

const readsClock = (expr: Expr): boolean => expr.kind === 'call' && volatilityOf(expr.name) === 'stable'
