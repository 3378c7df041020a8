/**
 * DuckDB computes what reads no row while it plans the query: conditions, patterns, and whatever the CASE of a macro tests.
 * If that fails, so does the query, though it stands in a branch that no row reaches, or over a table that has no rows:
 * `CASE WHEN x > 0 THEN 1 WHEN CAST('a' AS BOOL) THEN 2 END`. Here it is made to depend on chance, which DuckDB leaves to
 * the rows. That costs something for every row, so it is how a query is tried again that has failed.
 *
 * Before: any plan. After: a constant that may fail stands in a CASE that depends on chance, where the caller asks for it.
 */

import { hasBranches, isVolatile } from '../../googlesql/functions/facts.js'
import { call, caseWhen, columnExpr, literal } from '../../googlesql/plan/build.js'
import type { Column, Expr, ResolvedQuery, Scan } from '../../googlesql/plan/nodes.js'
import { mapExpr, mapOwn, withInputs } from '../../googlesql/plan/rewrite.js'
import { hasSubquery, inputsOfScan, readsColumn } from '../../googlesql/plan/walk.js'
import { BOOL, FLOAT64, INT64 } from '../../googlesql/types/types.js'
import { mayFail, raises } from '../analysis/fallible.js'
import { isConstant } from '../emit/context.js'

/**
 * `branches` delays constants in branches, which not every row evaluates, and constants that are columns. `rows` delays all
 * expressions: it is for a query that runs, which may read no rows; a query that is only checked would fail at the first row.
 */
export type Delay = 'branches' | 'rows'

export const delayConstants = (query: ResolvedQuery, delay: Delay | null): ResolvedQuery =>
  delay === null ? query : { ...query, scan: inScan(query.scan, delay) }

/** `isInner`: the scan stands in a subquery, which may be computed for no row. */
function inScan(scan: Scan, delay: Delay, isInner = false): Scan {
  const inner = withInputs(
    scan,
    inputsOfScan(scan).map(input => inScan(input, delay, isInner)),
  )
  const isOneRow = scan.kind === 'project' && scan.input.kind === 'one-row'
  const hasRows = scan.kind !== 'limit' && (isInner || !isOneRow)
  // DuckDB pushes a condition that reads no column below an UNNEST, and so evaluates it even where the UNNEST gives no rows.
  const witness = scan.kind === 'filter' ? (scan.columns[0] ?? null) : null
  const mapped = mapOwn(delay === 'rows' ? aboveSet(inner) : inner, expr =>
    ownExpr(expr, { delay: hasRows ? delay : 'branches', witness }),
  )
  if (mapped.kind !== 'project') return mapped
  return {
    ...mapped,
    computed: mapped.computed.map(({ column, expr }) => ({ column, expr: delayedLiteral(expr, null) })),
  }
}

/**
 * DuckDB tests the rows of both sides of an INTERSECT or EXCEPT in place of those that it gives, unless they are limited. It
 * also tests a constant over a list of constants though there be no row.
 */
function aboveSet(scan: Scan): Scan {
  if (scan.kind !== 'filter' || !mayFail(scan.condition)) return scan
  const isOfConstants = scan.input.kind === 'project' && isFoldable(scan.condition)
  if (!isOfConstants && !isLessThanInputs(scan.input)) return scan
  const { columns } = scan.input
  const all: Expr = { kind: 'literal', type: INT64, value: '9223372036854775807', at: scan.condition.at }
  return { ...scan, input: { kind: 'limit', input: scan.input, limit: all, offset: null, columns } }
}

function isLessThanInputs(scan: Scan): boolean {
  if (scan.kind === 'project' || scan.kind === 'filter') return isLessThanInputs(scan.input)
  // What a common table expression is may be written in place of its only read.
  if (scan.kind === 'cte') return true
  return scan.kind === 'set' && scan.operator !== 'UNION'
}

interface Place {
  readonly delay: Delay
  /**
   * A column that the expression must read, so that DuckDB computes it above the scan that makes the rows; null where it
   * stays there anyway.
   */
  readonly witness: Column | null
}

/** Delays the constants of an expression, including those in the scans of its subqueries. */
const ownExpr = (expr: Expr, place: Place): Expr =>
  mapExpr(expr, part => {
    if (part.kind === 'subquery') return { ...part, scan: inScan(part.scan, place.delay, true) }
    if (part.kind === 'in-query') {
      return { ...part, operand: ownExpr(part.operand, place), scan: inScan(part.scan, place.delay, true) }
    }
    if (place.delay === 'rows' && isFoldable(part) && mayFail(part)) return delayed(part, place.witness)
    return hasBranches(part) ? mapParts(part, inner => inBranch(inner, place)) : undefined
  })

const mapParts = (expr: Expr, map: (part: Expr) => Expr): Expr =>
  mapExpr(expr, part => (part === expr ? undefined : map(part)))

function inBranch(expr: Expr, place: Place): Expr {
  if (isFoldable(expr) && mayFail(expr)) return delayed(expr, place.witness)
  const isQuery = expr.kind === 'subquery' || expr.kind === 'in-query'
  return isQuery ? ownExpr(expr, place) : mapParts(expr, part => inBranch(part, place))
}

const isFoldable = (expr: Expr): boolean => !readsColumn(expr) && !hasSubquery(expr) && !isVolatile(expr)

/** Puts each part of a constant that may fail, and each constant that it is computed from, in a branch of its own. */
function delayed(expr: Expr, witness: Column | null): Expr {
  if (isConstant(expr)) return delayedLiteral(expr, witness)
  // The cast of a literal to NUMERIC reads the literal's text, and DATE_ADD reads the interval's parts: both must stay as
  // they are.
  const isWritten = expr.kind === 'cast' && expr.operand.kind === 'literal' && expr.operand.written !== undefined
  const whole = isWritten ? expr : mapParts(expr, part => delayed(part, witness))
  return raises(expr) && !(expr.kind === 'call' && expr.name === '$interval') ? late(whole, witness) : whole
}

const delayedLiteral = (expr: Expr, witness: Column | null): Expr =>
  isConstant(expr) && !(expr.kind === 'literal' && expr.value === null) ? late(expr, witness) : expr

function late(expr: Expr, witness: Column | null): Expr {
  const { at } = expr
  const whenever = always(at)
  const when = witness ? call('$and', BOOL, [whenever, isThere(columnExpr(witness, false, at))], at) : whenever
  return caseWhen(when, expr, null)
}

/** TRUE for every value of the column, including NULL. */
const isThere = (column: Expr): Expr =>
  ['$is_null', '$is_null', '$not'].reduce((expr, name) => call(name, BOOL, [expr], column.at), column)

/** An expression that is always TRUE, but that DuckDB cannot evaluate before there is a row. */
export function always(at: number): Expr {
  // RAND() is less than one.
  return call('$lt', BOOL, [call('RAND', FLOAT64, [], at), literal(FLOAT64, 2, at)], at)
}
