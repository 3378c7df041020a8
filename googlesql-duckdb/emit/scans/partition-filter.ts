/**
 * Writes filters on the column that a table is partitioned by as filters on its partitions, so that DuckDB opens only the
 * files of matching partitions. The table's view has two hidden columns for this (see table-store.ts), which are NULL where a
 * row's partition is not known.
 */

import type { PartitionBound } from '../../analysis/partition-bounds.js'
import type { Context } from '../context.js'

/** The inclusive lower bound of the partition's values. */
export const FROM_COLUMN = '"~from"'
/** The exclusive upper bound of the partition's values. */
export const UNTIL_COLUMN = '"~until"'

/** The SQL of the conditions over the hidden columns of the table with this alias. */
export function boundsSql(bounds: readonly PartitionBound[], alias: string, context: Context): readonly string[] {
  return bounds.flatMap(({ operator, value }) => {
    const sql = context.expr(value, null)
    const from = `${alias}.${FROM_COLUMN}`
    const until = `${alias}.${UNTIL_COLUMN}`
    const upper = `(${from} IS NULL OR ${from} <= ${sql})`
    const lower = `(${until} IS NULL OR ${until} > ${sql})`
    if (operator === '=') return [lower, upper]
    return [operator === '<' || operator === '<=' ? upper : lower]
  })
}
