/**
 * Conditional functions in DuckDB SQL: CASE and COALESCE compute a branch only for the rows that need it, as BigQuery does.
 */
import { equalSql, operandAt } from '../emit/expressions/compare.js'
import { duckdbType } from '../emit/type.js'
import type { SqlWriter, SqlWriters, WriterCall } from './function-sql.js'

const coalesce: SqlWriter = call => `coalesce(${call.sql.join(', ')})`

/** The SQL of the arguments that can be NULL: all but literals. */
function nullables({ sql, args }: WriterCall): string[] {
  return sql.filter((_, i) => args[i]?.kind !== 'literal' || args[i].value === null) as string[]
}

/**
 * The longest interval (`greatest`) or the shortest (`least`); among intervals of equal length, the extreme in DuckDB's order, which
 * compares months first.
 */
const extremeInterval = (name: string, sql: readonly (string | null)[]): string =>
  `${name}(${sql.map(x => `struct_pack(k := bq_interval_key(${x}), v := ${x})`).join(', ')}).v`

/**
 * GREATEST or LEAST: NULL or NaN among the arguments makes the result NULL or NaN. DuckDB ignores NULLs, and NaN is its
 * largest value.
 */
const extreme =
  (name: string): SqlWriter =>
  call => {
    const value = call.type.kind === 'INTERVAL' ? extremeInterval(name, call.sql) : `${name}(${call.sql.join(', ')})`
    const isNull = nullables(call).map(sql => `${sql} IS NULL`)
    const hasNaN = call.type.kind === 'FLOAT64' && name === 'least' ? call.sql.map(sql => `isnan(${sql})`) : []
    const branches = [
      ...(isNull.length > 0 ? [`WHEN ${isNull.join(' OR ')} THEN NULL`] : []),
      ...(hasNaN.length > 0 ? [`WHEN ${hasNaN.join(' OR ')} THEN 'nan'::DOUBLE`] : []),
    ]
    return branches.length === 0 ? value : `(CASE ${branches.join(' ')} ELSE ${value} END)`
  }

/** NULLIF with the equality of `=`: NaN equals no value, nor does a struct with a NULL in it. */
const nullIf: SqlWriter = call =>
  `(CASE WHEN ${equalSql(operandAt(call, 0), operandAt(call, 1))} THEN NULL ELSE ${call.sql[0]} END)`

export const CONDITIONAL_WRITERS: SqlWriters = {
  IF: ({ sql: [condition, yes, no] }) => `(CASE WHEN ${condition} THEN ${yes} ELSE ${no} END)`,
  IFNULL: coalesce,
  COALESCE: coalesce,
  NULLIF: nullIf,
  NULLIFZERO: ({ sql: [x] }) => `(CASE WHEN ${x} = 0 THEN NULL ELSE ${x} END)`,
  // The cast is needed, since DuckDB's coalesce of a NULL NUMERIC and an integer returns a type other than DECIMAL.
  ZEROIFNULL: ({ sql: [x], type }) => `coalesce(${x}, 0::${duckdbType(type)})`,
  GREATEST: extreme('greatest'),
  LEAST: extreme('least'),
}
