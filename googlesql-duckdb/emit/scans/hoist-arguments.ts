/** Arguments of aggregates and window functions that have to be columns of the input. */

import { caseWhen, columnExpr, withComputed } from '../../../googlesql/plan/build.js'
import { isSameExpr } from '../../../googlesql/plan/key.js'
import type {
  AggregateCall,
  AggregateScan,
  Column,
  Computed,
  Expr,
  Scan,
  SortKey,
  WindowCall,
  WindowScan,
} from '../../../googlesql/plan/nodes.js'
import { columnsRead, hasSubquery, inputsOfScan, partsOfCall, partsOfWindow } from '../../../googlesql/plan/walk.js'
import { mayFail } from '../../passes/fallible.js'
import type { Context, Scope } from '../context.js'
import { repeatedArguments } from '../expressions/aggregates.js'

/**
 * The same aggregation, in which arguments are columns that would be computed several times, that hold a subquery (in the
 * arguments of a macro DuckDB does not find its columns), or that read columns of an outer query: SQL takes an aggregate of
 * such columns alone for one of that query, GoogleSQL does not, and DuckDB does not see the others within a TRY.
 */
export function hoistArguments(scan: AggregateScan, outer: Scope | null, context: Context): AggregateScan {
  const own = outer && columnsGiven(scan.input)
  const hoist = hoister(context)
  const aggregates = scan.aggregates.map(({ column, call }) => {
    const isForeign = own !== null && [...columnsRead(partsOfCall(call))].some(id => !own.has(id))
    return { column, call: isForeign ? hoist.whole(call) : hoist.from(call, argumentsToHoist(call)) }
  })
  return hoist.computed.length === 0 ? scan : { ...scan, aggregates, input: hoist.over(scan.input) }
}

/**
 * The same of window functions; DuckDB has none that read columns of an outer query, nor any in a subquery in the OVER of
 * another.
 */
export function hoistWindowArguments(scan: WindowScan, outer: Scope | null, context: Context): WindowScan {
  const own = outer && columnsGiven(scan.input)
  const hoist = hoister(context)
  const functions = scan.functions.map(({ column, call }) => {
    const isForeign = own !== null && [...columnsRead(partsOfWindow(call))].some(id => !own.has(id))
    const keys = [...call.partitionBy, ...call.orderBy.map(key => key.expr)]
    if (isForeign || keys.some(hasSubquery)) return { column, call: hoist.window(call) }
    return { column, call: { ...call, call: hoist.from(call.call, repeatedArguments(call.call, true)) } }
  })
  return hoist.computed.length === 0 ? scan : { ...scan, functions, input: hoist.over(scan.input) }
}

function argumentsToHoist(call: AggregateCall): readonly number[] {
  const repeated = repeatedArguments(call)
  return call.arguments.flatMap((argument, i) =>
    repeated.includes(i) || (argument !== null && hasSubquery(argument)) ? [i] : [],
  )
}

interface Hoister {
  readonly computed: readonly Computed[]
  /** The call with the arguments at these indexes replaced, in its ORDER BY too: DISTINCT allows no other keys. */
  from(call: AggregateCall, indexes: readonly number[]): AggregateCall
  /** The call with all replaced that it reads. */
  whole(call: AggregateCall): AggregateCall
  window(call: WindowCall): WindowCall
  /** The input with the arguments as columns. */
  over(input: Scan): Scan
}

function hoister(context: Context): Hoister {
  const computed: Computed[] = []
  const columnOf = (expr: Expr): Expr => {
    if (expr.kind === 'lambda' || expr.kind === 'word' || columnsRead([expr]).size === 0) return expr
    const column = context.newColumn('', expr.type)
    computed.push({ column, expr })
    return columnExpr(column, false, expr.at)
  }
  const columnIfAny = (expr: Expr | null): Expr | null => expr && columnOf(expr)
  const keyColumns = (keys: readonly SortKey[]): readonly SortKey[] =>
    keys.map(key => ({ ...key, expr: columnOf(key.expr) }))
  const from = (call: AggregateCall, indexes: readonly number[]): AggregateCall => {
    if (indexes.length === 0) return call
    const args = call.arguments.map((argument, i) => (indexes.includes(i) ? columnIfAny(argument) : argument))
    const orderBy = call.orderBy.map(key => {
      const same = call.arguments.findIndex(argument => argument !== null && isSameExpr(argument, key.expr))
      return same < 0 ? key : { ...key, expr: args[same]! }
    })
    return { ...call, arguments: args, orderBy }
  }
  const whole = (original: AggregateCall): AggregateCall => {
    const call = withoutFailures(original)
    const indexes = call.arguments.map((_, i) => i)
    const isKey = (key: SortKey): boolean => call.arguments.some(argument => argument && isSameExpr(argument, key.expr))
    const known = from(call, indexes)
    return {
      ...known,
      orderBy: known.orderBy.map((key, i) => (isKey(call.orderBy[i]!) ? key : { ...key, expr: columnOf(key.expr) })),
      filter: columnIfAny(call.filter),
      having: call.having && { ...call.having, expr: columnOf(call.having.expr) },
    }
  }
  return {
    computed,
    from,
    whole,
    window: call => ({
      ...call,
      call: whole(call.call),
      partitionBy: call.partitionBy.map(columnOf),
      orderBy: keyColumns(call.orderBy),
    }),
    over: input => withComputed(input, computed),
  }
}

/** The same, its arguments NULL for the rows that its filter leaves out, where they must not fail. */
function withoutFailures(call: AggregateCall): AggregateCall {
  const { filter } = call
  if (!filter) return call
  const kept = (expr: Expr): Expr =>
    expr.kind !== 'word' && expr.kind !== 'lambda' && mayFail(expr) ? caseWhen(filter, expr, null) : expr
  return {
    ...call,
    arguments: call.arguments.map(argument => argument && kept(argument)),
    orderBy: call.orderBy.map(key => ({ ...key, expr: kept(key.expr) })),
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
