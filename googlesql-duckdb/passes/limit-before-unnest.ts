/**
 * Limits the rows of a table before their lists are unnested. Without this pass, `FROM t CROSS JOIN UNNEST(t.list) ORDER BY t.time DESC
 * LIMIT 100` reads the list of every row of the table. That may take a hundred times as long as reading the columns of the filter and the
 * sort. If each list has an element, the first hundred rows of the table are enough. If some lists are empty, these rows may not be enough;
 * then the changed query fails, and the engine runs the original query.
 *
 * Before: a pruned plan. After: the same plan where the rows cannot be limited first, or where that saves nothing; otherwise a
 * plan in which the first rows of the table are a common table expression, and a check above it fails if they are too few.
 */

import { isVolatile } from '../../googlesql/functions/facts.js'
import { aggregateCall, aggregateScan, call, columnExpr, filterScan, literal } from '../../googlesql/plan/build.js'
import type {
  Column,
  Expr,
  LimitScan,
  OrderScan,
  ResolvedCte,
  ResolvedQuery,
  Scan,
  SortKey,
  TableScan,
  WithScan,
} from '../../googlesql/plan/nodes.js'
import { mapExpr } from '../../googlesql/plan/rewrite.js'
import { columnsRead, conjuncts, hasSubquery, lastIds } from '../../googlesql/plan/walk.js'
import { BOOL, INT64, STRING, type Type } from '../../googlesql/types/types.js'
import { inlineCtes } from '../analysis/cte-uses.js'
import { mayFail } from '../analysis/fallible-expressions.js'
import { MAX_LATE_ROWS } from '../late-columns.js'
import { prune } from './prune.js'

const CUT_SHORT = 'The first rows of the table have too few elements'

export function limitBeforeUnnest(query: ResolvedQuery): ResolvedQuery {
  const scan = rewriteScan(query.scan, query)
  return scan ? prune({ ...query, scan }) : query
}

function rewriteScan(scan: Scan, query: ResolvedQuery): Scan | null {
  if (scan.kind === 'with') {
    const body = rewriteScan(scan.body, query)
    return body && { ...scan, body }
  }
  if (scan.kind === 'project') {
    const input = rewriteScan(scan.input, query)
    return input && { ...scan, input }
  }
  return scan.kind === 'limit' && scan.input.kind === 'order' ? limitRows(scan, scan.input, query) : null
}

/** The origin of a scan's rows, in terms of the table's own columns. */
interface RowSource {
  readonly table: TableScan
  readonly keys: readonly SortKey[]
  readonly conditions: readonly Expr[]
  readonly isUnnested: boolean
  /** Builds the scan over other rows, which have the table's columns and all meet the conditions. */
  readonly over: (rows: Scan) => Scan
}

function limitRows(limit: LimitScan, order: OrderScan, query: ResolvedQuery): WithScan | null {
  const count = rowsWanted(limit)
  if (count === null) return null
  const source = sourceOf(order.input, order.keys, [], inlineCtes(query.scan))
  if (!source?.isUnnested) return null

  const { table } = source
  const { at } = limit.limit
  const last = lastIds(query.scan)
  let id = last.column
  const copies = new Map(table.columns.map(column => [column.id, { ...column, id: ++id }]))
  const inCopies = (expr: Expr): Expr => replaceColumns(expr, column => columnExpr(copies.get(column.id)!, false, at))
  const columns = [...copies.values()]
  const matching = source.conditions.reduce<Scan>((input, condition) => filterScan(input, inCopies(condition)), {
    ...table,
    columns,
  })
  const keys = source.keys.map(key => ({ ...key, expr: inCopies(key.expr) }))
  const first: ResolvedCte = {
    id: last.cte + 1,
    name: 'first',
    scan: {
      kind: 'limit',
      input: { kind: 'order', input: matching, keys, columns },
      limit: integer(count, at),
      offset: null,
      columns,
    },
    columns,
    recursion: null,
  }
  const rows: Scan = { kind: 'cte', cte: first.id, columns: table.columns }
  const countRows = (input: Scan): Expr => countOf(input, { id: ++id, name: 'count', type: INT64 }, at)
  const isEnough: Expr = {
    kind: 'case',
    type: BOOL,
    branches: [
      { when: compare('$lt', countRows(rows), count, at), then: trueAt(at) },
      { when: compare('$ge', countRows(source.over(rows)), count, at), then: trueAt(at) },
    ],
    otherwise: call('ERROR', BOOL, [literal(STRING, CUT_SHORT, at)], at),
    at,
  }
  // The check filters the limited rows, not the unnested ones: there may be no unnested row, and then the check would not be computed.
  const checkedRows = filterScan(rows, isEnough)
  const body: LimitScan = { ...limit, input: { ...order, input: source.over(checkedRows) } }
  return { kind: 'with', ctes: [first], body, columns: limit.columns }
}

function rowsWanted({ limit, offset }: LimitScan): number | null {
  const counts = [limit, ...(offset ? [offset] : [])].map(expr => (expr.kind === 'literal' ? Number(expr.value) : NaN))
  const count = counts.reduce((a, b) => a + b)
  return count > 0 && count <= MAX_LATE_ROWS ? count : null
}

/** The origin of rows that are those of one table, each repeated for the elements of its lists; null for any other rows. */
function sourceOf(
  scan: Scan,
  keys: readonly SortKey[],
  conditions: readonly Expr[],
  ctes: ReadonlyMap<number, ResolvedCte>,
): RowSource | null {
  const below = (input: Scan, exprOf: (column: Column) => Expr | undefined = () => undefined): RowSource | null =>
    sourceOf(
      input,
      keys.map(key => ({ ...key, expr: replaceColumns(key.expr, exprOf) })),
      conditions.map(condition => replaceColumns(condition, exprOf)),
      ctes,
    )
  switch (scan.kind) {
    case 'table':
      return readsCheapColumns([...keys.map(key => key.expr), ...conditions], scan)
        ? { table: scan, keys, conditions, isUnnested: false, over: rows => rows }
        : null
    case 'filter': {
      const parts = conjuncts(scan.condition)
      if (!parts.every(isPlain)) return null
      return sourceOf(scan.input, keys, [...conditions, ...parts], ctes)
    }
    case 'order':
      return below(scan.input)
    case 'project': {
      // An error of the expression in a row beyond the limit would be lost.
      if (!scan.computed.every(({ expr }) => isPlain(expr) && !mayFail(expr))) return null
      const exprs = new Map(scan.computed.map(({ column, expr }) => [column.id, expr]))
      const source = below(scan.input, column => exprs.get(column.id))
      return source && { ...source, over: rows => ({ ...scan, input: source.over(rows) }) }
    }
    case 'unnest': {
      const { input } = scan
      if (!input || scan.isOuter || scan.condition || !isPlain(scan.array) || mayFail(scan.array)) return null
      const source = below(input)
      return source && { ...source, isUnnested: true, over: rows => ({ ...scan, input: source.over(rows) }) }
    }
    case 'cte': {
      const cte = ctes.get(scan.cte)
      if (!cte) return null
      const sources = new Map(scan.columns.map((column, i) => [column.id, columnExpr(cte.scan.columns[i]!, false, 0)]))
      const computed = scan.columns.map(column => ({ column, expr: sources.get(column.id)! }))
      const source = below(cte.scan, column => sources.get(column.id))
      return (
        source && {
          ...source,
          over: rows => ({ kind: 'project', input: source.over(rows), computed, columns: scan.columns }),
        }
      )
    }
    default:
      return null
  }
}

const isPlain = (expr: Expr): boolean => !hasSubquery(expr) && !isVolatile(expr)

/** Whether the expressions read only columns of the table that are cheap to read. */
function readsCheapColumns(exprs: readonly Expr[], { columns }: TableScan): boolean {
  const types = new Map<number, Type>(columns.map(({ id, type }) => [id, type]))
  return [...columnsRead(exprs)].every(id => {
    const kind = types.get(id)?.kind
    return kind !== undefined && kind !== 'ARRAY' && kind !== 'STRUCT' && kind !== 'JSON'
  })
}

const replaceColumns = (expr: Expr, exprOf: (column: Column) => Expr | undefined): Expr =>
  mapExpr(expr, part => (part.kind === 'column' ? exprOf(part.column) : undefined))

function countOf(input: Scan, column: Column, at: number): Expr {
  const scan = aggregateScan(input, [], [{ column, call: aggregateCall('$count_star', INT64, [], at) }])
  return { kind: 'subquery', type: INT64, form: 'scalar', scan, at }
}

const compare = (operator: string, left: Expr, right: number, at: number): Expr =>
  call(operator, BOOL, [left, integer(right, at)], at)
const integer = (value: number, at: number): Expr => literal(INT64, String(value), at)
const trueAt = (at: number): Expr => literal(BOOL, true, at)
