/** CAST … FORMAT as DuckDB SQL. */
import type { ScalarKind, Type } from '../../googlesql/types/types.js'
import { fromMicrosSql, microsSql } from './dates/format.js'
import { type SqlWriter, SqlWriterError, type SqlWriters } from './function-sql.js'

const TIME_KINDS: ReadonlySet<string> = new Set(['DATE', 'TIME', 'DATETIME', 'TIMESTAMP'])
const DECIMAL_KINDS: ReadonlySet<string> = new Set(['INT64', 'NUMERIC'])

/**
 * Casts the operand from the type `from` to `to` with a format. `zone` is null where AT TIME ZONE is absent. A NULL argument
 * gives NULL. The SQL may raise an error at run time, and is allowed in TRY().
 */
function castFormatSql(operand: string, from: Type, to: Type, format: string, zone: string | null): string {
  const source = from.kind as ScalarKind
  const target = to.kind as ScalarKind
  if (target === 'STRING') {
    if (TIME_KINDS.has(source)) {
      return `bq_cast_time_to_text(${format}, '${source}', ${microsSql(operand, source)}, ${zone ?? "'UTC'"})`
    }
    if (source === 'BYTES') return `bq_cast_bytes_to_text(${operand}, ${format})`
    if (source === 'FLOAT64') return `bq_cast_double_to_text(${operand}, ${format})`
    if (source === 'BIGNUMERIC') return `bq_cast_decimal_to_text(bq_bignumeric_text(${operand}), ${format})`
    if (DECIMAL_KINDS.has(source)) return `bq_cast_decimal_to_text(CAST(${operand} AS VARCHAR), ${format})`
  }
  if (source === 'STRING') {
    if (target === 'BYTES') return `bq_cast_text_to_bytes(${operand}, ${format})`
    if (TIME_KINDS.has(target)) {
      const micros = `bq_cast_text_to_time(${format}, ${operand}, '${target}', ${zone ?? "'UTC'"}, epoch_us(now()))`
      return fromMicrosSql(micros, target)
    }
  }
  throw new SqlWriterError(`FORMAT is not allowed for cast from ${source} to ${target}`)
}

/** The arguments are the operand, the format and the zone. */
const castFormat: SqlWriter = ({ sql, args, type }) =>
  castFormatSql(sql[0]!, args[0]!.type, type, sql[1]!, sql[2] ?? null)

export const CAST_FORMAT_WRITERS: SqlWriters = { $cast_format: castFormat }
