/** Conditions that bound the time of the table: which they are, and which whole cells lie within them. */
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
} from './grid.js'
import { cellsOf, isTime, type TimeOf, type Traced, timeOf } from './time-column.js'
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
  /** Whether a row outside, within a cell that a bound cuts, may fulfil the bounds. */
  readonly hasRowsBefore: boolean
  readonly hasRowsAfter: boolean
}

/** The whole cells in which all bounds hold; null for none, and where a bound is NULL or out of range. */
export function windowOf(bounds: readonly TimeBound[], cells: Cells, value: Value): TimeWindow | null {
  const [lower, upper]: [(End | null)[], (End | null)[]] = [[], []]
  for (const { of, operator, time } of bounds) {
    const given = evaluated(time, value)
    if (given === null) return null
    // A DATE that is greater is so by a day.
    const next = given + (of.type === 'DATE' ? DAY : 1n)
    if (operator !== '<' && operator !== '<=')
      lower.push(rounded(notLess(of, operator === '>' ? next : given), cells, after))
    if (operator !== '>' && operator !== '>=')
      upper.push(rounded(less(of, operator === '<' ? given : next), cells, before))
  }
  const ends = [...lower, ...upper]
  if (!ends.every(end => end !== null)) return null
  const from = furthest(lower, (a, b) => a > b)
  const until = furthest(upper, (a, b) => a < b)
  if (from && until && from.at >= until.at) return null
  return {
    from: from?.at ?? null,
    until: until?.at ?? null,
    hasRowsBefore: from !== null && !from.isExact,
    hasRowsAfter: until !== null && !until.isExact,
  }
}

/** A boundary on one side of which all rows fulfil a bound; if it `isExact`, on the other side none does. */
interface End {
  readonly at: bigint
  readonly isExact: boolean
}

function rounded(end: End | null, cells: Cells, towards: typeof after): End | null {
  const at = end && towards(cells, end.at)
  return end === null || at === null ? null : { at, isExact: end.isExact && at === end.at }
}

/** The end that is beyond all others; exact where one of those at the same time is. Null without any. */
function furthest(ends: readonly (End | null)[], isBeyond: (a: bigint, b: bigint) => boolean): End | null {
  return ends.reduce((most, end) => {
    if (most === null || end === null) return most ?? end
    if (end.at === most.at) return most.isExact ? most : end
    return isBeyond(end.at, most.at) ? end : most
  }, null)
}

const instantOfValue = ({ type, zone }: TimeOf, value: bigint): bigint =>
  type === 'TIMESTAMP' ? value : instantOf(value, zone ?? 'UTC')

/** From it on no value is less than the given one. */
function notLess(of: TimeOf, value: bigint): End | null {
  const instant = instantOfValue(of, value)
  const at = after(cellsOf(of), instant)
  return at === null ? null : { at, isExact: at === instant }
}

/** Before it all values are less than the given one. */
function less(of: TimeOf, value: bigint): End | null {
  const cells = cellsOf(of)
  const instant = instantOfValue(of, value)
  if (of.isStart && of.part === cells.part) {
    // All values are starts, so that those below the given one are those below the first start that is not.
    const civil = of.type === 'TIMESTAMP' ? civilOf(value, cells.zone) : value
    const start = instantOf(startAfter(civil, cells.part), cells.zone)
    if (isBoundary(cells, start)) return { at: start, isExact: true }
  }
  const at = before(cells, instant)
  return at === null ? null : { at, isExact: at === instant }
}
