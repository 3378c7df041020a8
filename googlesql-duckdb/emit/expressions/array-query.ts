/** ARRAY(SELECT …): the rows as an array in the query's order; an empty array for no rows. */

import type { Column, Scan } from '../../../googlesql/plan/nodes.js'
import { type Env, findEntry } from '../context.js'
import { type Fragment, queryFragment } from '../fragment.js'
import { type BlockOf, derive, scopeOf, selectSql } from '../scans/select-block.js'

export function arrayQuerySql(scan: Scan, column: Column, env: Env, blockOf: BlockOf): Fragment {
  const needed = new Set([column.id])
  const block = blockOf(scan, needed, env)
  // DuckDB would evaluate list() of an outer column as an aggregate of the outer query, so such a column is derived first.
  const { kind } = findEntry(scopeOf(block, null), column)
  const isOwn = kind === 'column' || kind === 'path'
  const isRows = !block.groupBy && !block.isWindowed && block.limit === null && block.offset === null
  const rows = isRows && isOwn && block.order.length === 0 ? block : derive(block, needed, env)
  const { sql } = findEntry(scopeOf(rows, null), column)
  const order = rows.order.map(part => `${part.sql} ${part.direction}`).join(', ')
  const list = `list(${sql}${order === '' ? '' : ` ORDER BY ${order}`})`
  const query = selectSql({ ...rows, order: [] }, [{ name: env.newAlias(), sql: list, source: null }])
  return queryFragment(`coalesce((\n${query}\n), [])`)
}
