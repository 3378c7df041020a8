/** Equality and order where DuckDB's differ from BigQuery's: NaN, and structs, which BigQuery compares field by field. */
import type { Type } from '../../../googlesql/types/types.js'
import { argumentsAt } from '../operand.js'
import { quoteName, quoteText } from '../quote.js'
import { fieldNames } from '../type.js'

/** `a = b`; NULL where BigQuery's result is NULL. */
export function equalSql(a: string, aType: Type, b: string, bType: Type): string {
  if (aType.kind === 'STRUCT' && bType.kind === 'STRUCT') {
    const [aNames, bNames] = [fieldNames(aType), fieldNames(bType)]
    const fields = aType.fields.map((field, i) =>
      equalSql(fieldOf(a, aNames, i), field.type, fieldOf(b, bNames, i), bType.fields[i]!.type),
    )
    return `(${fields.join(' AND ')})`
  }
  if (aType.kind === 'ARRAY' && bType.kind === 'ARRAY') {
    // Elements are compared as pairs, since a lambda in a correlated subquery must not capture the other list.
    const element = equalSql('pair$[1]', aType.element, 'pair$[2]', bType.element)
    const elements = `bq_all_of(list_transform(list_zip(${a}, ${b}), lambda pair$: ${element}))`
    return `(CASE WHEN len(${a}) <> len(${b}) THEN false WHEN ${a} IS NOT NULL AND ${b} IS NOT NULL THEN ${elements} END)`
  }
  if (aType.kind === 'INTERVAL') return intervalOrder('=', a, b)
  return hasNan(aType) || hasNan(bType) ? `bq_float_eq(${a}, ${b})` : `(${a} = ${b})`
}

/**
 * Compares intervals by their lengths. DuckDB compares the months, days and microseconds of an INTERVAL one after another, so 2
 * days less 9 hours are more than 42 hours there.
 */
export const intervalOrder = (symbol: string, a: string, b: string): string =>
  `(bq_interval_key(${a}) ${symbol} bq_interval_key(${b}))`

/** The SQL of a struct's field; where the struct is a struct_pack call, the argument of that call for the field. */
function fieldOf(sql: string, names: readonly string[], index: number): string {
  const parts = sql.startsWith('struct_pack(') ? argumentsAt(sql, 'struct_pack'.length) : null
  if (parts?.end !== sql.length) return `struct_extract(${sql}, ${quoteText(names[index]!)})`
  return parts.args[index]!.slice(`${quoteName(names[index]!)} := `.length)
}

/** `a IS DISTINCT FROM b`; two NaNs are not distinct. */
export function distinctSql(a: string, aType: Type, b: string, bType: Type): string {
  if (aType.kind === 'INTERVAL') return intervalOrder('IS DISTINCT FROM', a, b)
  if (aType.kind !== 'STRUCT' || bType.kind !== 'STRUCT') return `(${a} IS DISTINCT FROM ${b})`
  const [aNames, bNames] = [fieldNames(aType), fieldNames(bType)]
  const fields = aType.fields.map((field, i) =>
    distinctSql(fieldOf(a, aNames, i), field.type, fieldOf(b, bNames, i), bType.fields[i]!.type),
  )
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
    return `bq_any_of(list_transform(${pairs}, lambda pair$: ${equalSql('pair$[1]', type, 'pair$[2]', element)}))`
  }
  if (type.kind === 'INTERVAL') {
    return `bq_in_array(bq_interval_key(${x}), list_transform(${list}, lambda i$: bq_interval_key(i$)))`
  }
  return type.kind === 'FLOAT64' ? `bq_float_in_array(${x}, ${list})` : `bq_in_array(${x}, ${list})`
}
