/** Aggregate functions over the elements of a list, where DuckDB has a list function with the same result. */
import type { AggregateCall, Expr } from '../../../googlesql/plan/nodes.js'
import { AGGREGATE_WRITERS } from '../../functions/all.js'
import { type Fragment, fill, fragment, path, slot, templateOf } from '../fragment.js'
import { applyLambda, isLarge } from '../share-arguments.js'

/**
 * Returns the SQL of the list that an aggregate runs over: the values of the expression for the rows that meet the condition.
 * Without an expression it is any list whose length is the number of rows. For no rows the list is NULL or empty. Null where
 * there is no such SQL.
 */
export type ListOf = (value: Expr | null, condition: Expr | null) => Fragment | null

/** The aggregate as a list function; null for an aggregate without one, and where `listOf` returns null. */
export function listAggregateSql(call: AggregateCall, listOf: ListOf): Fragment | null {
  if (call.filter || call.having || call.isSafe || call.limit || call.orderBy.length > 0) return null
  if (call.isDistinct && call.name !== 'COUNT') return null
  const [first, second] = call.arguments
  if (call.name === '$count_star') return lengthSql(listOf(null, null))
  if (!first) return null
  if (call.name === 'COUNTIF') return lengthSql(listOf(null, first))
  const writer = AGGREGATE_WRITERS.get(call.name)?.list
  const list = writer && listOf(first, null)
  return list ? shareList(list, sql => writer(sql, first.type, call, second ?? null)) : null
}

const LIST = 'list$'

/**
 * DuckDB plans a list each time that it is written, and lists may be nested: so a long list is written once, as the argument of
 * a lambda.
 */
function shareList(list: Fragment, write: (list: string) => string | null): Fragment | null {
  const shared = write(slot(0))
  if (shared === null) return null
  const uses = templateOf(shared).uses.get(0) ?? 0
  return isLarge(list, uses - 1) ? applyLambda(list, LIST, fill(shared, [path(LIST)])) : fill(shared, [list])
}

const lengthSql = (list: Fragment | null): Fragment | null => list && fragment`coalesce(len(${list}), 0)`
