/**
 * Tests the FLOAT64 arithmetic of aggregates by totals instead of row by row. A sum with an infinite or NaN value is never
 * finite, so if `SUM(x / y)` is finite, no division failed, and no row needs a test of its own; a total costs a tenth of these
 * tests. If a total is not finite, the changed query fails, and the caller runs the original query.
 *
 * Before: a pruned plan. After: null where no aggregation can be tested by totals; otherwise the plan, in which aggregates have
 * witnesses (the expressions whose totals are tested), and their arguments contain FLOAT64 arithmetic without tests.
 */

import { evaluationOf, isVolatile } from '../../googlesql/functions/facts.js'
import { aggregateCall, call, columnExpr, withComputed } from '../../googlesql/plan/build.js'
import { exprKey } from '../../googlesql/plan/key.js'
import type {
  AggregateCall,
  AggregateScan,
  Column,
  Computed,
  Expr,
  ResolvedQuery,
  Scan,
} from '../../googlesql/plan/nodes.js'
import { mapExpr, withInputs } from '../../googlesql/plan/rewrite.js'
import { conjuncts, freshColumns, hasSubquery, type NewColumn } from '../../googlesql/plan/walk.js'
import { FLOAT64 } from '../../googlesql/types/types.js'
import { type FloatCall, isFloatArithmetic, witnessesOf } from '../emit/expressions/float-arithmetic.js'
import { roundedTree, UNTESTED } from '../emit/expressions/float-calls.js'

/** Variants of the aggregates without tests of their own. */
const PLAIN: Readonly<Record<string, string>> = { SUM: '$plain_sum', AVG: '$plain_avg', MIN: '$plain_min' }

/** The most witnesses of an aggregate: each costs a total. */
const MAX_WITNESSES = 3

export function trustTotals(query: ResolvedQuery): ResolvedQuery | null {
  const scan = inScan(query.scan, false, freshColumns(query.scan))
  return scan && { ...query, scan }
}

/** The aggregation in which all arithmetic that totals can test is computed without tests of its own. */
function trusting(scan: AggregateScan, newColumn: NewColumn): AggregateScan {
  const computed: Computed[] = []
  const known = new Map<string, Column>()
  const columnOf = (expr: Expr): Column => {
    const key = exprKey(expr)
    const column = known.get(key) ?? newColumn('', FLOAT64)
    if (!known.has(key)) computed.push({ column, expr: untested(expr) })
    known.set(key, column)
    return column
  }
  const aggregates = scan.aggregates.map(({ column, call }) => {
    const tested = testedOf(call)
    if (tested.length === 0) return { column, call }
    const witnesses = tested.flatMap(one => one.witnesses).map(columnOf)
    const replaced = new Map(tested.map(({ expr }) => [expr, columnExpr(columnOf(expr), false, expr.at)]))
    // The call shows the code that writes a comparison that the value is not a column of the table.
    const inside = (part: Expr): Expr | undefined => replaced.get(part) && untested(replaced.get(part)!)
    const args = call.arguments.map(argument => argument && (replaced.get(argument) ?? mapExpr(argument, inside)))
    const name = call.arguments[0]?.type.kind === 'FLOAT64' ? (PLAIN[call.name] ?? call.name) : call.name
    return { column, call: { ...call, name, arguments: args }, witnesses }
  })
  return { ...scan, aggregates, input: withComputed(scan.input, computed) }
}

/**
 * The scan with its aggregation tested by totals; null where it has no such aggregation. The query must read all groups of the
 * aggregation: no scan above it removes a group, and a LIMIT above it needs a sort below the LIMIT.
 */
function inScan(scan: Scan, isSorted: boolean, newColumn: NewColumn): Scan | null {
  const over = (input: Scan | null): Scan | null => input && withInputs(scan, [input])
  switch (scan.kind) {
    case 'project':
      return over(inScan(scan.input, isSorted, newColumn))
    case 'order':
      return over(inScan(scan.input, true, newColumn))
    case 'limit':
      return scan.input.kind === 'order' ? over(inScan(scan.input, true, newColumn)) : null
    case 'with': {
      const body = inScan(scan.body, isSorted, newColumn)
      return body && { ...scan, body }
    }
    case 'aggregate': {
      const isWhole = isSorted || (scan.keys.length === 0 && scan.groupingSets === null)
      const counting = countingFiltered(scan)
      const isTested = isWhole && counting.aggregates.some(({ call }) => testedOf(call).length > 0)
      return isTested ? trusting(counting, newColumn) : null
    }
    case 'one-row':
    case 'table':
    case 'cte':
    case 'unnest':
    case 'join':
    case 'filter':
    case 'window':
    case 'set':
      return null
    default:
      return scan satisfies never
  }
}

/**
 * Turns a COUNT(*) over a filter with one condition into a COUNTIF, whose argument a total can test; returns any other
 * aggregation unchanged. A filter with several conditions stays, since DuckDB uses it to skip parts of a file.
 */
function countingFiltered(scan: AggregateScan): AggregateScan {
  const { input, keys, aggregates } = scan
  const isPlain = ({ name, filter }: AggregateCall): boolean => name === '$count_star' && !filter
  if (input.kind !== 'filter' || keys.length > 0 || !aggregates.every(({ call }) => isPlain(call))) return scan
  if (conjuncts(input.condition).length > 1) return scan
  return {
    ...scan,
    input: input.input,
    aggregates: aggregates.map(({ column, call }) => ({
      column,
      call: aggregateCall('COUNTIF', call.type, [input.condition], call.at),
    })),
  }
}

const untested = (expr: Expr): Expr => call(UNTESTED, FLOAT64, [expr], expr.at)

/** A part of an aggregate's arguments, and the expressions that must be finite so that it needs no tests. */
interface Tested {
  readonly expr: Expr
  readonly witnesses: readonly Expr[]
}

/**
 * The parts of a call that totals can test; empty where there are none. Values that a filter or HAVING MAX leaves out must
 * not fail the query.
 */
function testedOf(call: AggregateCall): readonly Tested[] {
  if (call.isSafe || call.having || call.filter || call.limit || call.orderBy.length > 0) return []
  const [first] = call.arguments
  const found: Tested[] = []
  for (const argument of call.arguments) if (argument) collect(argument, false, found)
  if (first?.type.kind === 'FLOAT64' && Object.hasOwn(PLAIN, call.name) && found[0]?.expr !== first) {
    const tree = roundedTree(first)?.tree
    const isOdd = tree !== undefined && witnessesOf(tree) === null
    return isOdd || isVolatile(first) || hasSubquery(first) ? [] : [{ expr: first, witnesses: [first] }]
  }
  return new Set(found.flatMap(({ witnesses }) => witnesses)).size > MAX_WITNESSES ? [] : found
}

/**
 * Collects trees of arithmetic. `isConditional`: the expression is in a branch, which may exist to avoid a division by zero.
 */
function collect(expr: Expr, isConditional: boolean, found: Tested[]): void {
  const rounded = roundedTree(expr)
  if (rounded) {
    const witnesses = witnessesOf(rounded.tree)
    if (witnesses === null || witnesses.length === 0 || isVolatile(expr) || hasSubquery(expr)) return
    if (!isConditional || !divides(rounded.tree)) found.push({ expr, witnesses: [expr, ...witnesses.slice(1)] })
    return
  }
  switch (expr.kind) {
    case 'call': {
      if (expr.isSafe) return
      const isBranch = isConditional || evaluationOf(expr) !== 'all'
      for (const argument of expr.arguments) if (argument) collect(argument, isBranch, found)
      return
    }
    case 'case':
      for (const { when, then } of expr.branches) for (const part of [when, then]) collect(part, true, found)
      if (expr.otherwise) collect(expr.otherwise, true, found)
      return
    case 'cast':
      if (!expr.isSafe) collect(expr.operand, isConditional, found)
      return
    case 'literal':
    case 'parameter':
    case 'column':
    case 'field':
    case 'struct':
    case 'array':
    case 'subquery':
    case 'in-query':
    case 'lambda':
    case 'let':
    case 'word':
      return
    default:
      expr satisfies never
  }
}

const divides = (tree: FloatCall): boolean =>
  tree.name === '$divide' || tree.arguments.some(part => isFloatArithmetic(part) && divides(part))
