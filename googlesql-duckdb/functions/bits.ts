/** Bit functions in DuckDB SQL. */
import type { SqlWriters } from './function-sql.js'

export const BIT_WRITERS: SqlWriters = {
  BIT_COUNT: ({ sql: [x], args }) =>
    args[0]!.type.kind === 'BYTES' ? `bq_bit_count_bytes(${x})` : `CAST(bit_count(${x}) AS BIGINT)`,
}
