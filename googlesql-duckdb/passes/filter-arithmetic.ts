/**
 * Filters by FLOAT64 arithmetic. DuckDB computes an expression anew for each time that it is written in a filter, and tested
 * arithmetic is written twice. So the filter reads a column of its input, which DuckDB computes once and leaves in its place.
 *
 * Before: any plan. After: in an aggregation over the filtered rows of a table, the last condition that can fail reads FLOAT64
 * arithmetic as `$apart` columns of the filter's input, and the other conditions filter that input. Rows that are not grouped
 * stay as they are, since a column that stays in its place keeps DuckDB from reading wide columns last.
 */
import { evaluationOf, isVolatile } from '../../googlesql/functions/facts.js'
import { call, columnExpr, filtered, project, withComputed } from '../../googlesql/plan/build.js'
import { exprKey } from '../../googlesql/plan/key.js'
import type {
  Computed,
  Expr,
  FilterScan,
  ProjectScan,
  ResolvedQuery,
  Scan,
  TableScan,
} from '../../googlesql/plan/nodes.js'
import { mapExpr, mapScans, withInputs } from '../../googlesql/plan/rewrite.js'
import { conjuncts, freshColumns, hasSubquery, type NewColumn } from '../../googlesql/plan/walk.js'
import { BOOL, FLOAT64 } from '../../googlesql/types/types.js'
import { mayFail } from '../analysis/fallible.js'
import { leavesOf, witnessesOf } from '../emit/expressions/float-arithmetic.js'
import { APART, roundedTree, UNTESTED } from '../emit/expressions/float-calls.js'

export function filterArithmetic(query: ResolvedQuery): ResolvedQuery {
  const newColumn = freshColumns(query.scan)
  const scan = mapScans(query.scan, part => {
    const input = part.kind === 'aggregate' ? inRows(part.input, false, newColumn) : null
    return input ? withInputs(part, [input]) : part
  })
  return { ...query, scan }
}

/**
 * The rows of a table, where the last filter that can fail is changed; null where it cannot be. A filter that can fail and
 * comes later would be moved by DuckDB below the column, to rows that this filter leaves out. `isFiltered`: there is a filter
 * above these rows.
 */
function inRows(scan: Scan, isFiltered: boolean, newColumn: NewColumn): Scan | null {
  if (!isOfTable(scan) || scan.kind === 'table') return null
  if (scan.kind === 'filter' && !isFree(scan.condition)) return computedApart(scan, newColumn)
  if (scan.kind === 'project' && isFiltered && !scan.computed.every(({ expr }) => isFree(expr))) return null
  const input = inRows(scan.input, isFiltered || scan.kind === 'filter', newColumn)
  return input && withInputs(scan, [input])
}

function isOfTable(scan: Scan): scan is TableScan | ProjectScan | FilterScan {
  if (scan.kind === 'filter') return !scan.isGuard && isOfTable(scan.input)
  return scan.kind === 'table' || (scan.kind === 'project' && isOfTable(scan.input))
}

const isFree = (expr: Expr): boolean => !mayFail(expr) && !hasSubquery(expr) && !isVolatile(expr)

function computedApart(scan: FilterScan, newColumn: NewColumn): Scan | null {
  const parts = conjuncts(scan.condition)
  const last = parts.findLastIndex(part => !isFree(part))
  const arithmetic = arithmeticOf(parts[last]!)
  if (arithmetic.length === 0) return null
  const computed = new Map<string, Computed>()
  for (const expr of arithmetic) {
    computed.set(exprKey(expr), { column: newColumn('', FLOAT64), expr: call(APART, FLOAT64, [expr], expr.at) })
  }
  const condition = mapExpr(parts[last]!, part => {
    const known = part.type.kind === 'FLOAT64' ? computed.get(exprKey(part)) : undefined
    // A call tells the comparison that the value is no column of the table.
    return known && call(UNTESTED, FLOAT64, [columnExpr(known.column, false, part.at)], part.at)
  })
  const others = parts.filter((_, i) => i !== last)
  const rows = withComputed(filteredBy(scan.input, others), [...computed.values()])
  return project(filtered(rows, condition), scan.columns)
}

const filteredBy = (input: Scan, conditions: readonly Expr[]): Scan =>
  conditions.length === 0
    ? input
    : filtered(
        input,
        conditions.reduce((a, b) => call('$and', BOOL, [a, b], a.at)),
      )

/** The trees of arithmetic that can fail, over plain leaves, that the condition computes for every row. */
function arithmeticOf(expr: Expr): readonly Expr[] {
  const tree = roundedTree(expr)?.tree
  if (tree) return (witnessesOf(tree) ?? []).length > 0 && leavesOf(tree).every(isPlain) ? [expr] : []
  if (expr.kind === 'cast') return expr.isSafe ? [] : arithmeticOf(expr.operand)
  if (expr.kind !== 'call' || expr.isSafe || evaluationOf(expr) !== 'all') return []
  return expr.arguments.flatMap(argument => (argument ? arithmeticOf(argument) : []))
}

/** Whether the expression may be written several times, and reads no outer query. */
function isPlain(expr: Expr): boolean {
  if (expr.kind === 'cast') return isPlain(expr.operand) && !mayFail(expr)
  return expr.kind === 'literal' || expr.kind === 'parameter' || (expr.kind === 'column' && !expr.isCorrelated)
}
