/**
 * Drops what nothing reads: computed columns, aggregates, window functions, table columns, common table expressions, and
 * orders that no one can see. GoogleSQL does not promise the errors of what is not read.
 */

import { findFunction } from '../../googlesql/functions/all.js'
import { project } from '../../googlesql/plan/build.js'
import type { AggregateCall, Column, Expr, ResolvedCte, ResolvedQuery, Scan } from '../../googlesql/plan/nodes.js'
import { mapExpr } from '../../googlesql/plan/rewrite.js'
import { exprsOfScan, partsOf, partsOfCall, partsOfWindow } from '../../googlesql/plan/walk.js'

export function prune(query: ResolvedQuery): ResolvedQuery {
  const live = findLive(query)
  return { ...query, scan: rebuild(query.scan, live, true) }
}

interface Live {
  readonly columns: ReadonlySet<number>
  /** Those that are read, by id. */
  readonly ctes: ReadonlyMap<number, ResolvedCte>
}

/** What becomes live with a column: the expressions that compute it, or the columns that it stands for. */
interface Origin {
  readonly exprs: readonly Expr[]
  readonly columns: readonly Column[]
}

function findLive(query: ResolvedQuery): Live {
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
      // A recursive one that drops duplicates compares whole rows, and so does one whose terms feed each other.
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
      case 'unnest':
        if (scan.input) markScan(scan.input)
        break
      case 'join':
        markScan(scan.left)
        markScan(scan.right)
        break
      case 'filter':
      case 'order':
      case 'limit':
        markScan(scan.input)
        break
    }
    exprsOfScan(scan).forEach(markExpr)
  }

  markScan(query.scan)
  for (const output of query.columns) markColumn(output.column)
  return { columns: live, ctes }
}

/** `isOrderSeen`: the order of the rows matters to who reads them. */
function rebuild(scan: Scan, live: Live, isOrderSeen: boolean): Scan {
  const isLive = (column: Column): boolean => live.columns.has(column.id)
  const columns = scan.columns.filter(isLive)
  const expr = (part: Expr): Expr => rebuildExpr(part, live)
  const maybe = (part: Expr | null): Expr | null => part && expr(part)
  const call = (part: AggregateCall): AggregateCall => ({
    ...part,
    arguments: part.arguments.map(maybe),
    having: part.having && { ...part.having, expr: expr(part.having.expr) },
    orderBy: part.orderBy.map(key => ({ ...key, expr: expr(key.expr) })),
    limit: maybe(part.limit),
    filter: maybe(part.filter),
  })
  switch (scan.kind) {
    case 'one-row':
      return scan
    case 'table':
      return { ...scan, columns }
    case 'cte': {
      const definition = live.ctes.get(scan.cte)!
      return { ...scan, columns: scan.columns.filter((_, i) => isLive(definition.columns[i]!)) }
    }
    case 'unnest':
      return {
        ...scan,
        input: scan.input && rebuild(scan.input, live, isOrderSeen),
        array: expr(scan.array),
        offset: scan.offset && isLive(scan.offset) ? scan.offset : null,
        condition: maybe(scan.condition),
        columns,
      }
    case 'join':
      return {
        ...scan,
        left: rebuild(scan.left, live, false),
        right: rebuild(scan.right, live, false),
        condition: maybe(scan.condition),
        columns,
      }
    case 'filter':
      return { ...scan, input: rebuild(scan.input, live, isOrderSeen), condition: expr(scan.condition), columns }
    case 'project': {
      const computed = scan.computed.filter(part => isLive(part.column))
      return {
        ...scan,
        input: rebuild(scan.input, live, isOrderSeen),
        computed: computed.map(part => ({ ...part, expr: expr(part.expr) })),
        columns,
      }
    }
    case 'aggregate': {
      const aggregates = scan.aggregates.filter(part => isLive(part.column))
      if (scan.keys.length === 0 && scan.groupingSets === null && aggregates.length === 0) {
        return { kind: 'one-row', columns: [] }
      }
      return {
        ...scan,
        input: rebuild(
          scan.input,
          live,
          aggregates.some(({ call: { name } }) => takesOrder(name)),
        ),
        keys: scan.keys.map(key => ({ ...key, expr: expr(key.expr) })),
        aggregates: aggregates.map(part => ({ ...part, call: call(part.call) })),
        groupingCalls: scan.groupingCalls.filter(part => isLive(part.column)),
        columns,
      }
    }
    case 'window': {
      const functions = scan.functions.filter(part => isLive(part.column))
      return {
        ...scan,
        input: rebuild(scan.input, live, true),
        functions: functions.map(part => ({
          ...part,
          call: {
            ...part.call,
            call: call(part.call.call),
            partitionBy: part.call.partitionBy.map(expr),
            orderBy: part.call.orderBy.map(key => ({ ...key, expr: expr(key.expr) })),
          },
        })),
        columns,
      }
    }
    case 'set': {
      const kept = scan.columns.flatMap((column, i) => (isLive(column) ? [i] : []))
      const inputs = scan.inputs.map(input =>
        project(
          rebuild(input, live, false),
          kept.map(i => input.columns[i]!),
        ),
      )
      return { ...scan, inputs, columns }
    }
    case 'order': {
      const input = rebuild(scan.input, live, isOrderSeen)
      if (!isOrderSeen) return input
      return { ...scan, input, keys: scan.keys.map(key => ({ ...key, expr: expr(key.expr) })), columns }
    }
    case 'limit':
      return {
        ...scan,
        input: rebuild(scan.input, live, true),
        limit: expr(scan.limit),
        offset: maybe(scan.offset),
        columns,
      }
    case 'with': {
      const ctes = scan.ctes.filter(cte => live.ctes.has(cte.id)).map(cte => rebuildCte(cte, live))
      const body = rebuild(scan.body, live, isOrderSeen)
      return ctes.length === 0 ? body : { ...scan, ctes, body, columns }
    }
  }
}

/** Without an ORDER BY of its own it takes the rows as they come, which authors expect to be the order of a subquery. */
const takesOrder = (name: string): boolean => findFunction(name)?.aggregate?.allowsOrderBy === true

function rebuildCte(cte: ResolvedCte, live: Live): ResolvedCte {
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

function rebuildExpr(expr: Expr, live: Live): Expr {
  return mapExpr(expr, part => {
    if (part.kind === 'subquery') return { ...part, scan: rebuild(part.scan, live, part.form === 'array') }
    if (part.kind !== 'in-query') return undefined
    return { ...part, operand: rebuildExpr(part.operand, live), scan: rebuild(part.scan, live, false) }
  })
}
