/** The proleptic Gregorian calendar on integers: converts days and seconds since 1970-01-01 to fields and back. */
import { type CivilDate, civilFromDays } from '../../../../googlesql/values/civil-date.js'
import { MAX_TIMESTAMP_MICROS, MIN_TIMESTAMP_MICROS } from '../../../../googlesql/values/civil-text.js'
import { fail } from '../scalar-function.js'

/** A civil time with all fields that format strings use. */
export interface CivilTime extends CivilDate {
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly micro: number
  /** Days since 1970-01-01. */
  readonly days: number
}

const DAY_SECONDS = 86_400

export const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const
/** The weekdays from Sunday, in GoogleSQL's order. */
export const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

// https://howardhinnant.github.io/date_algorithms.html: eras of 400 years that begin on the first of March.
/** Days since 1970-01-01; the ranges of month and day are not checked. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
/** The number of days in a month; `month` is 1 to 12. */
export function monthLength(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : MONTH_LENGTHS[month - 1]!
}

export function isValidDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= monthLength(year, month)
}

/** The weekday, 0 for Sunday. */
export function weekdayOf(days: number): number {
  return (((days + 4) % 7) + 7) % 7
}

/** The day of the year, 1 for the first of January. */
export function dayOfYear(date: CivilTime): number {
  return date.days - daysFromCivil(date.year, 1, 1) + 1
}

/** The Monday on which the ISO year begins, as days since 1970-01-01. */
export function isoYearStart(isoYear: number): number {
  const fourth = daysFromCivil(isoYear, 1, 4)
  return fourth - ((weekdayOf(fourth) + 6) % 7)
}

/** The ISO year that the day belongs to. */
export function isoYearOf(days: number): number {
  const thursday = days - ((weekdayOf(days) + 6) % 7) + 3
  return civilFromDays(thursday).year
}

/** Splits a count of microseconds into whole seconds and the remaining microseconds, 0 to 999999. */
export function splitMicros(micros: bigint): { readonly seconds: number; readonly micro: number } {
  let micro = micros % 1_000_000n
  if (micro < 0n) micro += 1_000_000n
  return { seconds: Number((micros - micro) / 1_000_000n), micro: Number(micro) }
}

/** The fields of a civil time in seconds since 1970-01-01 00:00:00 of the same calendar. */
export function civilFromSeconds(seconds: number, micro: number): CivilTime {
  const days = Math.floor(seconds / DAY_SECONDS)
  const ofDay = seconds - days * DAY_SECONDS
  return {
    ...civilFromDays(days),
    hour: Math.floor(ofDay / 3_600),
    minute: Math.floor((ofDay % 3_600) / 60),
    second: ofDay % 60,
    micro,
    days,
  }
}

/** @throws ScalarFunctionError with this message where no TIMESTAMP has these microseconds since 1970 */
export function checkedMicros(micros: bigint, refusal: string): bigint {
  if (micros < MIN_TIMESTAMP_MICROS || micros > MAX_TIMESTAMP_MICROS) fail(refusal)
  return micros
}
