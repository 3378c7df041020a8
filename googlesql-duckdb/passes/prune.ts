/**
 * Drops computed columns, aggregates, window functions, table columns and common table expressions that nothing reads, and sorts whose
 * order has no effect. GoogleSQL does not promise that an expression that is not read raises its error.
 *
 * Fields of structs are not pruned here: they are written as dotted paths (`t.payload.status`), and DuckDB's own projection
 * pushdown reads from a file only the paths that the query names.
 *
 * Before: any plan. After: every column of a scan is read by an expression or a scan above it, or belongs to a scan that
 * compares whole rows.
 */

import { findFunction } from '../../googlesql/functions/all.js'
import { project } from '../../googlesql/plan/build.js'
import type { Column, Expr, ResolvedCte, ResolvedQuery, Scan } from '../../googlesql/plan/nodes.js'
import { mapExpr, mapExprs, withInputs } from '../../googlesql/plan/rewrite.js'
import { exprsOfScan, inputsOfScan, partsOf, partsOfCall, partsOfWindow } from '../../googlesql/plan/walk.js'

export function prune(query: ResolvedQuery): ResolvedQuery {
  const live = findLiveParts(query)
  return { ...query, scan: rebuild(query.scan, live, true) }
}

type LiveParts = ReturnType<typeof findLiveParts>

/** The expressions that compute a column, or the columns that it is a copy of: if the column is live, they are live, too. */
interface Origin {
  readonly exprs: readonly Expr[]
  readonly columns: readonly Column[]
}

/** The columns that are read, and the common table expressions that are read, by id. */
function findLiveParts(query: ResolvedQuery) {
  const live = new Set<number>()
  const origins = new Map<number, Origin[]>()
  const defined = new Map<number, ResolvedCte>()
  const ctes = new Map<number, ResolvedCte>()

  const markColumn = ({ id }: Column): void => {
    if (live.has(id)) return
    live.add(id)
    for (const origin of origins.get(id) ?? []) markOrigin(origin)
  }
  const markOrigin = (origin: Origin): void => {
    origin.exprs.forEach(markExpr)
    origin.columns.forEach(markColumn)
  }
  const addOrigin = (column: Column, exprs: readonly Expr[], columns: readonly Column[] = []): void => {
    const origin = { exprs, columns }
    origins.set(column.id, [...(origins.get(column.id) ?? []), origin])
    if (live.has(column.id)) markOrigin(origin)
  }
  const markExpr = (expr: Expr): void => {
    if (expr.kind === 'column') markColumn(expr.column)
    partsOf(expr).forEach(markExpr)
    if (expr.kind === 'subquery' || expr.kind === 'in-query') {
      markScan(expr.scan)
      if (expr.kind === 'in-query' || expr.form !== 'exists') expr.scan.columns.forEach(markColumn)
    }
  }
  const markCte = (id: number): void => {
    const cte = defined.get(id)!
    if (ctes.has(id)) return
    ctes.set(id, cte)
    for (const scan of [cte.scan, ...(cte.recursion?.terms ?? [])]) {
      markScan(scan)
      cte.columns.forEach((column, i) => {
        const source = scan.columns[i]!
        if (source.id !== column.id) addOrigin(column, [], [source])
      })
      // A recursive CTE that drops duplicates compares whole rows, and the columns of recursive terms feed each other: so all
      // are live.
      if (cte.recursion) scan.columns.forEach(markColumn)
    }
    if (cte.recursion) cte.columns.forEach(markColumn)
  }
  const markScan = (scan: Scan): void => {
    switch (scan.kind) {
      case 'one-row':
      case 'table':
        return
      case 'cte': {
        markCte(scan.cte)
        const cte = defined.get(scan.cte)!
        scan.columns.forEach((column, i) => {
          addOrigin(column, [], [cte.columns[i]!])
        })
        return
      }
      case 'project':
        markScan(scan.input)
        for (const { column, expr } of scan.computed) addOrigin(column, [expr])
        return
      case 'aggregate':
        markScan(scan.input)
        for (const key of scan.keys) markExpr(key.expr)
        for (const { column, call } of scan.aggregates) addOrigin(column, partsOfCall(call))
        return
      case 'window':
        markScan(scan.input)
        for (const { column, call } of scan.functions) addOrigin(column, partsOfWindow(call))
        return
      case 'set':
        for (const input of scan.inputs) {
          markScan(input)
          scan.columns.forEach((column, i) => {
            addOrigin(column, [], [input.columns[i]!])
          })
        }
        if (!scan.isAll || scan.operator !== 'UNION') scan.columns.forEach(markColumn)
        return
      case 'with':
        for (const cte of scan.ctes) defined.set(cte.id, cte)
        markScan(scan.body)
        return
      default:
        inputsOfScan(scan).forEach(markScan)
        exprsOfScan(scan).forEach(markExpr)
    }
  }

  markScan(query.scan)
  for (const output of query.columns) markColumn(output.column)
  return { columns: live, ctes }
}

/** @param isOrderSeen whether the order of the scan's rows matters to the scans above */
function rebuild(original: Scan, live: LiveParts, isOrderSeen: boolean): Scan {
  const scan = withoutDeadParts(original, live)
  if (scan.kind === 'order' && !isOrderSeen) return rebuild(scan.input, live, false)
  if (scan.kind === 'with') {
    const body = rebuild(scan.body, live, isOrderSeen)
    return scan.ctes.length === 0 ? body : { ...scan, body, ctes: scan.ctes.map(cte => rebuildCte(cte, live)) }
  }
  const isSeen = isOrderSeenBelow(scan, isOrderSeen)
  const inputs = inputsOfScan(scan).map(input => rebuild(input, live, isSeen))
  const own = mapExprs(scan, expr => rebuildExpr(expr, live))
  if (scan.kind !== 'set') return withInputs(own, inputs)
  const kept = original.columns.flatMap((column, i) => (live.columns.has(column.id) ? [i] : []))
  const narrow = (input: Scan, i: number): Scan =>
    project(
      input,
      kept.map(index => scan.inputs[i]!.columns[index]!),
    )
  return withInputs(own, inputs.map(narrow))
}

/** The scan without computed columns that nothing reads; its inputs are unchanged. */
function withoutDeadParts(scan: Scan, live: LiveParts): Scan {
  const isLive = (column: Column): boolean => live.columns.has(column.id)
  const liveOf = <P extends { readonly column: Column }>(parts: readonly P[]): readonly P[] =>
    parts.filter(part => isLive(part.column))
  const columns = scan.columns.filter(isLive)
  switch (scan.kind) {
    case 'one-row':
      return scan
    case 'cte': {
      const definition = live.ctes.get(scan.cte)!
      return { ...scan, columns: scan.columns.filter((_, i) => isLive(definition.columns[i]!)) }
    }
    case 'unnest':
      return { ...scan, columns, offset: scan.offset && isLive(scan.offset) ? scan.offset : null }
    case 'project':
      return { ...scan, columns, computed: liveOf(scan.computed) }
    case 'aggregate': {
      const aggregates = liveOf(scan.aggregates)
      if (scan.keys.length === 0 && scan.groupingSets === null && aggregates.length === 0) {
        return { kind: 'one-row', columns: [] }
      }
      return { ...scan, columns, aggregates, groupingCalls: liveOf(scan.groupingCalls) }
    }
    case 'window':
      return { ...scan, columns, functions: liveOf(scan.functions) }
    case 'with':
      return { ...scan, columns, ctes: scan.ctes.filter(cte => live.ctes.has(cte.id)) }
    default:
      return { ...scan, columns }
  }
}

function isOrderSeenBelow(scan: Scan, isOrderSeen: boolean): boolean {
  switch (scan.kind) {
    case 'join':
    case 'set':
      return false
    case 'window':
    case 'limit':
      return true
    case 'aggregate':
      return scan.aggregates.some(({ call }) => takesOrder(call.name))
    case 'one-row':
    case 'table':
    case 'cte':
    case 'unnest':
    case 'filter':
    case 'project':
    case 'order':
    case 'with':
      return isOrderSeen
    default:
      return scan satisfies never
  }
}

/**
 * Whether the aggregate depends on the order of its input. Without an ORDER BY in the call it reads the rows as they come,
 * and authors expect that to be the order of a subquery.
 */
const takesOrder = (name: string): boolean => findFunction(name)?.aggregate?.allowsOrderBy === true

function rebuildCte(cte: ResolvedCte, live: LiveParts): ResolvedCte {
  const kept = cte.columns.flatMap((column, i) => (live.columns.has(column.id) ? [i] : []))
  const narrow = (scan: Scan): Scan =>
    project(
      rebuild(scan, live, false),
      kept.map(i => scan.columns[i]!),
    )
  return {
    ...cte,
    scan: narrow(cte.scan),
    columns: kept.map(i => cte.columns[i]!),
    recursion: cte.recursion && { ...cte.recursion, terms: cte.recursion.terms.map(narrow) },
  }
}

function rebuildExpr(expr: Expr, live: LiveParts): Expr {
  return mapExpr(expr, part => {
    if (part.kind === 'subquery') return { ...part, scan: rebuild(part.scan, live, part.form === 'array') }
    if (part.kind !== 'in-query') return undefined
    return { ...part, operand: rebuildExpr(part.operand, live), scan: rebuild(part.scan, live, false) }
  })
}
