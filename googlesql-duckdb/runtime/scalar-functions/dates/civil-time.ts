/** The proleptic Gregorian calendar on integers: converts days and seconds since 1970-01-01 to fields and back. */
import { civilFromDays, daysFromCivil } from '../../../../googlesql/values/civil-date.js'
import { MAX_TIMESTAMP_MICROS, MIN_TIMESTAMP_MICROS } from '../../../../googlesql/values/civil-text.js'
import { fail } from '../scalar-function.js'

export type CivilTime = ReturnType<typeof civilFromSeconds>

const DAY_SECONDS = 86_400

export const MONTH_NAMES =
  'January February March April May June July August September October November December'.split(' ')
/** The weekdays from Sunday, in GoogleSQL's order. */
export const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

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

/** The fields of a civil time that format strings use. `seconds` and `days` count from 1970-01-01 00:00:00 in the same calendar. */
export function civilFromSeconds(seconds: number, micro: number) {
  const days = Math.floor(seconds / DAY_SECONDS)
  const secondOfDay = seconds - days * DAY_SECONDS
  return {
    ...civilFromDays(days),
    hour: Math.floor(secondOfDay / 3_600),
    minute: Math.floor((secondOfDay % 3_600) / 60),
    second: secondOfDay % 60,
    micro,
    days,
  }
}

/** @throws ScalarFunctionError with this message where no TIMESTAMP has these microseconds since 1970 */
export function checkMicros(micros: bigint, refusal: string): bigint {
  if (micros < MIN_TIMESTAMP_MICROS || micros > MAX_TIMESTAMP_MICROS) fail(refusal)
  return micros
}
