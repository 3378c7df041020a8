/**
 * Subqueries in a branch of CASE, IF, IFNULL or COALESCE see rows only where the branch is taken. DuckDB computes every
 * subquery ahead of the CASE around it, and one that fails would fail the query, though its branch is never taken.
 */
import type { CaseExpr, CastExpr, Expr, InQueryExpr, Scan, SubqueryExpr } from '../../../googlesql/resolved.js'
import { mapExpr, mapScan } from '../../../googlesql/rewrite.js'
import { BOOL } from '../../../googlesql/types.js'
import { exprsOfScan, hasSubquery, inputsOfScan, isVolatile, visitExpr, visitScan } from './walk.js'

/** The same scan, its conditional subqueries guarded. */
export const withGuards = (scan: Scan): Scan => (holdsSubquery(scan) ? mapScan(scan, guarded) : scan)

function holdsSubquery(scan: Scan): boolean {
  return exprsOfScan(scan).some(hasSubquery) || inputsOfScan(scan).some(holdsSubquery)
}

function guarded(expr: Expr): Expr | undefined {
  if (expr.kind === 'case') return guardedCase(expr)
  if (expr.kind !== 'call') return undefined
  const [first, second, third] = expr.arguments
  if (expr.name === 'IF') {
    if (!first || !second || !third || !(hasSubquery(second) || hasSubquery(third))) return undefined
    const [yes, no] = [onlyIf(second, [], first), onlyIf(third, [first], null)]
    return { ...expr, arguments: [mapExpr(first, guarded), yes, no] }
  }
  if (expr.name !== 'IFNULL' && expr.name !== 'COALESCE') return undefined
  const args = expr.arguments.filter(argument => argument !== null)
  if (!args.slice(1).some(hasSubquery)) return undefined
  return { ...expr, arguments: inTurn(args, isNotNull) }
}

function guardedCase(expr: CaseExpr): CaseExpr | undefined {
  const { branches, otherwise } = expr
  const later = branches.flatMap(({ when, then }, i) => (i === 0 ? [then] : [when, then]))
  if (![...later, ...(otherwise ? [otherwise] : [])].some(hasSubquery)) return undefined
  const whens = inTurn(
    branches.map(branch => branch.when),
    when => when,
  )
  return {
    ...expr,
    branches: branches.map(({ then }, i) => ({
      when: whens[i]!,
      then: onlyIf(then, whens.slice(0, i), whens[i]!),
    })),
    otherwise: otherwise && onlyIf(otherwise, whens, null),
  }
}

/** With each guard holding those before it, text doubles with every one that has a subquery of its own. */
const MAX_NESTED = 4

/** Each is computed only where `isEnough` is true for none of those before it. */
function inTurn(exprs: readonly Expr[], isEnough: (expr: Expr) => Expr): readonly Expr[] {
  if (exprs.filter(hasSubquery).length > MAX_NESTED) return exprs.map(expr => mapExpr(expr, guarded))
  const done: Expr[] = []
  for (const expr of exprs) done.push(onlyIf(expr, done.map(isEnough), null))
  return done
}

/** The branch, which counts where none of the former conditions is true and its own is; null for always. */
function onlyIf(branch: Expr, former: readonly Expr[], own: Expr | null): Expr {
  const conditions = [...former, ...(own ? [own] : [])]
  // What is random would be drawn anew.
  if (conditions.length === 0 || conditions.some(isVolatile) || sizeOf(conditions) > MAX_CONDITION_SIZE)
    return mapExpr(branch, guarded)
  const literal = (value: boolean): Expr => ({ kind: 'literal', type: BOOL, value, at: branch.at })
  const no = literal(false)
  const isTaken: Expr =
    own && former.length === 0
      ? own
      : {
          kind: 'case',
          type: BOOL,
          branches: [...former.map(when => ({ when, then: no })), ...(own ? [{ when: own, then: literal(true) }] : [])],
          otherwise: own ? no : literal(true),
          at: branch.at,
        }
  const guardedBranch = mapExpr(branch, part =>
    isRisky(part) ? { ...part, scan: filtered(part.scan, isTaken) } : undefined,
  )
  return mapExpr(guardedBranch, guarded)
}

/** Each subquery of a branch repeats the conditions: larger ones would make the query grow exponentially with its depth. */
const MAX_CONDITION_SIZE = 48

/** The number of expressions and scans. */
function sizeOf(exprs: readonly Expr[]): number {
  let size = 0
  const count = (): void => {
    size++
  }
  for (const expr of exprs) visitExpr(expr, count, count)
  return size
}

const isNotNull = (expr: Expr): Expr => {
  const isNull: Expr = { kind: 'call', type: BOOL, name: '$is_null', arguments: [expr], isSafe: false, at: expr.at }
  return { ...isNull, name: '$not', arguments: [isNull] }
}

/** The scan of no rows where the condition is not met: it stands as close to the rows as may be. */
function filtered(scan: Scan, condition: Expr): Scan {
  switch (scan.kind) {
    case 'project':
    case 'aggregate':
    case 'window':
    case 'order':
    case 'limit':
      return { ...scan, input: filtered(scan.input, condition) }
    case 'filter':
      return { ...scan, condition: both(condition, scan.condition), input: filtered(scan.input, condition) }
    case 'with':
      return { ...scan, body: filtered(scan.body, condition) }
    case 'set':
      return { ...scan, inputs: scan.inputs.map(input => filtered(input, condition)) }
    default:
      return { kind: 'filter', input: scan, condition, columns: scan.columns }
  }
}

const both = (a: Expr, b: Expr): Expr => ({
  kind: 'case',
  type: BOOL,
  branches: [{ when: a, then: b }],
  otherwise: { kind: 'literal', type: BOOL, value: false, at: b.at },
  at: b.at,
})

/** May it fail for some rows? Subqueries over an array of the row become list functions, which wait for their branch. */
function isRisky(expr: Expr): expr is SubqueryExpr | InQueryExpr {
  if (expr.kind !== 'subquery' && expr.kind !== 'in-query') return false
  if (leafOf(expr.scan).kind === 'unnest') return false
  let isRisk = expr.kind === 'subquery' && expr.form === 'scalar' && !hasOneRow(expr.scan)
  visitScan(expr.scan, part => {
    isRisk ||= failsForSome(part)
  })
  return isRisk
}

/** May it fail for some values of what it reads? Its parts are not looked at. */
export function failsForSome(expr: Expr): boolean {
  if (expr.kind === 'cast') return !expr.isSafe && !expr.isImplicit && expr.operand.kind !== 'literal' && !isWide(expr)
  return expr.kind === 'call' && !expr.isSafe && RISKY.test(expr.name)
}

/** Every value of the one type is one of the other. */
const isWide = ({ operand, type, format }: CastExpr): boolean =>
  format === null && (WIDE[operand.type.kind] ?? []).includes(type.kind)

const WIDE: Readonly<Record<string, readonly string[]>> = {
  BOOL: ['STRING', 'INT64'],
  INT64: ['STRING', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'BOOL'],
  FLOAT64: ['STRING'],
  NUMERIC: ['STRING', 'FLOAT64'],
  TIMESTAMP: ['STRING', 'DATE', 'DATETIME', 'TIME'],
  DATETIME: ['STRING', 'DATE', 'TIME'],
  DATE: ['STRING', 'DATETIME'],
  TIME: ['STRING'],
}

/** Functions that fail for some values, on the ordinary path of a query. */
const RISKY =
  /^(?:ERROR|\$divide|DIV|MOD|\$array_at_offset|\$array_at_ordinal|LN|LOG|LOG10|SQRT|POW|POWER|EXP|PARSE_.*|.*_FROM_.*|FORMAT.*|INT64|FLOAT64|BOOL|STRING|DATE|DATETIME|TIME|TIMESTAMP|TIMESTAMP_.*|DATE_.*|ARRAY_FIRST|ARRAY_LAST|GENERATE_.*|REPEAT|SUBSTR|LEFT|RIGHT|REGEXP_.*)$/

function leafOf(scan: Scan): Scan {
  const is = 'input' in scan && scan.kind !== 'unnest' ? scan.input : null
  return is ? leafOf(is) : scan
}

/** An aggregate without keys, or SELECT without FROM, gives one row. */
function hasOneRow(scan: Scan): boolean {
  if (scan.kind === 'project' || scan.kind === 'order' || scan.kind === 'limit') {
    const isFirst = scan.kind === 'limit' && scan.limit.kind === 'literal' && scan.limit.value === '1'
    return isFirst || hasOneRow(scan.input)
  }
  return scan.kind === 'one-row' || (scan.kind === 'aggregate' && scan.keys.length === 0 && !scan.groupingSets)
}
