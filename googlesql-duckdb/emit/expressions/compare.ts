/** Equality and order where DuckDB's own differ: NaN, and structs, which BigQuery compares field by field. */
import type { Type } from '../../../googlesql/types/types.js'
import { argumentsAt } from '../operand.js'
import { quoteName, quoteText } from '../quote.js'
import { fieldNames } from '../type.js'

/** `a = b`, NULL where BigQuery's is. */
export function equalSql(a: string, aType: Type, b: string, bType: Type): string {
  if (aType.kind === 'STRUCT' && bType.kind === 'STRUCT') {
    const [aNames, bNames] = [fieldNames(aType), fieldNames(bType)]
    const fields = aType.fields.map((field, i) =>
      equalSql(fieldOf(a, aNames, i), field.type, fieldOf(b, bNames, i), bType.fields[i]!.type),
    )
    return `(${fields.join(' AND ')})`
  }
  if (aType.kind === 'ARRAY' && bType.kind === 'ARRAY') {
    // Pairs, since a lambda of a correlated subquery must not capture what it compares.
    const element = equalSql('pair$[1]', aType.element, 'pair$[2]', bType.element)
    const elements = `bq_all_of(list_transform(list_zip(${a}, ${b}), lambda pair$: ${element}))`
    return `(CASE WHEN len(${a}) <> len(${b}) THEN false WHEN ${a} IS NOT NULL AND ${b} IS NOT NULL THEN ${elements} END)`
  }
  if (aType.kind === 'INTERVAL') return intervalOrder('=', a, b)
  return hasNan(aType) || hasNan(bType) ? `bq_float_eq(${a}, ${b})` : `(${a} = ${b})`
}

/** DuckDB takes the parts of an INTERVAL one by one, so 2 days less 9 hours are more than 42 hours there. */
export const intervalOrder = (symbol: string, a: string, b: string): string =>
  `(bq_interval_key(${a}) ${symbol} bq_interval_key(${b}))`

/** A field of a struct; of one that is only just put together, the slot of the part that was put in. */
function fieldOf(sql: string, names: readonly string[], index: number): string {
  const parts = sql.startsWith('struct_pack(') ? argumentsAt(sql, 'struct_pack'.length) : null
  if (parts?.end !== sql.length) return `struct_extract(${sql}, ${quoteText(names[index]!)})`
  return parts.args[index]!.slice(`${quoteName(names[index]!)} := `.length)
}

/** `a IS DISTINCT FROM b`; NaN is not distinct from NaN. */
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
  /** A literal that is no NaN. */
  readonly isNumber: boolean
  /** By a call. Statistics of tables do not reach it, and to write it twice is to compute it twice. */
  readonly isComputed: boolean
}

/**
 * `a < b` of FLOAT64s. NaN is neither less nor greater than anything, while DuckDB has it above all: so the larger side
 * must be no NaN.
 */
export function floatOrder(symbol: '<' | '<=' | '>' | '>=', a: FloatSide, b: FloatSide): string {
  if (symbol === '>' || symbol === '>=') return floatOrder(symbol === '>' ? '<' : '<=', b, a)
  if (b.isNumber) return `(${a.sql} ${symbol} ${b.sql})`
  // The negative of NaN is NaN.
  if (a.isNumber && b.isComputed) return `((-${b.sql}) ${symbol} (-${a.sql}))`
  // Both tests may stand alone in a WHERE, where the first reaches the table's statistics.
  if (a.isNumber) return `(${a.sql} ${symbol} ${b.sql} AND NOT isnan(${b.sql}))`
  return `${symbol === '<' ? 'bq_float_lt' : 'bq_float_le'}(${a.sql}, ${b.sql})`
}

/** `x IN UNNEST(list)`: three-valued, and never of nothing. */
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
