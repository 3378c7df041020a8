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
import { cellsOf, isTime, type TimeOf, type Traced, timeOf } from './time-column.js'
import { type ArgumentOf, evaluate, type TimeExpr, timeExpr } from './time-expr.js'

/** The condition `of operator time`. Plain data. */
export interface TimeBound {
  readonly of: TimeOf
  readonly operator: '>=' | '>' | '<' | '<=' | '='
  readonly time: TimeExpr
}

type Operator = TimeBound['operator']

const OPERATORS: Readonly<Record<string, Operator>> = { $ge: '>=', $gt: '>', $lt: '<', $le: '<=', $eq: '=' }
const MIRRORED: Readonly<Record<Operator, Operator>> = { '>=': '<=', '>': '<', '<': '>', '<=': '>=', '=': '=' }

/** The bounds that a condition consists of; empty for any other condition. */
export function boundsOf(condition: Expr, columns: ReadonlyMap<number, Traced>): readonly TimeBound[] {
  if (condition.kind !== 'call' || condition.isSafe) return []
  const [first, second, third] = condition.arguments
  if (!first || !second) return []
  if (condition.name === '$between' && third) {
    const bounds = [bound(first, '>=', second, columns), bound(first, '<=', third, columns)]
    return bounds.every(one => one !== null) ? bounds : []
  }
  const operator = OPERATORS[condition.name]
  if (operator === undefined) return []
  const one = bound(first, operator, second, columns) ?? bound(second, MIRRORED[operator], first, columns)
  return one === null ? [] : [one]
}

function bound(left: Expr, operator: Operator, right: Expr, columns: ReadonlyMap<number, Traced>): TimeBound | null {
  const of = timeOf(left, columns)
  if (!isTime(of)) return null
  const time = timeExpr(right)
  return time && of.type === right.type.kind ? { of, operator, time } : null
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

/** Null where no whole cell is within all bounds, and where one of them is NULL or out of range. */
export function windowOf(bounds: readonly TimeBound[], cells: Cells, argumentOf: ArgumentOf): TimeWindow | null {
  const [from, until, rowsFrom, rowsUntil] = [[], [], [], []] as [Times, Times, Times, Times]
  const rounded = (time: bigint | null, towards: typeof after): bigint | null =>
    time === null ? null : towards(cells, time)
  for (const { of, operator, time } of bounds) {
    const given = evaluate(time, argumentOf)
    if (given === null) return null
    // The least time that is greater: for a DATE a day later, else a microsecond.
    const next = given + (of.type === 'DATE' ? DAY : 1n)
    if (operator !== '<' && operator !== '<=') {
      const start = operator === '>' ? next : given
      from.push(rounded(notLess(of, start), after))
      rowsFrom.push(rounded(less(of, start), before))
    }
    if (operator !== '>' && operator !== '>=') {
      const end = operator === '<' ? given : next
      until.push(rounded(less(of, end), before))
      rowsUntil.push(rounded(notLess(of, end), after))
    }
  }
  if ([...from, ...until].includes(null)) return null
  const window = { from: most(from), until: least(until), rowsFrom: most(rowsFrom), rowsUntil: least(rowsUntil) }
  return window.from !== null && window.until !== null && window.from >= window.until ? null : window
}

const most = (times: readonly (bigint | null)[]): bigint | null => extreme(times, (a, b) => a > b)
const least = (times: readonly (bigint | null)[]): bigint | null => extreme(times, (a, b) => a < b)

const extreme = (times: readonly (bigint | null)[], isBeyond: (a: bigint, b: bigint) => boolean): bigint | null =>
  times.reduce((all, time) => (all === null || (time !== null && isBeyond(time, all)) ? time : all), null)

const instantOfValue = ({ type, zone }: TimeOf, value: bigint): bigint =>
  type === 'TIMESTAMP' ? value : instantOf(value, zone ?? 'UTC')

/** The first boundary from which on no value of `of` is less than the given one; null where no boundary has that. */
const notLess = (of: TimeOf, value: bigint): bigint | null => after(cellsOf(of), instantOfValue(of, value))

/** The last boundary before which all values of `of` are less than the given one; null where no boundary has that. */
function less(of: TimeOf, value: bigint): bigint | null {
  const cells = cellsOf(of)
  if (of.isStart && of.part === cells.part) {
    // Each value is a start of the part: it is less than the given one exactly if it is less than the first start at or after that one.
    const civil = of.type === 'TIMESTAMP' ? civilOf(value, cells.zone) : value
    const start = instantOf(startAfter(civil, cells.part), cells.zone)
    if (isBoundary(cells, start)) return start
  }
  return before(cells, instantOfValue(of, value))
}
