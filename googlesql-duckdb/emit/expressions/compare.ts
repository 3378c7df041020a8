/** Equality and order where DuckDB's differ from BigQuery's: NaN, and structs, which BigQuery compares field by field. */
import type { StructType, Type } from '../../../googlesql/types/types.js'
import type { FieldsSql, WriterCall } from '../../functions/function-sql.js'
import { quoteText } from '../quote.js'
import { fieldNames } from '../type.js'

/** The SQL of an operand, and that of each of its fields where it is a struct_pack call. */
export interface Operand {
  readonly sql: string
  readonly type: Type
  readonly fields?: FieldsSql | undefined
}

/** An argument of a call as an operand. */
export const operandAt = ({ sql, args, fields }: WriterCall, index: number): Operand => ({
  sql: sql[index]!,
  type: args[index]!.type,
  fields: fields?.[index],
})

/** `a = b`; NULL where BigQuery's result is NULL. */
export function equalSql(left: Operand, right: Operand): string {
  const [a, b] = [left.sql, right.sql]
  if (left.type.kind === 'STRUCT' && right.type.kind === 'STRUCT') {
    const [aFields, bFields] = [fieldsOf(left, left.type), fieldsOf(right, right.type)]
    return `(${aFields.map((field, i) => equalSql(field, bFields[i]!)).join(' AND ')})`
  }
  if (left.type.kind === 'ARRAY' && right.type.kind === 'ARRAY') {
    // Elements are compared as pairs, since a lambda in a correlated subquery must not capture the other list.
    const element = equalSql(
      { sql: 'pair$[1]', type: left.type.element },
      { sql: 'pair$[2]', type: right.type.element },
    )
    const elements = `bq_all_of(list_transform(list_zip(${a}, ${b}), lambda pair$: ${element}))`
    return `(CASE WHEN len(${a}) <> len(${b}) THEN false WHEN ${a} IS NOT NULL AND ${b} IS NOT NULL THEN ${elements} END)`
  }
  if (left.type.kind === 'INTERVAL') return intervalOrder('=', a, b)
  return hasNan(left.type) || hasNan(right.type) ? `bq_float_eq(${a}, ${b})` : `(${a} = ${b})`
}

/**
 * Compares intervals by their lengths. DuckDB compares the months, days and microseconds of an INTERVAL one after another, so 2
 * days less 9 hours are more than 42 hours there.
 */
export const intervalOrder = (symbol: string, a: string, b: string): string =>
  `(bq_interval_key(${a}) ${symbol} bq_interval_key(${b}))`

function fieldsOf({ sql, fields }: Operand, type: StructType): readonly Operand[] {
  const names = fieldNames(type)
  return type.fields.map((field, i) => ({
    type: field.type,
    ...(fields?.[i] ?? { sql: `struct_extract(${sql}, ${quoteText(names[i]!)})` }),
  }))
}

/** `a IS DISTINCT FROM b`; two NaNs are not distinct. */
export function distinctSql(left: Operand, right: Operand): string {
  const [a, b] = [left.sql, right.sql]
  if (left.type.kind === 'INTERVAL') return intervalOrder('IS DISTINCT FROM', a, b)
  if (left.type.kind !== 'STRUCT' || right.type.kind !== 'STRUCT') return `(${a} IS DISTINCT FROM ${b})`
  const [aFields, bFields] = [fieldsOf(left, left.type), fieldsOf(right, right.type)]
  const fields = aFields.map((field, i) => distinctSql(field, bFields[i]!))
  return `((${a} IS NULL) <> (${b} IS NULL) OR ${fields.join(' OR ')})`
}

const hasNan = (type: Type): boolean => type.kind === 'FLOAT64'

export interface FloatSide {
  readonly sql: string
  /** Whether this side is a literal other than NaN. */
  readonly isNumber: boolean
  /**
   * Whether this side is a call. Table statistics do not apply to it, and DuckDB would compute it twice if it were written
   * twice.
   */
  readonly isComputed: boolean
}

/**
 * `a < b` of FLOAT64s. NaN is neither less nor greater than any value, but DuckDB orders it above all others: so the larger
 * side must be tested for NaN.
 */
export function floatOrder(symbol: '<' | '<=' | '>' | '>=', a: FloatSide, b: FloatSide): string {
  if (symbol === '>' || symbol === '>=') return floatOrder(symbol === '>' ? '<' : '<=', b, a)
  if (b.isNumber) return `(${a.sql} ${symbol} ${b.sql})`
  // Negation makes the number the larger side, so no test is needed; NaN stays NaN when it is negated.
  if (a.isNumber && b.isComputed) return `((-${b.sql}) ${symbol} (-${a.sql}))`
  // Two separate conditions: DuckDB pushes the first one of a WHERE down to the scan, which compares it with the table's
  // statistics.
  if (a.isNumber) return `(${a.sql} ${symbol} ${b.sql} AND NOT isnan(${b.sql}))`
  return `${symbol === '<' ? 'bq_float_lt' : 'bq_float_le'}(${a.sql}, ${b.sql})`
}

/** `x IN UNNEST(list)` in three-valued logic; false for an empty list. */
export function inListSql(x: string, type: Type, list: string, element: Type): string {
  if (type.kind === 'STRUCT' || type.kind === 'ARRAY') {
    const pairs = `list_zip(list_resize([${x}], len(${list}), ${x}), ${list})`
    const equal = equalSql({ sql: 'pair$[1]', type }, { sql: 'pair$[2]', type: element })
    return `bq_any_of(list_transform(${pairs}, lambda pair$: ${equal}))`
  }
  if (type.kind === 'INTERVAL') {
    return `bq_in_array(bq_interval_key(${x}), list_transform(${list}, lambda i$: bq_interval_key(i$)))`
  }
  return type.kind === 'FLOAT64' ? `bq_float_in_array(${x}, ${list})` : `bq_in_array(${x}, ${list})`
}
