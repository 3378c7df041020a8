/** HAVING MAX and HAVING MIN of an aggregate: only rows with the extreme of its group take part. */

import { columnExpr } from '../../../googlesql/index.js'
import type { AggregateCall, AggregateScan, Column, Expr, WindowScan } from '../../../googlesql/plan/nodes.js'
import { BOOL } from '../../../googlesql/types/types.js'
import { type Context, GenerateError } from '../context.js'

/** The same aggregation, where the extreme is a column of the input (a window over the group) and a filter compares with it. */
export function applyHaving(scan: AggregateScan, context: Context): AggregateScan {
  const first = scan.aggregates.find(({ call }) => call.having)
  if (!first) return scan
  if (scan.groupingSets) {
    throw new GenerateError(
      'HAVING MAX and HAVING MIN with grouping sets are not supported on the embedded engine',
      first.call.at,
    )
  }
  const functions: { column: Column; call: WindowScan['functions'][number]['call'] }[] = []
  const aggregates = scan.aggregates.map(({ column, call }) => {
    if (!call.having) return { column, call }
    const extreme = context.newColumn(call.having.extreme, call.having.expr.type)
    functions.push({ column: extreme, call: extremeOver(call, call.having, scan) })
    return { column, call: { ...call, having: null, filter: isExtreme(call, call.having.expr, extreme) } }
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
  call: AggregateCall,
  having: NonNullable<AggregateCall['having']>,
  scan: AggregateScan,
): WindowScan['functions'][number]['call'] {
  const { extreme, expr } = having
  return {
    call: {
      type: expr.type,
      name: extreme === 'max' ? 'MAX' : 'MIN',
      arguments: [expr],
      isDistinct: false,
      ignoresNulls: true,
      having: null,
      orderBy: [],
      limit: null,
      filter: call.filter,
      isSafe: false,
      at: call.at,
    },
    partitionBy: scan.keys.map(key => key.expr),
    orderBy: [],
    frame: null,
  }
}

function isExtreme(call: AggregateCall, expr: Expr, extreme: Column): Expr {
  const operator = (name: string, args: readonly Expr[]): Expr => ({
    kind: 'call',
    type: BOOL,
    name,
    arguments: args,
    isSafe: false,
    at: call.at,
  })
  // Where the extreme is NULL, since all values are, or NaN, no row equals it.
  const isSame = operator('$eq', [expr, columnExpr(extreme, false, call.at)])
  return call.filter ? operator('$and', [call.filter, isSame]) : isSame
}
