/**
 * Traces the rows of a table from its scan to the result, and refuses what is not done row by row or within groups. Other tables count
 * as constants.
 */

import { JAVASCRIPT_CALLS } from '../functions/definitions/javascript.js'
import { volatilityOf } from '../functions/facts.js'
import { informationSchemaName } from '../information-schema.js'
import { isSameExpr } from '../plan/key.js'
import type {
  AggregateCall,
  AggregateScan,
  CallExpr,
  CteScan,
  Expr,
  JoinScan,
  LimitScan,
  ResolvedCte,
  Scan,
  SortKey,
  TableScan,
} from '../plan/nodes.js'
import { conjuncts, exprsOfScan, inputsOfScan, visitExpr } from '../plan/walk.js'
import { boundsOf, type TimeBound } from './bounds.js'
import { refuse } from './not-kept.js'
import { isTimeType, ofColumn, type TimeType, type Traced, timeOf } from './time-column.js'

/** A place that reads a parameter. */
export interface ParameterUse {
  readonly name: string
  readonly at: number
}

/** A condition that bounds a time of the table, with the parameters in it. */
export interface BoundFound {
  readonly bounds: readonly TimeBound[]
  readonly uses: readonly ParameterUse[]
}

/** An aggregation of rows of the table: what its keys are of the table's times. */
export interface Aggregation {
  readonly keys: readonly Traced[]
  readonly at: number
}

/** What is known of a query whose rows come from one table. */
export interface Facts {
  readonly table: TableScan
  /** The names of the other tables. */
  readonly others: readonly string[]
  /** The types of the table's columns that are times. */
  readonly types: ReadonlyMap<string, TimeType>
  /** What the columns of all scans are of the table's times, by their ids. */
  readonly columns: ReadonlyMap<number, Traced>
  readonly aggregations: readonly Aggregation[]
  /** The last ORDER BY above all aggregations. */
  readonly order: { readonly key: SortKey; readonly of: Traced } | null
  readonly limit: number | null
  readonly bounds: readonly BoundFound[]
  /** The parameters that are read elsewhere than in these bounds. */
  readonly uses: readonly ParameterUse[]
}

/** @param table one that the query reads @throws Refusal */
export function traceRows(query: Scan, table: TableScan): Facts {
  const tracer = new RowTracer(query, table)
  const hasTable = tracer.trace(query)
  return hasTable ? { ...tracer.found(), table } : refuse('no row of the result comes from the table', table.at)
}

class RowTracer {
  /** The table whose rows are traced. */
  readonly #fact: TableScan
  readonly #others = new Set<string>()
  #isTraced = false
  readonly #topLimit: LimitScan | null
  readonly #types = new Map<string, TimeType>()
  readonly #columns = new Map<number, Traced>()
  readonly #ctes = new Map<number, ResolvedCte>()
  /** The ids of pseudo columns, which `SELECT *` leaves out. */
  readonly #pseudo = new Set<number>()
  readonly #aggregations: Aggregation[] = []
  readonly #bounds: BoundFound[] = []
  readonly #uses: ParameterUse[] = []
  #order: Facts['order'] = null
  #limit: number | null = null

  constructor(query: Scan, table: TableScan) {
    this.#fact = table
    this.#topLimit = limitOf(query)
  }

  found(): Omit<Facts, 'table'> {
    return {
      others: [...this.#others],
      types: this.#types,
      columns: this.#columns,
      aggregations: this.#aggregations,
      order: this.#order,
      limit: this.#limit,
      bounds: this.#bounds,
      uses: this.#uses,
    }
  }

  /** Returns whether the rows of the scan come from the table; otherwise they are constants, or of other tables. */
  trace(scan: Scan): boolean {
    switch (scan.kind) {
      case 'one-row':
        return false
      case 'table':
        return this.#table(scan)
      case 'with':
        for (const cte of scan.ctes) this.#ctes.set(cte.id, cte)
        return this.trace(scan.body)
      case 'cte':
        return this.#cte(scan)
      case 'join':
        return this.#join(scan)
      case 'aggregate':
        return this.#aggregate(scan)
      case 'limit':
        return this.#limited(scan)
      case 'window':
        return refuse('a window function reads rows of other buckets', scan.functions[0]!.call.call.at)
      case 'set':
        return refuse(`the query puts rows together by ${scan.operator}`, placeOf(scan))
      case 'unnest':
      case 'filter':
      case 'project':
      case 'order':
        return this.#rowByRow(scan)
      default:
        return scan satisfies never
    }
  }

  #table(scan: TableScan): boolean {
    const { table, at, wildcard, columns } = scan
    if (wildcard) refuse(`${table} is a wildcard table`, at)
    if (informationSchemaName(table)) refuse(`${table} has no rows of its own`, at)
    if (scan !== this.#fact) {
      if (table === this.#fact.table) refuse(`another place reads ${table}, too`, at)
      this.#others.add(table)
      return false
    }
    if (this.#isTraced) refuse(`the rows of ${table} are read twice`, at)
    this.#isTraced = true
    for (const { id, name, type } of columns) {
      if (PSEUDO_COLUMN.test(name)) this.#pseudo.add(id)
      else if (isTimeType(type.kind)) {
        this.#types.set(name, type.kind)
        this.#columns.set(id, ofColumn(name, type.kind))
      }
    }
    return true
  }

  #cte({ cte: id, columns }: CteScan): boolean {
    const cte = this.#ctes.get(id)!
    if (cte.recursion) refuse(`the table expression ${cte.name} is recursive`, placeOf(cte.scan))
    const hasTable = this.trace(cte.scan)
    for (const [i, column] of columns.entries()) this.#set(column.id, this.#columns.get(cte.columns[i]!.id))
    return hasTable
  }

  /** A join of the rows of the table, each of which is kept or dropped for itself, with constants or rows of other tables. */
  #join(scan: JoinScan): boolean {
    const isLeft = this.trace(scan.left)
    const isRight = this.trace(scan.right)
    if (scan.condition) this.#check(scan.condition)
    const isKept = !isLeft && !isRight ? true : ['inner', 'cross', isLeft ? 'left' : 'right'].includes(scan.join)
    if (!isKept) refuse('the outer join keeps rows for which the table has none', scan.condition?.at ?? placeOf(scan))
    return isLeft || isRight
  }

  #rowByRow(scan: Exclude<Scan, { readonly kind: 'one-row' | 'table' | 'cte' | 'join' | 'set' | 'with' }>): boolean {
    const hasTable = scan.input !== null && this.trace(scan.input)
    if (scan.kind === 'filter') for (const part of conjuncts(scan.condition)) this.#condition(part)
    else for (const expr of exprsOfScan(scan)) this.#check(expr)
    if (scan.kind === 'project') {
      for (const { column, expr } of scan.computed) this.#set(column.id, timeOf(expr, this.#columns))
    }
    const key = scan.kind === 'order' && hasTable ? scan.keys[0] : undefined
    if (key) this.#order = { key, of: timeOf(key.expr, this.#columns) }
    return hasTable
  }

  #condition(condition: Expr): void {
    const bounds = boundsOf(condition, this.#columns)
    if (bounds.length === 0) {
      this.#check(condition)
      return
    }
    const uses: ParameterUse[] = []
    visitExpr(condition, part => void (part.kind === 'parameter' && uses.push(part)))
    this.#bounds.push({ bounds, uses })
  }

  #aggregate(scan: AggregateScan): boolean {
    const hasTable = this.trace(scan.input)
    if (hasTable && scan.groupingSets) refuse('grouping sets have totals over all buckets', placeOf(scan))
    for (const expr of exprsOfScan(scan)) this.#check(expr)
    for (const { call } of scan.aggregates) checkAggregate(call, scan)
    if (!hasTable) return false
    const keys = scan.keys.map(({ expr }) => timeOf(expr, this.#columns))
    for (const [i, { column }] of scan.keys.entries()) this.#set(column.id, keys[i])
    this.#aggregations.push({ keys, at: placeOf(scan) })
    // The order of the rows that are aggregated has no effect.
    this.#order = null
    return true
  }

  #limited(scan: LimitScan): boolean {
    const { limit, offset, input } = scan
    if (scan !== this.#topLimit) refuse('LIMIT is allowed only at the end of the query', limit.at)
    if (offset !== null) refuse('OFFSET leaves out rows of any bucket', offset.at)
    if (limit.kind !== 'literal' || !Number.isSafeInteger(Number(limit.value)))
      refuse('LIMIT is not a constant', limit.at)
    if (input.kind !== 'order') refuse('LIMIT without ORDER BY takes any rows', limit.at)
    this.#limit = Number((limit as { value: unknown }).value)
    return this.trace(input)
  }

  #set(id: number, traced: Traced | undefined): void {
    if (traced) this.#columns.set(id, traced)
  }

  /** Refuses what makes an expression depend on more than its row and the arguments. */
  #check(expr: Expr): void {
    visitExpr(
      expr,
      part => {
        if (part.kind === 'parameter') this.#uses.push(part)
        if (part.kind === 'column' && this.#pseudo.has(part.column.id)) {
          refuse(`the query reads the pseudo column ${part.column.name}`, part.at)
        }
        if (part.kind === 'call') checkCall(part)
      },
      scan => {
        if (scan.kind === 'table') refuse(`a subquery reads the table ${scan.table}`, scan.at)
        if (scan.kind === 'cte') refuse('a subquery reads a table expression', expr.at)
      },
    )
  }
}

/** The columns that are not in `*`. */
const PSEUDO_COLUMN = /^_(?:PARTITION|TABLE_|FILE_|ROW_TIMESTAMP)/i

/** The LIMIT of the whole query. */
function limitOf(scan: Scan): LimitScan | null {
  if (scan.kind === 'with') return limitOf(scan.body)
  if (scan.kind === 'project') return limitOf(scan.input)
  return scan.kind === 'limit' ? scan : null
}

function checkCall(call: CallExpr): void {
  const reason = whyVolatile(call)
  if (reason !== null) refuse(reason, call.at)
}

/** Why a function does not depend on its arguments alone; null for one that does. */
export function whyVolatile({ name }: CallExpr): string | null {
  if (JAVASCRIPT_CALLS.some(({ name: call }) => call === name)) {
    return 'a JavaScript function may keep values from one call for another'
  }
  // Operators that only the resolver writes have no entry.
  const volatility = volatilityOf(name) ?? (name.startsWith('$') ? 'immutable' : 'volatile')
  return volatility === 'immutable' ? null : `${name} has another value at each run of the query`
}

/** The aggregates whose value does not depend on the order of the rows. */
const WITHOUT_ORDER: ReadonlySet<string> = new Set([
  ...['$count_star', 'COUNT', 'COUNTIF', 'SUM', 'AVG', 'MIN', 'MAX', 'LOGICAL_AND', 'LOGICAL_OR'],
  ...['BIT_AND', 'BIT_OR', 'BIT_XOR', 'APPROX_COUNT_DISTINCT', 'APPROX_QUANTILES', 'CORR', 'COVAR_POP', 'COVAR_SAMP'],
  ...['STDDEV', 'STDDEV_POP', 'STDDEV_SAMP', 'VARIANCE', 'VAR_POP', 'VAR_SAMP'],
])

/** Whether the value of the call does not depend on the order of the rows. */
export const isWithoutOrder = ({ name, having, limit }: AggregateCall): boolean =>
  having === null && limit === null && WITHOUT_ORDER.has(name)

function checkAggregate(call: AggregateCall, { keys }: AggregateScan): void {
  const { name, at, arguments: args, orderBy } = call
  if (call.having) refuse('HAVING MAX or MIN within a call takes any of several equal rows', at)
  if (call.limit) refuse('LIMIT within a call takes any of several equal values', at)
  if (WITHOUT_ORDER.has(name)) return
  const [first] = args
  const isKey = name === 'ANY_VALUE' && keys.some(({ expr }) => first && isSameExpr(expr, first))
  const isList = name === 'ARRAY_AGG' || name === 'STRING_AGG'
  const isTotal = isList && call.isDistinct && orderBy.length > 0 && first && isSameExpr(orderBy[0]!.expr, first)
  if (!isKey && !isTotal) refuse(`the value of ${name} depends on the order in which rows are read`, at)
}

/** The offset of something in the scan. */
function placeOf(scan: Scan): number {
  const places = exprsOfScan(scan).map(({ at }) => at)
  if (scan.kind === 'aggregate') places.push(...scan.aggregates.map(({ call }) => call.at))
  if (places[0] !== undefined) return places[0]
  if (scan.kind === 'table') return scan.at
  return (
    inputsOfScan(scan)
      .map(placeOf)
      .find(at => at > 0) ?? 0
  )
}
