/**
 * Rewrites HAVING MAX and HAVING MIN of an aggregate, which then reads only the rows with the extreme value of their group.
 *
 * Before: any plan. After: no aggregate without OVER has a HAVING; the extreme is a column of the input (a window over the
 * group), and a filter of the aggregate compares with it.
 */

import { aggregateCall, call, columnExpr } from '../../googlesql/plan/build.js'
import type {
  AggregateCall,
  AggregateScan,
  Column,
  Expr,
  ResolvedQuery,
  WindowScan,
} from '../../googlesql/plan/nodes.js'
import { mapScans } from '../../googlesql/plan/rewrite.js'
import { freshColumns, type NewColumn } from '../../googlesql/plan/walk.js'
import { BOOL } from '../../googlesql/types/types.js'
import { GenerateError } from '../emit/context.js'

export function applyHaving(query: ResolvedQuery): ResolvedQuery {
  const newColumn = freshColumns(query.scan)
  return {
    ...query,
    scan: mapScans(query.scan, scan => (scan.kind === 'aggregate' ? rewriteAggregate(scan, newColumn) : scan)),
  }
}

function rewriteAggregate(scan: AggregateScan, newColumn: NewColumn): AggregateScan {
  const first = scan.aggregates.find(({ call }) => call.having)
  if (!first) return scan
  if (scan.groupingSets) {
    throw new GenerateError(
      'HAVING MAX and HAVING MIN with grouping sets are not supported on the embedded engine',
      first.call.at,
    )
  }
  const functions: { column: Column; call: WindowScan['functions'][number]['call'] }[] = []
  const aggregates = scan.aggregates.map(each => {
    const { having } = each.call
    if (!having) return each
    const extreme = newColumn(having.extreme, having.expr.type)
    functions.push({ column: extreme, call: extremeOver(each.call, having, scan) })
    return { ...each, call: { ...each.call, having: null, filter: isExtreme(each.call, having.expr, extreme) } }
  })
  const input: WindowScan = {
    kind: 'window',
    input: scan.input,
    functions,
    columns: [...scan.input.columns, ...functions.map(({ column }) => column)],
  }
  return { ...scan, input, aggregates }
}

function extremeOver(
  { filter, at }: AggregateCall,
  having: NonNullable<AggregateCall['having']>,
  scan: AggregateScan,
): WindowScan['functions'][number]['call'] {
  const { extreme, expr } = having
  return {
    call: {
      ...aggregateCall(extreme === 'max' ? 'MAX' : 'MIN', expr.type, [expr], at),
      ignoresNulls: true,
      filter,
    },
    partitionBy: scan.keys.map(key => key.expr),
    orderBy: [],
    frame: null,
  }
}

function isExtreme({ filter, at }: AggregateCall, expr: Expr, extreme: Column): Expr {
  // Where the extreme is NaN, or NULL because all values are NULL, no row equals it.
  const isSame = call('$eq', BOOL, [expr, columnExpr(extreme, false, at)], at)
  return filter ? call('$and', BOOL, [filter, isSame], at) : isSame
}
