/** Days since 1970 as dates of the proleptic Gregorian calendar. */

/** The first and the last DATE, 0001-01-01 and 9999-12-31, in days since 1970-01-01. */
export const FIRST_DAY = -719_162
export const LAST_DAY = 2_932_896

export interface CivilDate {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
}

const DAY_MS = 86_400_000

export function civilFromDays(days: number): CivilDate {
  const date = new Date(days * DAY_MS)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** Days since 1970-01-01; the ranges of month and day are not checked. */
export const daysFromCivil = (year: number, month: number, day: number): number =>
  new Date(0).setUTCFullYear(year, month - 1, day) / DAY_MS

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

/** The date some months later; the last day of that month where the month has no such day. */
export function monthsLater({ year, month, day }: CivilDate, months: number): CivilDate {
  const total = year * 12 + month - 1 + months
  const [laterYear, laterMonth] = [Math.floor(total / 12), total - Math.floor(total / 12) * 12 + 1]
  return { year: laterYear, month: laterMonth, day: Math.min(day, monthLength(laterYear, laterMonth)) }
}
