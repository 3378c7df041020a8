/** Conversion functions in DuckDB SQL. */
import type { SqlWriters } from './function-sql.js'

export const CONVERSION_WRITERS: SqlWriters = {
  PARSE_NUMERIC: ({ sql: [text] }) => `CAST(bq_parse_numeric(${text}) AS DECIMAL(38,9))`,
  PARSE_BIGNUMERIC: ({ sql: [text] }) => `bq_bignumeric_parse(${text})`,
}
