/** Aggregate functions over the elements of a list, where DuckDB has a list function with the same result. */
import type { Type } from '../../googlesql/types/types.js'
import { literalSql } from '../emit/expressions/literal.js'
import type { ListWriter } from './function-sql.js'

/**
 * 2^-64 exactly: sums of values scaled by it do not overflow for any number of rows. bq_float_total scales the total back.
 */
export const TIMES_2_TO_MINUS_64 = '5.421010862427522e-20::DOUBLE'

/** A total together with the total of scaled-down values, for the same reason as in aggregates.ts. */
const floatTotal = (name: string, list: string): string =>
  `bq_float_total(${name}(${list}), ${name}(list_transform(${list}, lambda x$: x$ * ${TIMES_2_TO_MINUS_64})))`

/** The sum of the elements; null for a type that no list function adds. */
export function listSum(list: string, { kind }: Type): string | null {
  if (kind === 'INT64') return `bq_sum_int64(list_sum(${list}))`
  if (kind === 'FLOAT64') return floatTotal('list_sum', list)
  if (kind === 'BIGNUMERIC') return `bq_bignumeric_total(list_sum(${list}))`
  return kind === 'NUMERIC' ? `bq_sum_list(${list})` : null
}

export function listAverage(list: string, { kind }: Type): string | null {
  if (kind === 'INT64') return `list_avg(${list})`
  if (kind === 'FLOAT64') return floatTotal('list_avg', list)
  if (kind === 'BIGNUMERIC') return `bq_bignumeric_average(list_sum(${list}), nullif(list_count(${list}), 0))`
  return kind === 'NUMERIC' ? `bq_avg_list(${list})` : null
}

/** Whether DuckDB orders and compares the type's values as BigQuery does. */
export const isPlainType = ({ kind }: Type): boolean => PLAIN.has(kind)
const PLAIN: ReadonlySet<string> = new Set('INT64 NUMERIC BOOL STRING BYTES DATE DATETIME TIME TIMESTAMP'.split(' '))

export const LIST_WRITERS = {
  COUNT: (list, type, { isDistinct }) => {
    if (!isDistinct) return `coalesce(list_count(${list}), 0)`
    // list_distinct ignores NULL, as COUNT does.
    return isPlainType(type) ? `coalesce(len(list_distinct(${list})), 0)` : null
  },
  SUM: listSum,
  AVG: listAverage,
  MIN: (list, type) => {
    if (type.kind === 'FLOAT64') return `bq_min_float64(list_min(${list}), list_max(${list}))`
    return isPlainType(type) ? `list_min(${list})` : null
  },
  MAX: (list, type) => (isPlainType(type) || type.kind === 'FLOAT64' ? `list_max(${list})` : null),
  ANY_VALUE: list => `list_any_value(${list})`,
  LOGICAL_AND: list => `list_bool_and(${list})`,
  LOGICAL_OR: list => `list_bool_or(${list})`,
  STRING_AGG: (list, { kind }, _, separator) => {
    if (kind !== 'STRING' || (separator && (separator.kind !== 'literal' || separator.value === null))) return null
    return `list_aggregate(${list}, 'string_agg', ${separator?.kind === 'literal' ? literalSql(separator) : "','"})`
  },
  ARRAY_AGG: (list, _type, { ignoresNulls }) => {
    const kept = ignoresNulls ? `list_filter(${list}, lambda x$: x$ IS NOT NULL)` : list
    return `list_aggregate(${kept}, 'list')`
  },
} satisfies Readonly<Record<string, ListWriter>>
