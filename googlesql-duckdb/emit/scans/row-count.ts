/** The row count of LIMIT and OFFSET. */
import type { Expr } from '../../../googlesql/plan/nodes.js'
import { type Context, inScope } from '../context.js'

/** The SQL of the count. DuckDB treats a NULL count as no limit; BigQuery refuses it. */
export function rowCountSql(count: Expr, context: Context): string {
  if (count.kind === 'literal' && typeof count.value === 'string') return count.value
  const sql = context.expr(count, inScope(null, context))
  return (
    `CASE WHEN ${sql} IS NULL THEN bq_error('Limit requires non-null count and offset') ` +
    `WHEN ${sql} < 0 THEN bq_error('Limit requires non-negative count and offset') ELSE ${sql} END`
  )
}
