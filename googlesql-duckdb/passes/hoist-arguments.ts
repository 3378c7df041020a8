/**
 * Makes columns of the input from the arguments of aggregates and window functions that DuckDB cannot evaluate in place.
 *
 * Before: no aggregate without OVER has a HAVING (having-extreme.ts). After: three kinds of arguments are columns of the input.
 * 1. Arguments that would be evaluated several times.
 * 2. Arguments with a subquery: DuckDB does not resolve the columns of a subquery in the arguments of a macro.
 * 3. Arguments with outer references. If all arguments of an aggregate are outer columns, standard SQL and DuckDB evaluate the aggregate in
 *    the outer query, and GoogleSQL in the inner query. If only some are, DuckDB does not resolve them within a TRY.
 */

import { caseWhen, columnExpr, withComputed } from '../../googlesql/plan/build.js'
import { isSameExpr } from '../../googlesql/plan/key.js'
import type {
  AggregateCall,
  AggregateScan,
  Computed,
  Expr,
  ResolvedQuery,
  Scan,
  SortKey,
  WindowCall,
  WindowScan,
} from '../../googlesql/plan/nodes.js'
import { mapScans } from '../../googlesql/plan/rewrite.js'
import {
  columnsGiven,
  columnsRead,
  freshColumns,
  hasSubquery,
  type NewColumn,
  partsOfCall,
  partsOfWindow,
} from '../../googlesql/plan/walk.js'
import { mayFail } from '../analysis/fallible-expressions.js'
import { repeatedArguments } from '../emit/expressions/aggregates.js'

export function hoistArguments(query: ResolvedQuery): ResolvedQuery {
  const newColumn = freshColumns(query.scan)
  const scan = mapScans(query.scan, (part, isInner) => {
    if (part.kind === 'aggregate') return hoistInAggregate(part, isInner, newColumn)
    return part.kind === 'window' ? hoistInWindow(part, isInner, newColumn) : part
  })
  return { ...query, scan }
}

function hoistInAggregate(scan: AggregateScan, isInner: boolean, newColumn: NewColumn): AggregateScan {
  const own = isInner ? columnsGiven(scan.input) : null
  const hoist = hoister(newColumn)
  const aggregates = scan.aggregates.map(each => {
    const isForeign = own !== null && [...columnsRead(partsOfCall(each.call))].some(id => !own.has(id))
    return { ...each, call: isForeign ? hoist.all(each.call) : hoist.some(each.call, argumentsToHoist(each.call)) }
  })
  return hoist.computed.length === 0 ? scan : { ...scan, aggregates, input: hoist.withColumns(scan.input) }
}

/**
 * DuckDB does not support outer references in window functions, nor a subquery with a window function in the OVER of another.
 */
function hoistInWindow(scan: WindowScan, isInner: boolean, newColumn: NewColumn): WindowScan {
  const own = isInner ? columnsGiven(scan.input) : null
  const hoist = hoister(newColumn)
  const functions = scan.functions.map(({ column, call }) => {
    const isForeign = own !== null && [...columnsRead(partsOfWindow(call))].some(id => !own.has(id))
    const keys = [...call.partitionBy, ...call.orderBy.map(key => key.expr)]
    if (isForeign || keys.some(hasSubquery)) return { column, call: hoist.window(call) }
    return { column, call: { ...call, call: hoist.some(call.call, repeatedArguments(call.call, true)) } }
  })
  return hoist.computed.length === 0 ? scan : { ...scan, functions, input: hoist.withColumns(scan.input) }
}

function argumentsToHoist(call: AggregateCall): readonly number[] {
  const repeated = repeatedArguments(call)
  return call.arguments.flatMap((argument, i) =>
    repeated.includes(i) || (argument !== null && hasSubquery(argument)) ? [i] : [],
  )
}

function hoister(newColumn: NewColumn) {
  const computed: Computed[] = []
  const columnOf = (expr: Expr): Expr => {
    if (expr.kind === 'lambda' || expr.kind === 'word' || columnsRead([expr]).size === 0) return expr
    const column = newColumn('', expr.type)
    computed.push({ column, expr })
    return columnExpr(column, false, expr.at)
  }
  const columnIfAny = (expr: Expr | null): Expr | null => expr && columnOf(expr)
  const keyColumns = (keys: readonly SortKey[]): readonly SortKey[] =>
    keys.map(key => ({ ...key, expr: columnOf(key.expr) }))
  /**
   * The call with the arguments at these indexes replaced by columns. Keys of its ORDER BY that are equal to an argument are
   * replaced too: with DISTINCT only such keys are allowed.
   */
  const some = (call: AggregateCall, indexes: readonly number[]): AggregateCall => {
    if (indexes.length === 0) return call
    const args = call.arguments.map((argument, i) => (indexes.includes(i) ? columnIfAny(argument) : argument))
    const orderBy = call.orderBy.map(key => {
      const index = call.arguments.findIndex(argument => argument !== null && isSameExpr(argument, key.expr))
      return index < 0 ? key : { ...key, expr: args[index]! }
    })
    return { ...call, arguments: args, orderBy }
  }
  /** The call with all expressions that it reads replaced by columns. */
  const all = (original: AggregateCall): AggregateCall => {
    const call = withoutFailures(original)
    const indexes = call.arguments.map((_, i) => i)
    const isKey = (key: SortKey): boolean => call.arguments.some(argument => argument && isSameExpr(argument, key.expr))
    const hoisted = some(call, indexes)
    return {
      ...hoisted,
      orderBy: hoisted.orderBy.map((key, i) => (isKey(call.orderBy[i]!) ? key : { ...key, expr: columnOf(key.expr) })),
      filter: columnIfAny(call.filter),
      having: call.having && { ...call.having, expr: columnOf(call.having.expr) },
    }
  }
  return {
    computed,
    some,
    all,
    window: (call: WindowCall): WindowCall => ({
      ...call,
      call: all(call.call),
      partitionBy: call.partitionBy.map(columnOf),
      orderBy: keyColumns(call.orderBy),
    }),
    /** The input with the replaced expressions as additional columns. */
    withColumns: (input: Scan): Scan => withComputed(input, computed),
  }
}

/**
 * The call with fallible arguments set to NULL for the rows that its filter removes: as columns, the arguments are evaluated
 * for these rows too.
 */
function withoutFailures(call: AggregateCall): AggregateCall {
  const { filter } = call
  if (!filter) return call
  const guard = (expr: Expr): Expr =>
    expr.kind !== 'word' && expr.kind !== 'lambda' && mayFail(expr) ? caseWhen(filter, expr, null) : expr
  return {
    ...call,
    arguments: call.arguments.map(argument => argument && guard(argument)),
    orderBy: call.orderBy.map(key => ({ ...key, expr: guard(key.expr) })),
  }
}
