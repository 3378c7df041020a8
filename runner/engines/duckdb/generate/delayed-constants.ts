/**
 * DuckDB computes what reads no row while it plans the query: conditions, patterns, and whatever the CASE of a macro tests.
 * If that fails, so does the query, though it stands in a branch that no row reaches:
 * `CASE WHEN x > 0 THEN 1 WHEN CAST('a' AS BOOL) THEN 2 END`. Here it is made to depend on chance, which DuckDB leaves to
 * the rows. That costs something for every row, so it is how a query is tried again that has failed.
 */
import type { Expr, Scan } from '../../../googlesql/resolved.js'
import { mapExpr } from '../../../googlesql/rewrite.js'
import { BOOL, FLOAT64 } from '../../../googlesql/types.js'
import { isConstant } from './context.js'
import { mayFail, raises } from './fallible.js'
import { hasSubquery, inputsOfScan, isVolatile, mapOwn, readsColumn, withInputs } from './walk.js'

/** The same scan, in which no constant is computed ahead that stands in a branch or is a column. */
export function withDelayedConstants(scan: Scan): Scan {
  const inner = withInputs(scan, inputsOfScan(scan).map(withDelayedConstants))
  const mapped = mapOwn(inner, ownExpr)
  if (mapped.kind !== 'project') return mapped
  return { ...mapped, computed: mapped.computed.map(({ column, expr }) => ({ column, expr: delayedLiteral(expr) })) }
}

/** Outside of branches; scans of subqueries are entered. */
const ownExpr = (expr: Expr): Expr =>
  mapExpr(expr, part => {
    if (part.kind === 'subquery') return { ...part, scan: withDelayedConstants(part.scan) }
    if (part.kind === 'in-query')
      return { ...part, operand: ownExpr(part.operand), scan: withDelayedConstants(part.scan) }
    return isConditional(part) ? mapParts(part, inBranch) : undefined
  })

const CONDITIONALS = new Set(['IF', 'IFNULL', 'COALESCE'])

const isConditional = (expr: Expr): boolean =>
  expr.kind === 'case' || (expr.kind === 'call' && CONDITIONALS.has(expr.name))

const mapParts = (expr: Expr, map: (part: Expr) => Expr): Expr =>
  mapExpr(expr, part => (part === expr ? undefined : map(part)))

function inBranch(expr: Expr): Expr {
  if (isFoldable(expr) && mayFail(expr)) return delayed(expr)
  return expr.kind === 'subquery' || expr.kind === 'in-query' ? ownExpr(expr) : mapParts(expr, inBranch)
}

const isFoldable = (expr: Expr): boolean => !readsColumn(expr) && !hasSubquery(expr) && !isVolatile(expr)

/** What may fail of a constant, and what it is made of, each in a branch of its own. */
function delayed(expr: Expr): Expr {
  if (isConstant(expr)) return delayedLiteral(expr)
  // What a NUMERIC is made of is read off the literal, and the interval that DATE_ADD adds off the argument.
  const isWritten = expr.kind === 'cast' && expr.operand.kind === 'literal' && expr.operand.written !== undefined
  const whole = isWritten ? expr : mapParts(expr, delayed)
  return raises(expr) && !(expr.kind === 'call' && expr.name === '$interval') ? late(whole) : whole
}

const delayedLiteral = (expr: Expr): Expr =>
  isConstant(expr) && !(expr.kind === 'literal' && expr.value === null) ? late(expr) : expr

function late(expr: Expr): Expr {
  const { type, at } = expr
  const random: Expr = { kind: 'call', type: FLOAT64, name: 'RAND', arguments: [], isSafe: false, at }
  const two: Expr = { kind: 'literal', type: FLOAT64, value: 2, at }
  // It is less than one.
  const always: Expr = { kind: 'call', type: BOOL, name: '$lt', arguments: [random, two], isSafe: false, at }
  return { kind: 'case', type, branches: [{ when: always, then: expr }], otherwise: null, at }
}
