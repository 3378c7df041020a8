/** The times of a kept query: its boundaries, the cells within its bounds, and its values in microseconds. */
import { FIRST_DAY, LAST_DAY } from '../values/civil-date.js'
import { dateText, datetimeText, MAX_TIMESTAMP_MICROS } from '../values/civil-text.js'
import { type TimeWindow, windowOf } from './bounds.js'
import type { KeptQuery } from './kept-query.js'
import { civilOf, DAY, boundaryAfter as firstBoundary, floorTo, boundaryBefore as lastBoundary } from './time-cells.js'
import { microsOf } from './time-expr.js'

/**
 * The longest interval of whole cells within the query's own bounds, for these arguments, in microseconds since 1970 (civil for DATETIME
 * and DATE). `until` is exclusive; an end is null where it has no bound. Returns null where a bound is NULL or out of range, or the
 * interval is empty.
 */
export const closedWindow = (kept: KeptQuery, value: (parameter: string) => unknown): TimeWindow | null =>
  windowOf(kept.bounds, kept.cells, value)

/** The last boundary at or before this T; null before the year 1. */
export const boundaryBefore = ({ cells }: KeptQuery, t: bigint): bigint | null => lastBoundary(cells, t)

/** The first boundary at or after this T; null after the year 9999. */
export const boundaryAfter = ({ cells }: KeptQuery, t: bigint): bigint | null => firstBoundary(cells, t)

/**
 * The value of the bucket column in microseconds; null for NULL.
 *
 * @param value as JSON results have it: ISO text, or for TIMESTAMP also microseconds as a number or digits
 */
export function bucketMicros({ bucketType }: KeptQuery, value: unknown): bigint | null {
  const [text, fraction = ''] = (typeof value === 'string' && ISO.exec(value)) || []
  if (text === undefined) return microsOf(bucketType, value)
  const ms = Date.parse(text.length === DATE_LENGTH ? text : `${text.slice(0, SECONDS_LENGTH)}Z`)
  return BigInt(ms) * 1_000n + BigInt(fraction.padEnd(6, '0'))
}

/** A date, or a date and time, as engines write them. `Date` reads such texts ten times faster than the language's literals are read. */
const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.(\d{1,6}))?Z?)?$/
const DATE_LENGTH = 10
const SECONDS_LENGTH = 19

/**
 * The value to compare `bucketMicros` with: a row lies before the boundary exactly if its bucket is less than this value. The earliest
 * time is not converted: in most zones it does not start a cell, and the bucket of its cell is the first date.
 */
export function bucketBoundary(kept: KeptQuery, boundary: bigint): bigint {
  const { timeType, bucketType, cells } = kept
  const isCivil = timeType === 'TIMESTAMP' && bucketType !== 'TIMESTAMP' && boundary > firstTime(kept)
  return isCivil ? civilOf(boundary, cells.zone) : boundary
}

/** A T as the value of the parameters _from and _until. */
export function timeValue({ timeType }: KeptQuery, t: bigint): string {
  if (timeType === 'DATE') return dateText(Number(floorTo(t, DAY) / DAY))!
  return timeType === 'TIMESTAMP' ? `${datetimeText(t)}Z` : datetimeText(t)!
}

/** The earliest T: as _from, it leaves out no row. */
export const firstTime = (_kept: KeptQuery): bigint => BigInt(FIRST_DAY) * DAY

/** The latest T: as _until, it leaves out no row. */
export const lastTime = ({ timeType }: KeptQuery): bigint =>
  timeType === 'DATE' ? BigInt(LAST_DAY) * DAY : MAX_TIMESTAMP_MICROS

/** The latest T before this boundary: a microsecond earlier, or for a DATE a day earlier. */
export const justBefore = ({ timeType }: KeptQuery, boundary: bigint): bigint =>
  boundary - (timeType === 'DATE' ? DAY : 1n)
