/**
 * Moves deeply nested subqueries out of each other. DuckDB's filter pushdown visits the plan below a subquery twice for each level, so a
 * query with ten levels takes seconds to plan. Subqueries without outer references become common table expressions, which DuckDB computes
 * first and plans one after another.
 *
 * Before: a plan with subqueries at any depth. After: in a query of more than four levels, a scalar or IN subquery within another subquery
 * reads a CTE with `isComputedFirst`. This holds for subqueries that are not volatile and have no outer references.
 */
import { isVolatileScan } from '../../googlesql/functions/facts.js'
import type { Expr, InQueryExpr, ResolvedCte, ResolvedQuery, Scan, SubqueryExpr } from '../../googlesql/plan/nodes.js'
import { mapExpr, mapScan, type Replace } from '../../googlesql/plan/rewrite.js'
import { exprsOfScan, inputsOfScan, lastIds, outerColumns, partsOf, visitScans } from '../../googlesql/plan/walk.js'

/** The most levels that DuckDB plans within some tens of milliseconds. */
const MAX_LEVELS = 4

type Subquery = SubqueryExpr | InQueryExpr
const isSubquery = (expr: Expr): expr is Subquery => expr.kind === 'subquery' || expr.kind === 'in-query'

/** Hoists subqueries; returns the query itself where it has few levels. */
export function hoistSubqueries(query: ResolvedQuery): ResolvedQuery {
  if (levelsOf(query.scan) <= MAX_LEVELS) return query
  let { column: lastColumn, cte: lastCte } = lastIds(query.scan)
  const hoisted: ResolvedCte[] = []
  /** The CTEs that a hoisted subquery may read. */
  const ids = new Set<number>()
  const hoist = (expr: Subquery): Subquery => {
    const columns = expr.scan.columns.map(column => ({ ...column, id: ++lastColumn }))
    const id = ++lastCte
    ids.add(id)
    hoisted.push({
      id,
      name: '',
      scan: expr.scan,
      columns: expr.scan.columns,
      recursion: null,
      isComputedFirst: true,
    })
    return { ...expr, scan: { kind: 'cte', cte: id, columns } }
  }
  const replaceAt =
    (isOutermost: boolean): Replace =>
    expr => {
      if (!isSubquery(expr)) return undefined
      const inner = { ...expr, scan: mapScan(expr.scan, replaceAt(false)) }
      const replaced =
        inner.kind === 'in-query' ? { ...inner, operand: mapExpr(inner.operand, replaceAt(isOutermost)) } : inner
      return !isOutermost && isOneValue(inner) && isClosed(inner.scan, ids) ? hoist(replaced) : replaced
    }
  const { scan } = query
  const ctes: ResolvedCte[] = []
  for (const cte of scan.kind === 'with' ? scan.ctes : []) {
    const mapped = mapCte(cte, replaceAt(true))
    ctes.push(...hoisted.splice(0), mapped)
    ids.add(cte.id)
  }
  const body = mapScan(scan.kind === 'with' ? scan.body : scan, replaceAt(true))
  ctes.push(...hoisted)
  if (ids.size === (scan.kind === 'with' ? scan.ctes.length : 0)) return query
  return { ...query, scan: { kind: 'with', ctes, body, columns: scan.columns } }
}

const mapCte = (cte: ResolvedCte, replace: Replace): ResolvedCte => ({
  ...cte,
  scan: mapScan(cte.scan, replace),
  recursion: cte.recursion && { ...cte.recursion, terms: cte.recursion.terms.map(term => mapScan(term, replace)) },
})

/** Other subqueries are not hoisted: the elements of an array may have an order, and EXISTS stops at the first row. */
const isOneValue = (expr: Subquery): boolean =>
  expr.scan.columns.length === 1 && (expr.kind === 'in-query' || expr.form === 'scalar')

function levelsOf(scan: Scan): number {
  const own = exprsOfScan(scan).map(levelsIn)
  return Math.max(0, ...own, ...inputsOfScan(scan).map(levelsOf))
}

function levelsIn(expr: Expr): number {
  const parts = Math.max(0, ...partsOf(expr).map(levelsIn))
  return isSubquery(expr) ? Math.max(parts, 1 + levelsOf(expr.scan)) : parts
}

/** Whether the scan is not volatile, has no outer reference, and of the CTEs around it reads only those in `cteIds`. */
function isClosed(scan: Scan, cteIds: ReadonlySet<number>): boolean {
  if (isVolatileScan(scan)) return false
  if (outerColumns(scan).size > 0) return false
  const [defined, ctes] = [new Set(cteIds), new Set<number>()]
  visitScans(scan, part => {
    if (part.kind === 'cte') ctes.add(part.cte)
    if (part.kind === 'with') for (const { id } of part.ctes) defined.add(id)
  })
  return [...ctes].every(id => defined.has(id))
}
