/** Finds the conditions of a query that bound the time of the table, and the whole cells that lie within these bounds. */
import type { Expr } from '../plan/nodes.js'
import {
  boundaryAfter as after,
  boundaryBefore as before,
  type Cells,
  civilOf,
  DAY,
  instantOf,
  isBoundary,
  startAfter,
} from './time-cells.js'
import { cellsOf, isTime, type TableTime, type Trace, timeOf } from './time-column.js'
import { type ArgumentOf, evaluate, type TimeExpr, timeExpr } from './time-expr.js'

/** The condition `tableTime operator time`. Plain data. */
export interface TimeBound {
  readonly tableTime: TableTime
  readonly operator: '>=' | '>' | '<' | '<=' | '='
  readonly time: TimeExpr
}

type Operator = TimeBound['operator']

const OPERATORS: Readonly<Record<string, Operator>> = { $ge: '>=', $gt: '>', $lt: '<', $le: '<=', $eq: '=' }
const MIRRORED: Readonly<Record<Operator, Operator>> = { '>=': '<=', '>': '<', '<': '>', '<=': '>=', '=': '=' }

/** The bounds that a condition consists of; empty for any other condition. */
export function boundsOf(condition: Expr, columns: ReadonlyMap<number, Trace>): readonly TimeBound[] {
  if (condition.kind !== 'call' || condition.isSafe) return []
  const [first, second, third] = condition.arguments
  if (!first || !second) return []
  if (condition.name === '$between' && third) {
    const bounds = [timeBound(first, '>=', second, columns), timeBound(first, '<=', third, columns)]
    return bounds.every(bound => bound !== null) ? bounds : []
  }
  const operator = OPERATORS[condition.name]
  if (operator === undefined) return []
  const bound = timeBound(first, operator, second, columns) ?? timeBound(second, MIRRORED[operator], first, columns)
  return bound === null ? [] : [bound]
}

function timeBound(left: Expr, operator: Operator, right: Expr, columns: ReadonlyMap<number, Trace>): TimeBound | null {
  const tableTime = timeOf(left, columns)
  if (!isTime(tableTime)) return null
  const time = timeExpr(right)
  return time && tableTime.type === right.type.kind ? { tableTime, operator, time } : null
}

/** The times within the bounds, rounded to boundaries; the ends named `until` are exclusive. Null means no bound at that end. */
export interface TimeWindow {
  /** Whole cells, in which all bounds hold. */
  readonly from: bigint | null
  readonly until: bigint | null
  /** Whole cells that cover the bounds: no row outside them fulfils all bounds. */
  readonly rowsFrom: bigint | null
  readonly rowsUntil: bigint | null
}

type Times = (bigint | null)[]

/** Null where no whole cell is within all bounds, or where a bound is NULL or out of range. */
export function windowOf(bounds: readonly TimeBound[], cells: Cells, argumentOf: ArgumentOf): TimeWindow | null {
  const [from, until, rowsFrom, rowsUntil] = [[], [], [], []] as [Times, Times, Times, Times]
  const round = (time: bigint | null, towards: typeof after): bigint | null =>
    time === null ? null : towards(cells, time)
  for (const { tableTime, operator, time } of bounds) {
    const value = evaluate(time, argumentOf)
    if (value === null) return null
    // The next time: for a DATE a day later, otherwise a microsecond.
    const next = value + (tableTime.type === 'DATE' ? DAY : 1n)
    if (operator !== '<' && operator !== '<=') {
      const start = operator === '>' ? next : value
      from.push(round(firstNotLess(tableTime, start), after))
      rowsFrom.push(round(lastLess(tableTime, start), before))
    }
    if (operator !== '>' && operator !== '>=') {
      const end = operator === '<' ? value : next
      until.push(round(lastLess(tableTime, end), before))
      rowsUntil.push(round(firstNotLess(tableTime, end), after))
    }
  }
  if ([...from, ...until].includes(null)) return null
  const window = { from: last(from), until: first(until), rowsFrom: last(rowsFrom), rowsUntil: first(rowsUntil) }
  return window.from !== null && window.until !== null && window.from >= window.until ? null : window
}

const last = (times: readonly (bigint | null)[]): bigint | null => extreme(times, (a, b) => a > b)
const first = (times: readonly (bigint | null)[]): bigint | null => extreme(times, (a, b) => a < b)

const extreme = (times: readonly (bigint | null)[], isBeyond: (a: bigint, b: bigint) => boolean): bigint | null =>
  times.reduce((all, time) => (all === null || (time !== null && isBeyond(time, all)) ? time : all), null)

const instantFor = ({ type, zone }: TableTime, value: bigint): bigint =>
  type === 'TIMESTAMP' ? value : instantOf(value, zone ?? 'UTC')

/** The first boundary from which on `time` is never less than the value; null where there is no such boundary. */
const firstNotLess = (time: TableTime, value: bigint): bigint | null => after(cellsOf(time), instantFor(time, value))

/** The last boundary before which `time` is always less than the value; null where there is no such boundary. */
function lastLess(time: TableTime, value: bigint): bigint | null {
  const cells = cellsOf(time)
  if (time.isStart && time.part === cells.part) {
    // `time` is always a start of its part, so it is less than the value exactly if it is less than the first start from the value on.
    const civil = time.type === 'TIMESTAMP' ? civilOf(value, cells.zone) : value
    const start = instantOf(startAfter(civil, cells.part), cells.zone)
    if (isBoundary(cells, start)) return start
  }
  return before(cells, instantFor(time, value))
}
