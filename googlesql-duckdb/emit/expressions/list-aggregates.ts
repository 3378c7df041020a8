/** Aggregate functions over the elements of a list, where a list function gives what the aggregate would. */
import type { AggregateCall, Expr } from '../../../googlesql/plan/nodes.js'
import type { Type } from '../../../googlesql/types/types.js'
import { MADE_SMALL } from '../../functions/aggregates.js'
import { usesOf } from '../macro-usage.js'
import { isLarge } from '../share-arguments.js'
import { literalSql } from './literal.js'

/**
 * SQL of the list that an aggregate runs over: the values of an expression, or without one any list as long as there are
 * rows, of those rows that meet the condition. NULL or empty for none; null where there is no such SQL.
 */
export type ListOf = (value: Expr | null, condition: Expr | null) => string | null

/** Null for an aggregate that has no list function, and where `listOf` gives none. */
export function listAggregateSql(call: AggregateCall, listOf: ListOf): string | null {
  if (call.filter || call.having || call.isSafe || call.limit || call.orderBy.length > 0) return null
  if (call.isDistinct && call.name !== 'COUNT') return null
  const [first, second] = call.arguments
  if (call.name === '$count_star') return counted(listOf(null, null))
  if (!first) return null
  if (call.name === 'COUNTIF') return counted(listOf(null, first))
  const form = Object.hasOwn(FORMS, call.name) ? FORMS[call.name] : undefined
  const list = form && listOf(first, null)
  return list ? once(list, sql => form(sql, first.type, call, second ?? null)) : null
}

const LIST = 'list$'

/** DuckDB plans a list as often as it is written, and lists may lie within lists: so one of many words is written once. */
function once(list: string, write: (list: string) => string | null): string | null {
  const shared = write(LIST)
  if (shared === null || !isLarge(list, usesOf(shared, LIST) - 1)) return write(list)
  return `list_extract(list_transform([${list}], lambda ${LIST}: ${shared}), 1)`
}

type ListForm = (list: string, type: Type, call: AggregateCall, second: Expr | null) => string | null

const counted = (list: string | null): string | null => list && `coalesce(len(${list}), 0)`

/** With a second one of values made small, as the aggregate itself: see functions/aggregates.ts. */
const floatTotal = (name: string, list: string): string =>
  `bq_float_total(${name}(${list}), ${name}(list_transform(${list}, lambda x$: x$ * ${MADE_SMALL})))`

const sum: ListForm = (list, { kind }) => {
  if (kind === 'INT64') return `bq_sum_int64(list_sum(${list}))`
  if (kind === 'FLOAT64') return floatTotal('list_sum', list)
  return kind === 'NUMERIC' ? `bq_sum_numeric(list_sum(${list}))` : null
}

const average: ListForm = (list, { kind }) => {
  if (kind === 'INT64') return `list_avg(${list})`
  return kind === 'FLOAT64' ? floatTotal('list_avg', list) : null
}

/** Types whose values DuckDB orders, and tells apart, as BigQuery does. */
export const isPlainType = ({ kind }: Type): boolean => PLAIN.has(kind)
const PLAIN: ReadonlySet<Type['kind']> = new Set([
  'INT64',
  'NUMERIC',
  'BOOL',
  'STRING',
  'BYTES',
  'DATE',
  'DATETIME',
  'TIME',
  'TIMESTAMP',
])

const FORMS: Readonly<Record<string, ListForm>> = {
  COUNT: (list, type, { isDistinct }) => {
    if (!isDistinct) return `coalesce(list_count(${list}), 0)`
    // It leaves NULL out, as COUNT does.
    return isPlainType(type) ? `coalesce(len(list_distinct(${list})), 0)` : null
  },
  SUM: sum,
  AVG: average,
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
}
