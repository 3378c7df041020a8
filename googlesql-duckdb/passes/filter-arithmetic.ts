/**
 * Moves FLOAT64 arithmetic from a filter to a column of its input. In a filter, DuckDB evaluates an expression once for each
 * time that it is written, and the SQL for tested arithmetic contains the expression twice. DuckDB computes the column once and
 * does not inline it.
 *
 * Before: any plan. After: in an aggregation over the filtered rows of a table, the last condition that can fail reads FLOAT64
 * arithmetic as `$apart` columns of the filter's input, and the other conditions filter that input. Filters without an
 * aggregation above them are not changed, since such a column prevents DuckDB's late materialization of wide columns.
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
import { isTested, leavesOf } from '../emit/expressions/float-arithmetic.js'
import { APART, roundedTree, TESTED } from '../emit/expressions/float-calls.js'

export function filterArithmetic(query: ResolvedQuery): ResolvedQuery {
  const newColumn = freshColumns(query.scan)
  const scan = mapScans(query.scan, part => {
    const input = part.kind === 'aggregate' ? inRows(part.input, false, newColumn) : null
    return input ? withInputs(part, [input]) : part
  })
  return { ...query, scan }
}

/**
 * The rows of a table, with the topmost filter that can fail changed; null where it cannot be changed. No other filter is
 * changed: DuckDB would push a fallible filter above the new column down to rows that the changed filter removes. `isFiltered`:
 * there is a filter above these rows.
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
    const apart = part.type.kind === 'FLOAT64' ? computed.get(exprKey(part)) : undefined
    // The call shows the code that writes the comparison that the value is not a column of the table.
    return apart && call(TESTED, FLOAT64, [columnExpr(apart.column, false, part.at)], part.at)
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

/** The arithmetic that can fail and that the condition evaluates for every row; its leaves are plain (see isPlain). */
function arithmeticOf(expr: Expr): readonly Expr[] {
  const tree = roundedTree(expr)?.tree
  if (tree) return isTested(tree) && leavesOf(tree).every(isPlain) ? [expr] : []
  if (expr.kind === 'cast') return expr.isSafe ? [] : arithmeticOf(expr.operand)
  if (expr.kind !== 'call' || expr.isSafe || evaluationOf(expr) !== 'all') return []
  return expr.arguments.flatMap(argument => (argument ? arithmeticOf(argument) : []))
}

/** Whether the expression is cheap enough to be written several times, and has no outer reference. */
function isPlain(expr: Expr): boolean {
  if (expr.kind === 'cast') return isPlain(expr.operand) && !mayFail(expr)
  return expr.kind === 'literal' || expr.kind === 'parameter' || (expr.kind === 'column' && !expr.isCorrelated)
}
