/** Dates and times as ISO 8601 text, in UTC and the proleptic Gregorian calendar, from counts of days and microseconds. */

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999Z, in microseconds since 1970. */
export const MIN_TIMESTAMP_MICROS = -62_135_596_800_000_000n
export const MAX_TIMESTAMP_MICROS = 253_402_300_799_999_999n

const MICROS_PER_DAY = 86_400_000_000
const DAYS_TO_YEAR_1 = -719_162
const DAYS_TO_YEAR_10000 = 2_932_897

const two = (n: number): string => (n < 10 ? `0${n}` : String(n))

// Rows of one result mostly fall on the same day.
let lastDay = 0
let lastDayText = '1970-01-01'

/** `2026-01-31` for days since 1970; undefined outside the years 1 to 9999. */
export function dateText(days: number): string | undefined {
  if (days === lastDay) return lastDayText
  if (!(days >= DAYS_TO_YEAR_1 && days < DAYS_TO_YEAR_10000)) return undefined
  // Howard Hinnant's civil_from_days: eras of 400 years that begin on 1 March.
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  lastDay = days
  lastDayText = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
  return lastDayText
}

/** `12:34:56`, with a fraction of 3 or 6 digits where it is not zero, as BigQuery prints it. */
export function timeText(microsOfDay: number): string {
  const seconds = Math.floor(microsOfDay / 1_000_000)
  const micros = microsOfDay - seconds * 1_000_000
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor(seconds / 60) - hours * 60
  const clock = `${two(hours)}:${two(minutes)}:${two(seconds % 60)}`
  if (micros === 0) return clock
  return micros % 1_000 === 0
    ? `${clock}.${String(micros / 1_000).padStart(3, '0')}`
    : `${clock}.${String(micros).padStart(6, '0')}`
}

/** `2026-01-31T12:34:56.123456` for exact microseconds since 1970; undefined outside the years 1 to 9999. */
export function datetimeText(micros: bigint | number): string | undefined {
  const count = Number(micros)
  // These are the years 1684 to 2255.
  if (Number.isSafeInteger(count)) {
    const days = Math.floor(count / MICROS_PER_DAY)
    return `${dateText(days)}T${timeText(count - days * MICROS_PER_DAY)}`
  }
  if (micros < MIN_TIMESTAMP_MICROS || micros > MAX_TIMESTAMP_MICROS) return undefined
  const [wide, perDay] = [BigInt(micros), BigInt(MICROS_PER_DAY)]
  const rest = ((wide % perDay) + perDay) % perDay
  return `${dateText(Number((wide - rest) / perDay))}T${timeText(Number(rest))}`
}
