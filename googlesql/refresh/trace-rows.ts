/**
 * Traces the rows of a table from its scans to the result, and refuses each step that works neither row by row nor within groups. Other
 * tables count as constants.
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
  ResolvedCte,
  Scan,
  SetScan,
  SortKey,
  TableScan,
} from '../plan/nodes.js'
import { columnsRead, conjuncts, exprsOfScan, inputsOfScan, visitExpr } from '../plan/walk.js'
import { boundsOf, type TimeBound } from './bounds.js'
import { Dependencies } from './dependencies.js'
import { refuse } from './not-kept.js'
import { columnTime, isTime, isTimeType, type TimeType, type Trace, textTime, timeOf } from './time-column.js'

/** A place that reads a parameter. */
export interface ParameterUse {
  readonly name: string
  readonly at: number
}

/** A condition that bounds a time of the table, with the parameters in it. */
export interface BoundCondition {
  readonly bounds: readonly TimeBound[]
  readonly uses: readonly ParameterUse[]
}

/** An aggregation of rows of the table. */
export interface Aggregation {
  /** For each key, the time of the table that it holds. */
  readonly keys: readonly Trace[]
  readonly at: number
}

/** A join of rows of the table with other rows of the same table. */
export interface SelfJoin {
  /** Pairs of values, one of the left and one of the right row, that must be equal for the rows to be joined. */
  readonly equal: readonly (readonly [Trace, Trace])[]
  readonly at: number
}

/** Facts about a query whose rows come from one table. */
export interface Facts {
  /** The places that read the table, at least one. */
  readonly scans: readonly TableScan[]
  /** The names of the other tables. */
  readonly others: readonly string[]
  /** The types of the table's columns that are times, without texts like 20260131. */
  readonly types: ReadonlyMap<string, TimeType>
  /** The times of the table that columns of any scan are, by the ids of the columns. */
  readonly columns: ReadonlyMap<number, Trace>
  readonly aggregations: readonly Aggregation[]
  readonly joins: readonly SelfJoin[]
  /** The last ORDER BY above all aggregations. */
  readonly order: { readonly key: SortKey; readonly time: Trace } | null
  readonly bounds: readonly BoundCondition[]
  /** The parameters that are read elsewhere than in these bounds. */
  readonly uses: readonly ParameterUse[]
}

/** Rows of the table on their way to the result, described by the bounds that each of them fulfils. */
type Flow = readonly BoundCondition[]

/** @param first the first place that reads the table @throws Refusal */
export function traceRows(query: Scan, first: TableScan): Facts {
  const tracer = new RowTracer(first.table)
  const flow = tracer.trace(query)
  return flow ? tracer.facts(flow) : refuse('no row of the result comes from the table', first.at)
}

class RowTracer {
  /** The table whose rows are traced. */
  readonly #table: string
  readonly #scans: TableScan[] = []
  readonly #others = new Set<string>()
  readonly #types = new Map<string, TimeType>()
  readonly #columns = new Map<number, Trace>()
  readonly #dependencies = new Dependencies(this.#columns)
  readonly #ctes = new Map<number, ResolvedCte>()
  readonly #cteFlows = new Map<ResolvedCte, Flow | null>()
  /** The ids of pseudo columns, which `SELECT *` leaves out. */
  readonly #pseudoColumns = new Set<number>()
  readonly #aggregations: Aggregation[] = []
  readonly #joins: SelfJoin[] = []
  readonly #uses: ParameterUse[] = []
  #order: Facts['order'] = null

  constructor(table: string) {
    this.#table = table
  }

  facts(bounds: Flow): Facts {
    return {
      scans: this.#scans,
      others: [...this.#others],
      types: this.#types,
      columns: this.#columns,
      aggregations: this.#aggregations,
      joins: this.#joins,
      order: this.#order,
      bounds,
      uses: this.#uses,
    }
  }

  /** Null where the rows of the scan do not come from the table: they are constants, or rows of other tables. */
  trace(scan: Scan): Flow | null {
    switch (scan.kind) {
      case 'one-row':
        return null
      case 'table':
        return this.#tableScan(scan)
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
        return refuse('LIMIT leaves out rows of any bucket', scan.limit.at)
      case 'window':
        return refuse('a window function reads rows of other buckets', scan.functions[0]!.call.call.at)
      case 'set':
        return this.#set(scan)
      case 'unnest':
      case 'filter':
      case 'project':
      case 'order':
        return this.#rowByRow(scan)
      default:
        return scan satisfies never
    }
  }

  #tableScan(scan: TableScan): Flow | null {
    const { table, at, wildcard, columns } = scan
    if (informationSchemaName(table)) refuse(`${table} has no rows of its own`, at)
    if (table !== this.#table) {
      if (wildcard) refuse(`${table} is a wildcard table`, at)
      this.#others.add(table)
      return null
    }
    this.#scans.push(scan)
    for (const { id, name, type } of columns) {
      if (type.kind === 'STRING' && (wildcard || !PSEUDO_COLUMN.test(name))) this.#columns.set(id, textTime(name))
      else if (PSEUDO_COLUMN.test(name)) this.#pseudoColumns.add(id)
      else if (isTimeType(type.kind)) {
        this.#types.set(name, type.kind)
        this.#columns.set(id, wildcard ? { reason: `${table} is a wildcard table`, at } : columnTime(name, type.kind))
      }
    }
    return []
  }

  #cte({ cte: id, columns }: CteScan): Flow | null {
    const cte = this.#ctes.get(id)!
    if (cte.recursion) refuse(`the table expression ${cte.name} is recursive`, placeOf(cte.scan))
    if (!this.#cteFlows.has(cte)) this.#cteFlows.set(cte, this.trace(cte.scan))
    for (const [i, column] of columns.entries()) this.#setTime(column.id, this.#columns.get(cte.columns[i]!.id))
    this.#dependencies.addCteScan(columns.map(({ id }, i) => [cte.columns[i]!.id, id]))
    return this.#cteFlows.get(cte)!
  }

  /** A join. If only one side has rows of the table, the join must keep or drop each of these rows by itself. */
  #join(scan: JoinScan): Flow | null {
    const left = this.trace(scan.left)
    const right = this.trace(scan.right)
    if (scan.condition) this.#check(scan.condition)
    this.#dependencies.addJoin(scan)
    if (left && right) return this.#selfJoin(scan, [left, right])
    const isKept = !left && !right ? true : ['inner', 'cross', left ? 'left' : 'right'].includes(scan.join)
    if (!isKept) refuse('the outer join keeps rows for which the table has none', scan.condition?.at ?? placeOf(scan))
    return left ?? right
  }

  /** A join of the table with itself: where it makes times of both sides equal, rows are joined only with rows of the same cell. */
  #selfJoin({ join, left, right, condition }: JoinScan, flows: readonly Flow[]): Flow {
    const at = condition?.at ?? placeOf(right)
    if (!['inner', 'cross', 'left'].includes(join)) refuse('the outer join keeps rows of its right side', at)
    const ids = left.columns.map(({ id }) => id)
    const isLeft = (expr: Expr): boolean => [...columnsRead([expr])].every(id => ids.includes(id))
    const equal = (condition ? conjuncts(condition) : []).flatMap(part => {
      if (part.kind !== 'call' || part.name !== '$eq') return []
      const [a, b] = part.arguments as [Expr, Expr]
      return isLeft(a) === isLeft(b) ? [] : [[timeOf(a, this.#columns), timeOf(b, this.#columns)] as const]
    })
    this.#joins.push({ equal, at })
    // A left row without a partner has NULL in the columns of the right side.
    if (join === 'left') {
      for (const { id } of right.columns) if (this.#columns.has(id)) this.#columns.set(id, { reason: NOT_JOINED, at })
    }
    return this.#merge(flows, at)
  }

  /** Allows only UNION, and only if all inputs are rows of the table: each bucket would repeat constants and rows of other tables. */
  #set({ operator, isAll, inputs, columns }: SetScan): Flow | null {
    const flows = inputs.map(input => this.trace(input))
    this.#dependencies.forget(columns)
    if (flows.every(flow => flow === null)) return null
    const at = placeOf(inputs[0]!)
    if (operator !== 'UNION') refuse(`the query puts rows together by ${operator}`, at)
    if (!flows.every(flow => flow !== null)) refuse('the query puts rows of the table and others together by UNION', at)
    const times = columns.map((_, i) => sameTime(inputs.map(input => this.#columns.get(input.columns[i]!.id))))
    for (const [i, { id }] of columns.entries()) this.#setTime(id, times[i])
    if (!isAll) this.#aggregations.push({ keys: times, at })
    return this.#merge(flows as readonly Flow[], at)
  }

  /** The rows of several scans together. Their times must have the same bounds, so that one window holds for all of them. */
  #merge([first, ...others]: readonly Flow[], at: number): Flow {
    this.#order = null
    const boundsText = (flow: Flow): string =>
      [...new Set(flow.map(({ bounds }) => JSON.stringify(bounds)))].sort().join()
    if (!others.every(flow => boundsText(flow) === boundsText(first!)))
      refuse(`the places that read ${this.#table} bound its times differently`, at)
    return [...first!, ...others.flat()]
  }

  #rowByRow(scan: RowByRowScan): Flow | null {
    const flow = scan.input && this.trace(scan.input)
    const conditions = scan.kind === 'filter' ? conjuncts(scan.condition) : []
    const bounds = conditions.flatMap(condition => this.#bound(condition) ?? [])
    if (scan.kind !== 'filter') for (const expr of exprsOfScan(scan)) this.#check(expr)
    if (scan.kind === 'project') {
      for (const { column, expr } of scan.computed) {
        this.#setTime(column.id, timeOf(expr, this.#columns))
        this.#dependencies.addComputed(column.id, expr)
      }
    }
    const key = scan.kind === 'order' && flow ? scan.keys[0] : undefined
    if (key) this.#order = { key, time: timeOf(key.expr, this.#columns) }
    return flow && [...flow, ...bounds]
  }

  /** Null for a condition that is not a bound; it is checked like any other expression. */
  #bound(condition: Expr): BoundCondition | null {
    const bounds = boundsOf(condition, this.#columns)
    if (bounds.length === 0) {
      this.#check(condition)
      return null
    }
    const uses: ParameterUse[] = []
    visitExpr(condition, part => void (part.kind === 'parameter' && uses.push(part)))
    return { bounds, uses }
  }

  #aggregate(scan: AggregateScan): Flow | null {
    const flow = this.trace(scan.input)
    if (flow && scan.groupingSets) refuse('grouping sets have totals over all buckets', placeOf(scan))
    for (const expr of exprsOfScan(scan)) this.#check(expr)
    for (const { call } of scan.aggregates) checkAggregate(call, scan, this.#dependencies)
    if (!scan.groupingSets) this.#dependencies.addGroups(scan)
    if (flow === null) return null
    const keys = scan.keys.map(({ expr }) => timeOf(expr, this.#columns))
    for (const [i, { column }] of scan.keys.entries()) this.#setTime(column.id, keys[i])
    this.#aggregations.push({ keys, at: placeOf(scan) })
    // The order of the input rows has no effect on the groups.
    this.#order = null
    return flow
  }

  #setTime(id: number, traced: Trace | undefined): void {
    if (traced) this.#columns.set(id, traced)
  }

  /** Refuses an expression that depends on anything but its row and the arguments. */
  #check(expr: Expr): void {
    visitExpr(
      expr,
      part => {
        if (part.kind === 'parameter') this.#uses.push(part)
        if (part.kind === 'column' && this.#pseudoColumns.has(part.column.id)) {
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

type RowByRowScan = Extract<Scan, { readonly kind: 'unnest' | 'filter' | 'project' | 'order' }>

const NOT_JOINED = 'the outer join gives NULL for rows without a partner'

/** The time that a column of a UNION holds; null where the inputs do not hold the same time. */
function sameTime([first, ...others]: readonly (Trace | undefined)[]): Trace {
  const isSame = isTime(first) && others.every(other => JSON.stringify(other) === JSON.stringify(first))
  return isSame ? first : null
}

/** The columns that are not in `*`. */
const PSEUDO_COLUMN = /^_(?:PARTITION|TABLE_|FILE_|ROW_TIMESTAMP)/i

function checkCall(call: CallExpr): void {
  const reason = whyVolatile(call)
  if (reason !== null) refuse(reason, call.at)
}

/** Why the value of a call may differ between calls with the same arguments; null where it never differs. */
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

function checkAggregate(call: AggregateCall, { keys, groupingSets }: AggregateScan, dependencies: Dependencies): void {
  const { name, at, arguments: args, orderBy } = call
  if (call.having) refuse('HAVING MAX or MIN within a call takes any of several equal rows', at)
  if (WITHOUT_ORDER.has(name)) return
  const [first] = args
  const exprs = keys.map(({ expr }) => expr)
  const isKey = first && exprs.some(expr => isSameExpr(expr, first))
  const isFixed = first && groupingSets === null && (isKey || dependencies.isFixed(first, exprs))
  const isList = name === 'ARRAY_AGG' || name === 'STRING_AGG'
  // The FLOAT64 0 and -0 are equal, and DISTINCT keeps either.
  const isDistinctList = isList && call.isDistinct && first && first.type.kind !== 'FLOAT64'
  const hasTotalOrder = isDistinctList && orderBy.length > 0 && isSameExpr(orderBy[0]!.expr, first)
  if (!(name === 'ANY_VALUE' && isFixed) && !hasTotalOrder)
    refuse(`the value of ${name} depends on the order in which rows are read`, at)
}

/** The offset in the text of some expression or table of the scan; 0 where the scan has neither. */
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
