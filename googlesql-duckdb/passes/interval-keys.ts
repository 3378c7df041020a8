/**
 * Compares INTERVALs by their length in the keys of GROUP BY, DISTINCT, PARTITION BY, IN (subquery) and set operations. In
 * GoogleSQL, INTERVALs of equal length are equal, such as 42 hours and 2 days minus 6 hours. DuckDB compares the months, the
 * days and the time one by one if their signs differ.
 *
 * Before: any plan. After: the key is the length, an INT64; the INTERVAL of a group is the INTERVAL of one of its rows. In a
 * recursive UNION DISTINCT, and in an aggregate with DISTINCT and grouping sets, no key can replace the INTERVAL: there an
 * INTERVAL whose parts have different signs raises an error.
 */
import {
  aggregateCall,
  call,
  caseWhen,
  columnExpr,
  filtered,
  literal,
  project,
  withComputed,
} from '../../googlesql/plan/build.js'
import type {
  AggregateCall,
  AggregateScan,
  Column,
  Computed,
  ComputedAggregate,
  Expr,
  ResolvedCte,
  ResolvedQuery,
  Scan,
  SetScan,
  WindowScan,
} from '../../googlesql/plan/nodes.js'
import { mapExpr, mapOwn, mapScans } from '../../googlesql/plan/rewrite.js'
import { freshColumns, hasSubquery, type NewColumn } from '../../googlesql/plan/walk.js'
import { BOOL, INT64, type Type } from '../../googlesql/types/types.js'
import { GenerateError } from '../emit/context.js'

export function compareIntervalsByLength(query: ResolvedQuery): ResolvedQuery {
  const newColumn = freshColumns(query.scan)
  return { ...query, scan: mapScans(query.scan, scan => keyedScan(withKeyedQueries(scan, newColumn), newColumn)) }
}

function keyedScan(scan: Scan, newColumn: NewColumn): Scan {
  switch (scan.kind) {
    case 'aggregate':
      return inAggregate(scan, newColumn)
    case 'window':
      return inWindow(scan, newColumn)
    case 'set':
      return inSet(scan, newColumn)
    case 'with':
      return { ...scan, ctes: scan.ctes.map(cte => inRecursion(cte, newColumn)) }
    default:
      return scan
  }
}

function holdsInterval(type: Type): boolean {
  if (type.kind === 'ARRAY') return holdsInterval(type.element)
  return type.kind === 'INTERVAL' || (type.kind === 'STRUCT' && type.fields.some(field => holdsInterval(field.type)))
}

const isKeyed = (expr: Expr | null | undefined): expr is Expr => !!expr && holdsInterval(expr.type)

/** A value that is equal for equal values of the expression. A NULL STRUCT differs from one whose fields are NULL. */
function keyOf(expr: Expr, newColumn: NewColumn): Expr {
  const { type, at } = expr
  if (!holdsInterval(type)) return expr
  if (type.kind === 'ARRAY') {
    const element = newColumn('', type.element)
    const body = keyOf(columnOf(element, at), newColumn)
    const lambda: Expr = { kind: 'lambda', type: body.type, parameters: [element], body, at }
    return call('ARRAY_TRANSFORM', { kind: 'ARRAY', element: body.type }, [expr, lambda], at)
  }
  if (type.kind !== 'STRUCT') return call('$interval_key', INT64, [expr], at)
  const fields = type.fields.map((field, index) =>
    keyOf({ kind: 'field', type: field.type, operand: expr, index, at }, newColumn),
  )
  const all = [call('$is_null', BOOL, [expr], at), ...fields]
  const keyType: Type = { kind: 'STRUCT', fields: all.map((field, i) => ({ name: `k${i}`, type: field.type })) }
  return { kind: 'struct', type: keyType, fields: all, hasWrittenType: true, at }
}

const columnOf = (column: Column, at: number): Expr => columnExpr(column, false, at)

const equalsNumber = (column: Column, value: number, at: number): Expr =>
  call('$eq', BOOL, [columnOf(column, at), literal(INT64, String(value), at)], at)

function withKeyedQueries(scan: Scan, newColumn: NewColumn): Scan {
  return mapOwn(scan, expr =>
    hasSubquery(expr)
      ? mapExpr(expr, part => {
          // STRUCTs are compared field by field (compare.ts).
          if (part.kind !== 'in-query' || part.operand.type.kind !== 'INTERVAL') return undefined
          const [value] = part.scan.columns
          const key = keyOf(columnOf(value!, part.at), newColumn)
          const column = newColumn('length', key.type)
          const keyed = project(withComputed(part.scan, [{ column, expr: key }]), [column])
          return { ...part, operand: keyOf(part.operand, newColumn), scan: keyed }
        })
      : expr,
  )
}

/** @param source a condition on the rows from which a group's INTERVALs are taken; null for all rows */
function inAggregate(scan: AggregateScan, newColumn: NewColumn, source: Expr | null = null): Scan {
  const isPlain = !scan.keys.some(key => isKeyed(key.expr)) && !scan.aggregates.some(({ call }) => isDistinctCall(call))
  if (isPlain) return scan
  const computed: Computed[] = []
  const values: ComputedAggregate[] = []
  const groupings: { column: Column; key: number }[] = []
  const masked: Computed[] = []
  const keys = scan.keys.map(({ column, expr }, key): Computed => {
    if (!isKeyed(expr)) return { column, expr }
    const { at } = expr
    const value = newColumn(column.name, expr.type)
    computed.push({ column: value, expr })
    const any = { ...aggregateCall('ANY_VALUE', expr.type, [columnOf(value, at)], at), filter: source }
    if (scan.groupingSets) {
      const [found, grouping] = [newColumn(column.name, expr.type), newColumn('grouping', INT64)]
      values.push({ column: found, call: any })
      groupings.push({ column: grouping, key })
      masked.push({ column, expr: caseWhen(equalsNumber(grouping, 0, at), columnOf(found, at), null) })
    } else values.push({ column, call: any })
    const length = keyOf(columnOf(value, at), newColumn)
    return { column: newColumn('length', length.type), expr: length }
  })
  const input = computed.length === 0 ? scan.input : withComputed(scan.input, computed)
  const firsts: WindowFunction[] = []
  const aggregates = scan.aggregates.map((each): ComputedAggregate => {
    const counted = countedByLength(each.call, newColumn)
    if (counted !== each.call || !isDistinctCall(each.call)) return { ...each, call: counted }
    if (scan.groupingSets) return { ...each, call: ofOneSign(each.call) }
    const column = newColumn('nth', INT64)
    const partitionBy = keys.map(key => key.expr)
    firsts.push({ column, call: nthOfLength(each.call, partitionBy, newColumn) })
    return { ...each, call: ofFirsts(each.call, column) }
  })
  const aggregate: AggregateScan = {
    ...scan,
    input: withWindows(input, firsts),
    keys,
    aggregates: [...aggregates, ...values],
    groupingCalls: [...scan.groupingCalls, ...groupings],
  }
  if (masked.length === 0) return aggregate
  const hidden = new Set(masked.map(({ column }) => column.id))
  const columns = [
    ...scan.columns.filter(({ id }) => !hidden.has(id)),
    ...values.map(({ column }) => column),
    ...groupings.map(({ column }) => column),
  ]
  return { kind: 'project', input: { ...aggregate, columns }, computed: masked, columns: scan.columns }
}

const isCount = ({ name, isDistinct }: AggregateCall): boolean =>
  name === 'APPROX_COUNT_DISTINCT' || (name === 'COUNT' && isDistinct)

const isDistinctCall = (one: AggregateCall): boolean => (one.isDistinct || isCount(one)) && isKeyed(one.arguments[0])

const countedByLength = (one: AggregateCall, newColumn: NewColumn): AggregateCall =>
  isCount(one) && isKeyed(one.arguments[0]) ? { ...one, arguments: [keyOf(one.arguments[0]!, newColumn)] } : one

type WindowFunction = WindowScan['functions'][number]

const withWindows = (input: Scan, functions: readonly WindowFunction[]): Scan =>
  functions.length === 0
    ? input
    : { kind: 'window', input, functions, columns: [...input.columns, ...functions.map(({ column }) => column)] }

/** The number of a row among the rows of its group whose argument has the same length, from 1. */
const nthOfLength = (
  { arguments: [argument], filter, at }: AggregateCall,
  partitionBy: readonly Expr[],
  newColumn: NewColumn,
): WindowFunction['call'] => ({
  call: aggregateCall('ROW_NUMBER', INT64, [], at),
  partitionBy: [...partitionBy, keyOf(argument!, newColumn), ...(filter ? [filter] : [])],
  orderBy: [],
  frame: null,
})

function ofFirsts(one: AggregateCall, nth: Column): AggregateCall {
  const isFirst = equalsNumber(nth, 1, one.at)
  return {
    ...one,
    isDistinct: false,
    filter: one.filter ? call('$and', BOOL, [one.filter, isFirst], one.at) : isFirst,
  }
}

/**
 * The call with a check of its arguments: an INTERVAL that DuckDB may treat as different from one of the same length raises an
 * error.
 */
const ofOneSign = (one: AggregateCall): AggregateCall => ({ ...one, arguments: one.arguments.map(checked) })

function checked<E extends Expr | null>(expr: E): E | Expr {
  if (!isKeyed(expr)) return expr
  if (expr.type.kind !== 'INTERVAL') {
    throw new GenerateError('Nested INTERVALs cannot be compared here on the embedded engine', expr.at)
  }
  return call('$interval_of_one_sign', expr.type, [expr], expr.at)
}

function inWindow(scan: WindowScan, newColumn: NewColumn): WindowScan {
  const firsts: WindowFunction[] = []
  const functions = scan.functions.map(({ column, call: window }): WindowFunction => {
    const partitionBy = window.partitionBy.map(expr => keyOf(expr, newColumn))
    const counted = countedByLength(window.call, newColumn)
    if (counted !== window.call || !isDistinctCall(window.call)) {
      return { column, call: { ...window, call: counted, partitionBy } }
    }
    const nth = newColumn('nth', INT64)
    firsts.push({ column: nth, call: nthOfLength(window.call, partitionBy, newColumn) })
    return { column, call: { ...window, call: ofFirsts(window.call, nth), partitionBy } }
  })
  return { ...scan, input: withWindows(scan.input, firsts), functions }
}

/** Adds a check of the INTERVALs: DuckDB itself compares the rows of a recursive UNION DISTINCT, so no key can replace them. */
function inRecursion(cte: ResolvedCte, newColumn: NewColumn): ResolvedCte {
  const { scan, columns, recursion } = cte
  if (!recursion || recursion.isAll || !columns.some(({ type }) => holdsInterval(type))) return cte
  const inTerm = (term: Scan): Scan => {
    const computed = term.columns.map((column): Computed => {
      const expr = checked(columnOf(column, 0))
      return { column: newColumn(column.name, column.type), expr }
    })
    return project(
      withComputed(term, computed),
      computed.map(({ column }) => column),
    )
  }
  return { ...cte, scan: inTerm(scan), recursion: { ...recursion, terms: recursion.terms.map(inTerm) } }
}

/** A set operation as a grouping of the rows of all inputs, each with the number of its input. */
function inSet(scan: SetScan, newColumn: NewColumn): Scan {
  if (scan.isAll || !scan.columns.some(({ type }) => holdsInterval(type))) return scan
  const at = 0
  const inputs = scan.inputs.map((input, i) =>
    withComputed(input, [{ column: newColumn('input', INT64), expr: literal(INT64, String(i), at) }]),
  )
  const read = scan.columns.map(column => newColumn(column.name, column.type))
  const place = newColumn('input', INT64)
  const all: SetScan = { kind: 'set', operator: 'UNION', isAll: true, inputs, columns: [...read, place] }
  const keys = scan.columns.map((column, i): Computed => ({ column, expr: columnOf(read[i]!, at) }))
  const found = newColumn('inputs', INT64)
  const extreme = aggregateCall(scan.operator === 'EXCEPT' ? 'MAX' : 'COUNT', INT64, [columnOf(place, at)], at)
  const counted = { ...extreme, isDistinct: scan.operator !== 'EXCEPT' }
  const grouped: AggregateScan = {
    kind: 'aggregate',
    input: all,
    keys,
    aggregates: scan.operator === 'UNION' ? [] : [{ column: found, call: counted }],
    groupingSets: null,
    groupingCalls: [],
    columns: scan.operator === 'UNION' ? scan.columns : [...scan.columns, found],
  }
  const source = scan.operator === 'INTERSECT' ? equalsNumber(place, 0, at) : null
  const keyed = inAggregate(grouped, newColumn, source)
  if (scan.operator === 'UNION') return keyed
  const wanted = scan.operator === 'EXCEPT' ? 0 : scan.inputs.length
  return project(filtered(keyed, equalsNumber(found, wanted, at)), scan.columns)
}
