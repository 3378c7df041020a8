/** Conditions that bound the time of the table: which they are, and which whole cells lie within them. */
import type { Expr } from '../plan/nodes.js'
import {
  boundaryAfter as after,
  boundaryBefore as before,
  type Cells,
  cellPart,
  civilOf,
  DAY,
  instantOf,
  isBoundary,
  startAfter,
} from './grid.js'
import { isTime, type TimeOf, type Traced, timeOf } from './time-column.js'
import { evaluated, type TimeExpr, timeExpr, type Value } from './time-expr.js'

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

/** Whole cells from `from` to `until`, which is exclusive; null for no bound at that end. */
export interface TimeWindow {
  readonly from: bigint | null
  readonly until: bigint | null
}

/** The whole cells in which all bounds hold; null for none, and where a bound is NULL or out of range. */
export function windowOf(bounds: readonly TimeBound[], cells: Cells, value: Value): TimeWindow | null {
  let from: bigint | null = null
  let until: bigint | null = null
  for (const { of, operator, time } of bounds) {
    const given = evaluated(time, value)
    if (given === null) return null
    // A DATE that is greater is so by a day.
    const next = given + (of.type === 'DATE' ? DAY : 1n)
    if (operator === '>=' || operator === '>' || operator === '=') {
      const least = notLess(of, operator === '>' ? next : given)
      const boundary = least === null ? null : after(cells, least)
      if (boundary === null) return null
      if (from === null || boundary > from) from = boundary
    }
    if (operator === '<' || operator === '<=' || operator === '=') {
      const most = less(of, operator === '<' ? given : next)
      const boundary = most === null ? null : before(cells, most)
      if (boundary === null) return null
      if (until === null || boundary < until) until = boundary
    }
  }
  return from !== null && until !== null && from >= until ? null : { from, until }
}

const cellsOf = ({ part, zone }: TimeOf): Cells => ({ part: cellPart(part), zone: zone ?? 'UTC' })

const instantOfValue = ({ type, zone }: TimeOf, value: bigint): bigint =>
  type === 'TIMESTAMP' ? value : instantOf(value, zone ?? 'UTC')

/** A boundary from which on no value is less than the given one. */
const notLess = (of: TimeOf, value: bigint): bigint | null => after(cellsOf(of), instantOfValue(of, value))

/** A boundary before which all values are less than the given one. */
function less(of: TimeOf, value: bigint): bigint | null {
  const cells = cellsOf(of)
  const instant = instantOfValue(of, value)
  if (of.isStart && of.part === cells.part) {
    // All values are starts, so that those below the given one are those below the first start that is not.
    const civil = of.type === 'TIMESTAMP' ? civilOf(value, cells.zone) : value
    const start = instantOf(startAfter(civil, cells.part), cells.zone)
    if (isBoundary(cells, start)) return start
  }
  return before(cells, instant)
}
