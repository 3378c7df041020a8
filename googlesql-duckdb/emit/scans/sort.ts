/** Sort keys. The place of NULLs and NaN is always written. */

import type { Expr, SortKey } from '../../../googlesql/plan/nodes.js'
import { type Env, findEntry, isConstant } from '../context.js'
import { fragment } from '../fragment.js'
import type { OrderPart } from './select-block.js'

/**
 * The sort keys in DuckDB. A FLOAT64 key becomes two, since BigQuery orders NaN before all numbers and DuckDB after them. An
 * INTERVAL is ordered by its length, which DuckDB itself does where all its parts have one sign. Constant keys are left out.
 */
export function orderParts(keys: readonly SortKey[], env: Env): readonly OrderPart[] {
  return keys.flatMap(key => {
    if (isConstant(key.expr)) return []
    const sql = env.expr(key.expr, env)
    const source = key.expr.kind === 'column' ? findEntry(env.scope, key.expr.column).source : null
    const nulls = key.nullsFirst ? 'NULLS FIRST' : 'NULLS LAST'
    const direction = `${key.isDescending ? 'DESC' : 'ASC'} ${nulls}`
    if (key.expr.type.kind === 'INTERVAL' && !isOfOneSign(key.expr)) {
      return [{ sql: fragment`bq_interval_key(${sql})`, source: null, direction }]
    }
    const part: OrderPart = { sql, source, direction }
    if (key.expr.type.kind !== 'FLOAT64') return [part]
    return [
      { sql: fragment`isnan(${sql})`, source: null, direction: `${key.isDescending ? 'ASC' : 'DESC'} ${nulls}` },
      part,
    ]
  })
}

const isOfOneSign = (expr: Expr): boolean => expr.kind === 'call' && expr.name === '$interval_of_one_sign'

/** ` ORDER BY …` for a call or a window; empty without keys. */
export function orderClause(keys: readonly SortKey[], env: Env): string {
  const parts = orderParts(keys, env).map(part => `${part.sql} ${part.direction}`)
  return parts.length === 0 ? '' : ` ORDER BY ${parts.join(', ')}`
}
