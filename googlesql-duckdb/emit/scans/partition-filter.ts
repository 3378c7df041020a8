/**
 * Filters on the column that a table is partitioned by, as filters on its partitions: DuckDB then opens only the files of
 * those. The table's view has two hidden columns for it (see table-store.ts), NULL where a row's partition is not known.
 */

import type { PartitionBound } from '../../analysis/partition-bounds.js'
import type { Context } from '../context.js'

/** No row of the partition is before it. */
export const FROM_COLUMN = '"~from"'
/** All rows of the partition are before it. */
export const UNTIL_COLUMN = '"~until"'

/** SQL of the conditions, over the hidden columns of the table that goes by this alias. */
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
