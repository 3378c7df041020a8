/** Aggregate functions over the elements of a list, where a list function gives what the aggregate would. */
import type { AggregateCall, Expr } from '../../../googlesql/plan/nodes.js'
import { AGGREGATE_FORMS } from '../../functions/all.js'
import { type Fragment, fill, fragment, path, slot, templateOf } from '../fragment.js'
import { applied, isLarge } from '../share-arguments.js'

/**
 * SQL of the list that an aggregate runs over: the values of an expression, or without one any list as long as there are
 * rows, of those rows that meet the condition. NULL or empty for none; null where there is no such SQL.
 */
export type ListOf = (value: Expr | null, condition: Expr | null) => Fragment | null

/** Null for an aggregate that has no list function, and where `listOf` gives none. */
export function listAggregateSql(call: AggregateCall, listOf: ListOf): Fragment | null {
  if (call.filter || call.having || call.isSafe || call.limit || call.orderBy.length > 0) return null
  if (call.isDistinct && call.name !== 'COUNT') return null
  const [first, second] = call.arguments
  if (call.name === '$count_star') return counted(listOf(null, null))
  if (!first) return null
  if (call.name === 'COUNTIF') return counted(listOf(null, first))
  const form = AGGREGATE_FORMS.get(call.name)?.list
  const list = form && listOf(first, null)
  return list ? once(list, sql => form(sql, first.type, call, second ?? null)) : null
}

const LIST = 'list$'

/** DuckDB plans a list as often as it is written, and lists may lie within lists: so one of many words is written once. */
function once(list: Fragment, write: (list: string) => string | null): Fragment | null {
  const shared = write(slot(0))
  if (shared === null) return null
  const uses = templateOf(shared).uses.get(0) ?? 0
  return isLarge(list, uses - 1) ? applied(list, LIST, fill(shared, [path(LIST)])) : fill(shared, [list])
}

const counted = (list: Fragment | null): Fragment | null => list && fragment`coalesce(len(${list}), 0)`
