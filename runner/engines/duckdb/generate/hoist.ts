/** Arguments of aggregates and window functions that have to be columns of the input. */
import type {
  AggregateCall,
  AggregateScan,
  Column,
  Computed,
  Expr,
  Scan,
  WindowScan,
} from '../../../googlesql/resolved.js'
import { columnExpr } from '../../../googlesql/scope.js'
import { repeatedArguments } from './aggregates.js'
import type { Context, Scope } from './context.js'
import { columnsRead, inputsOfScan, partsOfCall } from './walk.js'

/**
 * The same aggregation, in which arguments are columns that would be computed several times, or that read columns of an
 * outer query only: SQL takes such an aggregate for one of that query, GoogleSQL does not.
 */
export function hoistArguments(scan: AggregateScan, outer: Scope | null, context: Context): AggregateScan {
  const own = outer && columnsGiven(scan.input)
  const hoist = hoister(context)
  const aggregates = scan.aggregates.map(({ column, call }) => {
    const reads = columnsRead(partsOfCall(call))
    const isForeign = own !== null && reads.size > 0 && ![...reads].some(id => own.has(id))
    return { column, call: hoist.from(call, isForeign ? call.arguments.map((_, i) => i) : repeatedArguments(call)) }
  })
  return hoist.computed.length === 0 ? scan : { ...scan, aggregates, input: hoist.over(scan.input) }
}

export function hoistWindowArguments(scan: WindowScan, context: Context): WindowScan {
  const hoist = hoister(context)
  const functions = scan.functions.map(({ column, call }) => ({
    column,
    call: { ...call, call: hoist.from(call.call, repeatedArguments(call.call)) },
  }))
  return hoist.computed.length === 0 ? scan : { ...scan, functions, input: hoist.over(scan.input) }
}

interface Hoister {
  readonly computed: readonly Computed[]
  /** The call with the arguments at these indexes replaced. */
  from(call: AggregateCall, indexes: readonly number[]): AggregateCall
  /** The input with the arguments as columns. */
  over(input: Scan): Scan
}

function hoister(context: Context): Hoister {
  const computed: Computed[] = []
  const columnOf = (expr: Expr | null): Expr | null => {
    if (!expr || expr.kind === 'lambda' || expr.kind === 'word' || columnsRead([expr]).size === 0) return expr
    const column = context.newColumn('', expr.type)
    computed.push({ column, expr })
    return columnExpr(column, false, expr.at)
  }
  return {
    computed,
    from: (call, indexes) =>
      indexes.length === 0
        ? call
        : {
            ...call,
            arguments: call.arguments.map((argument, i) => (indexes.includes(i) ? columnOf(argument) : argument)),
          },
    over: input => ({
      kind: 'project',
      input,
      computed,
      columns: [...input.columns, ...computed.map(({ column }) => column)],
    }),
  }
}

/** The ids of all columns that come from within the scan. */
function columnsGiven(scan: Scan): Set<number> {
  const ids = new Set<number>()
  const visit = (part: Scan): void => {
    for (const column of part.columns as readonly Column[]) ids.add(column.id)
    inputsOfScan(part).forEach(visit)
  }
  visit(scan)
  return ids
}
