/** Dates and times as ISO 8601 text, in UTC and the proleptic Gregorian calendar, from counts of days and microseconds. */
import { civilFromDays, FIRST_DAY, LAST_DAY } from './civil-date.js'

/** The first and the last TIMESTAMP, 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999Z, in microseconds since 1970. */
export const MIN_TIMESTAMP_MICROS = -62_135_596_800_000_000n
export const MAX_TIMESTAMP_MICROS = 253_402_300_799_999_999n

const MICROS_PER_DAY = 86_400_000_000

const twoDigits = (n: number): string => (n < 10 ? `0${n}` : String(n))

// A cache of one day: most rows of a result are of the same day.
let lastDay = 0
let lastDayText = '1970-01-01'

/** `2026-01-31` from days since 1970-01-01; undefined outside the years 1 to 9999. */
export function dateText(days: number): string | undefined {
  if (days === lastDay) return lastDayText
  if (!(days >= FIRST_DAY && days <= LAST_DAY)) return undefined
  const { year, month, day } = civilFromDays(days)
  lastDay = days
  lastDayText = `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`
  return lastDayText
}

/** `12:34:56` from microseconds since midnight, as BigQuery prints it: with a fraction of 3 or 6 digits unless it is zero. */
export function timeText(microsOfDay: number): string {
  const seconds = Math.floor(microsOfDay / 1_000_000)
  const micros = microsOfDay - seconds * 1_000_000
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor(seconds / 60) - hours * 60
  return `${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(seconds % 60)}${fractionText(micros)}`
}

/** The fraction of a second: 3 or 6 digits with their point, empty for zero. */
export function fractionText(micros: number): string {
  if (micros === 0) return ''
  return micros % 1_000 === 0 ? `.${String(micros / 1_000).padStart(3, '0')}` : `.${String(micros).padStart(6, '0')}`
}

/** `2026-01-31T12:34:56.123456` from exact microseconds since 1970; undefined outside the years 1 to 9999. */
export function datetimeText(micros: bigint | number): string | undefined {
  const count = Number(micros)
  // Safe integers of microseconds cover the years 1684 to 2255.
  if (Number.isSafeInteger(count)) {
    const days = Math.floor(count / MICROS_PER_DAY)
    return `${dateText(days)}T${timeText(count - days * MICROS_PER_DAY)}`
  }
  if (micros < MIN_TIMESTAMP_MICROS || micros > MAX_TIMESTAMP_MICROS) return undefined
  const [wide, perDay] = [BigInt(micros), BigInt(MICROS_PER_DAY)]
  const rest = ((wide % perDay) + perDay) % perDay
  return `${dateText(Number((wide - rest) / perDay))}T${timeText(Number(rest))}`
}
