/**
 * Makes DuckDB compare INTERVALs by their length where it compares values itself, as in GROUP BY. In GoogleSQL, INTERVALs of equal length
 * are equal, such as 42 hours and 2 days minus 6 hours. DuckDB compares the months, the days and the time one by one if their signs differ.
 *
 * Before: any plan. After: GROUP BY, DISTINCT and IN (subquery) compare the lengths, which are INT64s. Elsewhere, each INTERVAL is in a
 * call that raises an error if its parts have different signs: in grouping sets, PARTITION BY, set operations, aggregates with DISTINCT,
 * and within the ARRAYs and STRUCTs of keys.
 */
import { aggregateCall, call, caseWhen, columnExpr, project, withComputed } from '../../googlesql/plan/build.js'
import type {
  AggregateCall,
  AggregateScan,
  Computed,
  ComputedAggregate,
  Expr,
  ResolvedQuery,
  Scan,
} from '../../googlesql/plan/nodes.js'
import { mapExpr, mapExprs, mapScans } from '../../googlesql/plan/rewrite.js'
import { freshColumns, type NewColumn } from '../../googlesql/plan/walk.js'
import { BOOL, INT64, type Type } from '../../googlesql/types/types.js'

export function checkIntervalKeys(query: ResolvedQuery): ResolvedQuery {
  const newColumn = freshColumns(query.scan)
  const inQuery = (expr: Expr): Expr => mapExpr(expr, part => withLengths(part, newColumn))
  return { ...query, scan: mapScans(query.scan, scan => checkScan(mapExprs(scan, inQuery), newColumn)) }
}

function checkScan(scan: Scan, newColumn: NewColumn): Scan {
  const check = (expr: Expr): Expr => checkExpr(expr, newColumn)
  const rows = (input: Scan): Scan => checkRows(input, newColumn)
  switch (scan.kind) {
    case 'aggregate': {
      const aggregates = scan.aggregates.map(part => ({ ...part, call: checkCall(part.call, check) }))
      return groupByLength({ ...scan, aggregates }, newColumn)
    }
    case 'window': {
      const functions = scan.functions.map(({ column, call: window }) => ({
        column,
        call: { ...window, call: checkCall(window.call, check), partitionBy: window.partitionBy.map(check) },
      }))
      return { ...scan, functions }
    }
    case 'set':
      return scan.isAll ? scan : { ...scan, inputs: scan.inputs.map(rows) }
    case 'with': {
      const ctes = scan.ctes.map(cte =>
        !cte.recursion || cte.recursion.isAll
          ? cte
          : { ...cte, scan: rows(cte.scan), recursion: { ...cte.recursion, terms: cte.recursion.terms.map(rows) } },
      )
      return { ...scan, ctes }
    }
    default:
      return scan
  }
}

/**
 * Groups by the lengths of INTERVALs; the INTERVAL of a group is that of one of its rows. With grouping sets, where it would be
 * NULL in some sets, and within an ARRAY or a STRUCT, the INTERVALs are checked instead.
 */
function groupByLength(scan: AggregateScan, newColumn: NewColumn): AggregateScan {
  const computed: Computed[] = []
  const values: ComputedAggregate[] = []
  const keys = scan.keys.map(({ column, expr }): Computed => {
    if (expr.type.kind !== 'INTERVAL' || scan.groupingSets) return { column, expr: checkExpr(expr, newColumn) }
    const value = newColumn(column.name, expr.type)
    computed.push({ column: value, expr })
    values.push({ column, call: aggregateCall('ANY_VALUE', expr.type, [columnExpr(value, false, expr.at)], expr.at) })
    return { column: newColumn('length', INT64), expr: lengthOf(columnExpr(value, false, expr.at)) }
  })
  const input = computed.length === 0 ? scan.input : withComputed(scan.input, computed)
  return { ...scan, input, keys, aggregates: [...scan.aggregates, ...values] }
}

const lengthOf = (expr: Expr): Expr => call('$interval_key', INT64, [expr], expr.at)

/** The order of a call with DISTINCT must be its argument, so it is checked, too. */
const checkCall = (aggregate: AggregateCall, check: (expr: Expr) => Expr): AggregateCall =>
  aggregate.isDistinct || aggregate.name === 'APPROX_COUNT_DISTINCT'
    ? {
        ...aggregate,
        arguments: aggregate.arguments.map(part => part && check(part)),
        orderBy: aggregate.orderBy.map(key => ({ ...key, expr: check(key.expr) })),
      }
    : aggregate

function checkRows(scan: Scan, newColumn: NewColumn): Scan {
  if (!scan.columns.some(({ type }) => holdsInterval(type))) return scan
  const computed = scan.columns.map((column): Computed => {
    const expr = checkExpr(columnExpr(column, false, 0), newColumn)
    return { column: newColumn(column.name, column.type), expr }
  })
  return project(
    withComputed(scan, computed),
    computed.map(({ column }) => column),
  )
}

function holdsInterval(type: Type): boolean {
  if (type.kind === 'ARRAY') return holdsInterval(type.element)
  return type.kind === 'INTERVAL' || (type.kind === 'STRUCT' && type.fields.some(field => holdsInterval(field.type)))
}

/** The expression with a check of each INTERVAL in it. */
function checkExpr(expr: Expr, newColumn: NewColumn): Expr {
  const { type, at } = expr
  if (!holdsInterval(type)) return expr
  if (type.kind === 'ARRAY') {
    const element = newColumn('', type.element)
    const body = checkExpr(columnExpr(element, false, at), newColumn)
    return call(
      'ARRAY_TRANSFORM',
      type,
      [expr, { kind: 'lambda', type: body.type, parameters: [element], body, at }],
      at,
    )
  }
  if (type.kind !== 'STRUCT') return call('$interval_of_one_sign', type, [expr], at)
  const fields = type.fields.map((field, index) =>
    checkExpr({ kind: 'field', type: field.type, operand: expr, index, at }, newColumn),
  )
  const isPresent = call('$not', BOOL, [call('$is_null', BOOL, [expr], at)], at)
  return caseWhen(isPresent, { kind: 'struct', type, fields, hasWrittenType: true, at }, null)
}

/** Compares the lengths in an IN (subquery). STRUCTs are compared field by field (compare.ts). */
function withLengths(part: Expr, newColumn: NewColumn): Expr | undefined {
  if (part.kind !== 'in-query' || part.operand.type.kind !== 'INTERVAL') return undefined
  const column = newColumn('length', INT64)
  const computed = { column, expr: lengthOf(columnExpr(part.scan.columns[0]!, false, part.at)) }
  return { ...part, operand: lengthOf(part.operand), scan: project(withComputed(part.scan, [computed]), [column]) }
}
