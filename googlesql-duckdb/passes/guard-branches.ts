/**
 * Gives subqueries in a branch of CASE, IF, IFNULL or COALESCE rows only where the branch is taken. DuckDB evaluates every
 * subquery before the CASE around it, so a subquery that fails would fail the query, even if its branch is never taken.
 *
 * A BOOL column, computed below the expression, says whether a branch is taken. The guard reads only this column of the outer query. So
 * DuckDB evaluates a subquery without other outer references at most twice, for TRUE and for FALSE, whatever the condition reads.
 *
 * Before: any plan. After: a subquery that may fail, in a branch that not every row takes, has guards (filters with `isGuard`)
 * above its tables, and the conditions of its branch are columns below it.
 */

import { evaluationOf, isVolatile } from '../../googlesql/functions/facts.js'
import { call, caseWhen, columnExpr, filterScan, literal, withComputed } from '../../googlesql/plan/build.js'
import type {
  CallExpr,
  CaseExpr,
  Computed,
  Expr,
  InQueryExpr,
  LetExpr,
  ResolvedCte,
  ResolvedQuery,
  Scan,
  SubqueryExpr,
} from '../../googlesql/plan/nodes.js'
import { mapExpr, mapExprs, withInputs } from '../../googlesql/plan/rewrite.js'
import {
  columnsRead,
  exprsOfScan,
  freshColumns,
  hasSubquery,
  inputsOfScan,
  type NewColumn,
  readsColumn,
  someOf,
  visitScans,
} from '../../googlesql/plan/walk.js'
import { BOOL } from '../../googlesql/types/types.js'
import { inlineCtes } from '../analysis/cte-uses.js'
import { mayFail, raises, scanMayFail } from '../analysis/fallible-expressions.js'
import { volatileTrue } from './delayed-constants.js'

/**
 * @param guardsEverySubquery whether subqueries that may fail are guarded outside of branches too, so that each is evaluated only
 *   if a row needs it. A guard costs a join, so this is for the second try of a query that has failed
 */
export function guardBranches(query: ResolvedQuery, guardsEverySubquery: boolean): ResolvedQuery {
  const { scan } = query
  if (!holdsSubquery(scan)) return query
  const context: GuardContext = { ctes: inlineCtes(scan), guardsEverySubquery, newColumn: freshColumns(scan) }
  return { ...query, scan: guardScan(scan, null, context) }
}

function holdsSubquery(scan: Scan): boolean {
  return exprsOfScan(scan).some(hasSubquery) || inputsOfScan(scan).some(holdsSubquery)
}

interface GuardContext {
  /** Common table expressions that are read once, so that the definition may be written in place of the read. */
  readonly ctes: ReadonlyMap<number, ResolvedCte>
  /** See guardBranches. */
  readonly guardsEverySubquery: boolean
  readonly newColumn: NewColumn
}

/** Where conditions become columns: below the scan whose expressions contain the branches. */
interface Place {
  readonly context: GuardContext
  /** The columns to add, in layers; null where the scan has no single input to which they could be added. */
  readonly layers: Computed[][] | null
  /** The columns that the scan itself creates above its input. */
  readonly above: ReadonlySet<number>
}

/** `isTaken`: the condition under which the scan's rows are needed; null for always. */
function guardScan(scan: Scan, isTaken: Expr | null, context: GuardContext): Scan {
  const inputs = inputsOfScan(scan).map(input => guardScan(input, isTaken, context))
  const own = exprsOfScan(scan)
  if (!own.some(hasSubquery)) return withInputs(scan, inputs)
  const hasHost = inputs.length === 1 && scan.kind !== 'with'
  const above = scan.kind === 'unnest' ? [scan.element, ...(scan.offset ? [scan.offset] : [])] : []
  const place: Place = { context, layers: hasHost ? [] : null, above: new Set(above.map(column => column.id)) }
  const guardsScan = context.guardsEverySubquery && isTaken === null && hasHost && inputs[0]!.kind !== 'one-row'
  const isReached = guardsScan && own.some(expr => isToGuard(expr, place)) ? asColumn(volatileTrue(0), place) : isTaken
  const mapped = mapExprs(scan, expr => guardExpr(expr, isReached, place))
  return withInputs(
    mapped,
    inputs.map(input => withColumns(input, place.layers ?? [])),
  )
}

const withColumns = (input: Scan, layers: readonly (readonly Computed[])[]): Scan => layers.reduce(withComputed, input)

function guardExpr(expr: Expr, isTaken: Expr | null, place: Place): Expr {
  return mapExpr(expr, part => {
    switch (part.kind) {
      case 'case':
        return guardCase(part, isTaken, place)
      case 'call':
        return guardCall(part, isTaken, place)
      case 'let':
        return guardLet(part, isTaken, place)
      case 'subquery':
      case 'in-query':
        return guardQuery(part, isTaken, place)
      default:
        return undefined
    }
  })
}

function guardQuery(expr: SubqueryExpr | InQueryExpr, isTaken: Expr | null, place: Place): Expr {
  const isRisk = isTaken !== null && isRisky(expr, place.context)
  const scan = guardScan(expr.scan, isRisk ? isTaken : null, place.context)
  const guarded = { ...expr, scan: isRisk ? restrict(scan, isTaken, place.context) : scan }
  return guarded.kind === 'in-query' ? { ...guarded, operand: guardExpr(guarded.operand, isTaken, place) } : guarded
}

const isRisky = (expr: SubqueryExpr | InQueryExpr, context: GuardContext): boolean =>
  raises(expr) || mayFailWithCtes(expr.scan, context)

/** Whether the scan, or a common table expression that it reads, may fail. */
function mayFailWithCtes(scan: Scan, context: GuardContext): boolean {
  let isRisk = scanMayFail(scan)
  visitScans(scan, part => {
    const cte = part.kind === 'cte' ? context.ctes.get(part.cte) : undefined
    if (!isRisk && cte) isRisk = mayFailWithCtes(cte.scan, context)
  })
  return isRisk
}

/** Whether the expression contains a subquery that must be computed only where its branch is taken. */
const isToGuard = (expr: Expr | null, { context }: Place): boolean =>
  expr !== null &&
  someOf(expr, part => (part.kind === 'subquery' || part.kind === 'in-query') && isRisky(part, context))

function guardCase(expr: CaseExpr, isTaken: Expr | null, place: Place): Expr | undefined {
  const { branches, otherwise } = expr
  const later = branches.flatMap(({ when, then }, i) => (i === 0 ? [then] : [when, then]))
  if (![...later, otherwise].some(part => isToGuard(part, place))) return undefined
  let isReached = isTaken
  const guarded = branches.map(({ when, then }) => {
    const test = asColumn(onlyWhere(isReached, guardExpr(when, isReached, place)), place)
    const branch = { when: test, then: guardExpr(then, test, place) }
    isReached = elseCondition(test, isReached)
    return branch
  })
  return { ...expr, branches: guarded, otherwise: otherwise && guardExpr(otherwise, isReached, place) }
}

function guardCall(expr: CallExpr, isTaken: Expr | null, place: Place): Expr | undefined {
  const evaluation = evaluationOf(expr)
  if (evaluation === 'chosen') {
    const [when, yes, no] = expr.arguments
    if (!when || !yes || !no || !(isToGuard(yes, place) || isToGuard(no, place))) return undefined
    const test = asColumn(onlyWhere(isTaken, guardExpr(when, isTaken, place)), place)
    const otherwise = guardExpr(no, elseCondition(test, isTaken), place)
    return { ...expr, arguments: [test, guardExpr(yes, test, place), otherwise] }
  }
  if (evaluation !== 'until-value') return undefined
  const args = expr.arguments.filter(argument => argument !== null)
  if (!args.slice(1).some(part => isToGuard(part, place))) return undefined
  let isReached = isTaken
  const guarded = args.map((argument, i) => {
    const value = guardExpr(argument, isReached, place)
    if (i === args.length - 1) return value
    const column = value.kind === 'column' ? value : asColumn(onlyWhere(isReached, value), place)
    isReached = asColumn(onlyWhere(isReached, isNull(column)), place)
    return column
  })
  return { ...expr, arguments: guarded }
}

/** Turns bindings into columns, so that the conditions can read them. */
function guardLet(expr: LetExpr, isTaken: Expr | null, place: Place): Expr | undefined {
  if (!place.layers || !isToGuard(expr.result, place)) return undefined
  for (const { column, expr: value } of expr.bindings) {
    place.layers.push([{ column, expr: onlyWhere(isTaken, guardExpr(value, isTaken, place)) }])
  }
  return guardExpr(expr.result, isTaken, place)
}

/** The expression as a column of the input; unchanged where it is constant, or where it cannot become a column. */
function asColumn(expr: Expr, { layers, above, context }: Place): Expr {
  if (expr.kind === 'column' || !(readsColumn(expr) || hasSubquery(expr) || isVolatile(expr))) return expr
  if (!layers || [...columnsRead([expr])].some(id => above.has(id))) return expr
  const column = context.newColumn('taken', expr.type)
  layers.push([{ column, expr }])
  return columnExpr(column, false, expr.at)
}

/** The value where the branch is reached, otherwise NULL. */
function onlyWhere(isReached: Expr | null, value: Expr): Expr {
  if (!isReached || !(mayFail(value) || value.type.kind === 'BOOL')) return value
  return caseWhen(isReached, value, null)
}

/** The condition under which the branches after a branch with the condition `test` are reached. */
const elseCondition = (test: Expr, isReached: Expr | null): Expr =>
  caseWhen(test, literal(BOOL, false, test.at), isReached ?? literal(BOOL, true, test.at))

const isNull = (expr: Expr): Expr => call('$is_null', BOOL, [expr], expr.at)

/**
 * The scan, filtered so that it has no rows where the condition is not met. The filter is put as close to the tables as
 * possible, since DuckDB may evaluate everything below the filter.
 */
function restrict(scan: Scan, condition: Expr, context: GuardContext): Scan {
  // A volatile condition could have another value in each filter.
  if (isVolatile(condition)) return scan
  const inner = (input: Scan): Scan => restrict(input, condition, context)
  switch (scan.kind) {
    case 'filter':
      return { ...scan, condition: andThen(condition, scan.condition), input: inner(scan.input) }
    case 'with':
      return {
        ...scan,
        ctes: scan.ctes.map(cte => ({ ...cte, scan: inner(cte.scan) })),
        body: inner(scan.body),
      }
    case 'cte': {
      const cte = context.ctes.get(scan.cte)
      if (!cte || !mayFailWithCtes(cte.scan, context)) return withGuard(scan, condition)
      // The definition is written in place of its only read, inside the branch.
      const computed = scan.columns.map((column, i) => {
        const source = cte.scan.columns[i]!
        return { column, expr: columnExpr(source, false, condition.at) }
      })
      return { kind: 'project', input: inner(cte.scan), computed, columns: scan.columns }
    }
    case 'unnest': {
      if (scan.input) return { ...scan, input: inner(scan.input) }
      const rows = withGuard(scan, condition)
      return mayFail(scan.array) ? { ...scan, array: onlyWhere(condition, scan.array) } : rows
    }
    case 'join':
      // DuckDB does not support a FULL JOIN over inputs with outer references.
      return scan.join === 'full' ? withGuard(scan, condition) : withInputs(scan, inputsOfScan(scan).map(inner))
    case 'one-row':
    case 'table':
      return withGuard(scan, condition)
    default:
      return withInputs(scan, inputsOfScan(scan).map(inner))
  }
}

const withGuard = (input: Scan, condition: Expr): Scan => ({ ...filterScan(input, condition), isGuard: true })

const andThen = (a: Expr, b: Expr): Expr => caseWhen(a, b, literal(BOOL, false, b.at))
