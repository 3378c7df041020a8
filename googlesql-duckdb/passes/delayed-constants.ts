/**
 * DuckDB evaluates constant expressions while it plans the query (constant folding): conditions, patterns, and the tests in the CASE of a
 * macro. If a constant raises an error, the query fails. It fails even if the constant is in a branch that no row reaches, or over a table
 * without rows: `CASE WHEN x > 0 THEN 1 WHEN CAST('a' AS BOOL) THEN 2 END`. This pass makes such a constant volatile, so that DuckDB
 * evaluates it only for rows. That costs time for every row, so the pass is used only to retry a query that has failed.
 *
 * Before: any plan. After: if the caller asks for it, a constant that may fail is in a CASE with a volatile condition.
 */

import { hasBranches, isVolatile } from '../../googlesql/functions/facts.js'
import { call, caseWhen, columnExpr, literal } from '../../googlesql/plan/build.js'
import type { Column, Expr, ResolvedQuery, Scan } from '../../googlesql/plan/nodes.js'
import { mapExpr, mapExprs, withInputs } from '../../googlesql/plan/rewrite.js'
import { hasSubquery, inputsOfScan, readsColumn } from '../../googlesql/plan/walk.js'
import { BOOL, FLOAT64, INT64 } from '../../googlesql/types/types.js'
import { mayFail, raises } from '../analysis/fallible-expressions.js'
import { isConstant } from '../emit/context.js'

/**
 * `branches` delays constants in branches, which not every row evaluates, and columns that are constant. It is for a query that is only
 * checked: the check should report a constant that would fail at the first row. `rows` delays all constants. It is for a query that runs,
 * since the query may read no rows.
 */
export type Delay = 'branches' | 'rows'

export const delayConstants = (query: ResolvedQuery, delay: Delay | null): ResolvedQuery =>
  delay === null ? query : { ...query, scan: delayInScan(query.scan, delay) }

/** `isInner`: the scan is in a subquery, which the query may evaluate for no row. */
function delayInScan(scan: Scan, delay: Delay, isInner = false): Scan {
  const inner = withInputs(
    scan,
    inputsOfScan(scan).map(input => delayInScan(input, delay, isInner)),
  )
  const isOneRow = scan.kind === 'project' && scan.input.kind === 'one-row'
  const hasRows = scan.kind !== 'limit' && (isInner || !isOneRow)
  // DuckDB pushes a condition without columns below an UNNEST, and so evaluates it even where the UNNEST returns no rows.
  const witness = scan.kind === 'filter' ? (scan.columns[0] ?? null) : null
  const mapped = mapExprs(delay === 'rows' ? blockPushdown(inner) : inner, expr =>
    delayInExpr(expr, { delay: hasRows ? delay : 'branches', witness }),
  )
  if (mapped.kind !== 'project') return mapped
  return {
    ...mapped,
    computed: mapped.computed.map(({ column, expr }) => ({ column, expr: delayLiteral(expr, null) })),
  }
}

/**
 * Puts a LIMIT without effect below a filter that may fail. Without it, DuckDB pushes a filter above an INTERSECT or EXCEPT down to both
 * inputs, and evaluates it for rows that are not in the result. DuckDB would also evaluate a constant condition above a projection of
 * constants even if no row reaches it.
 */
function blockPushdown(scan: Scan): Scan {
  if (scan.kind !== 'filter' || !mayFail(scan.condition)) return scan
  const isOverConstants = scan.input.kind === 'project' && isFoldable(scan.condition)
  if (!isOverConstants && !mayDropInputRows(scan.input)) return scan
  const { columns } = scan.input
  const largest: Expr = { kind: 'literal', type: INT64, value: '9223372036854775807', at: scan.condition.at }
  return { ...scan, input: { kind: 'limit', input: scan.input, limit: largest, offset: null, columns } }
}

function mayDropInputRows(scan: Scan): boolean {
  if (scan.kind === 'project' || scan.kind === 'filter') return mayDropInputRows(scan.input)
  // The definition of a CTE may be inlined here, and may be such a set operation.
  if (scan.kind === 'cte') return true
  return scan.kind === 'set' && scan.operator !== 'UNION'
}

interface Place {
  readonly delay: Delay
  /**
   * A column that the expression must read, so that DuckDB does not push the expression below the scan that produces the rows;
   * null where DuckDB does not push it.
   */
  readonly witness: Column | null
}

/** Delays the constants of an expression, including those in the scans of its subqueries. */
const delayInExpr = (expr: Expr, place: Place): Expr =>
  mapExpr(expr, part => {
    if (part.kind === 'subquery') return { ...part, scan: delayInScan(part.scan, place.delay, true) }
    if (part.kind === 'in-query') {
      return { ...part, operand: delayInExpr(part.operand, place), scan: delayInScan(part.scan, place.delay, true) }
    }
    if (place.delay === 'rows' && isFoldable(part) && mayFail(part)) return delayConstant(part, place.witness)
    return hasBranches(part) ? mapParts(part, inner => delayInBranch(inner, place)) : undefined
  })

const mapParts = (expr: Expr, map: (part: Expr) => Expr): Expr =>
  mapExpr(expr, part => (part === expr ? undefined : map(part)))

function delayInBranch(expr: Expr, place: Place): Expr {
  if (isFoldable(expr) && mayFail(expr)) return delayConstant(expr, place.witness)
  const isQuery = expr.kind === 'subquery' || expr.kind === 'in-query'
  return isQuery ? delayInExpr(expr, place) : mapParts(expr, part => delayInBranch(part, place))
}

const isFoldable = (expr: Expr): boolean => !readsColumn(expr) && !hasSubquery(expr) && !isVolatile(expr)

/** Puts each part of a constant that may fail, and each constant that it is computed from, in a branch of its own. */
function delayConstant(expr: Expr, witness: Column | null): Expr {
  if (isConstant(expr)) return delayLiteral(expr, witness)
  // The cast of a literal to NUMERIC reads the literal's text, and DATE_ADD reads the interval's parts: both must stay as
  // they are.
  const isWritten = expr.kind === 'cast' && expr.operand.kind === 'literal' && expr.operand.written !== undefined
  const whole = isWritten ? expr : mapParts(expr, part => delayConstant(part, witness))
  return raises(expr) && !(expr.kind === 'call' && expr.name === '$interval') ? inVolatileCase(whole, witness) : whole
}

const delayLiteral = (expr: Expr, witness: Column | null): Expr =>
  isConstant(expr) && !(expr.kind === 'literal' && expr.value === null) ? inVolatileCase(expr, witness) : expr

function inVolatileCase(expr: Expr, witness: Column | null): Expr {
  const { at } = expr
  const isTrue = volatileTrue(at)
  const when = witness ? call('$and', BOOL, [isTrue, isThere(columnExpr(witness, false, at))], at) : isTrue
  return caseWhen(when, expr, null)
}

/** TRUE for every value of the column, including NULL. */
const isThere = (column: Expr): Expr =>
  ['$is_null', '$is_null', '$not'].reduce((expr, name) => call(name, BOOL, [expr], column.at), column)

/** An expression that is always TRUE, but volatile, so that DuckDB cannot evaluate it before there is a row. */
export function volatileTrue(at: number): Expr {
  // RAND() is less than one.
  return call('$lt', BOOL, [call('RAND', FLOAT64, [], at), literal(FLOAT64, 2, at)], at)
}
