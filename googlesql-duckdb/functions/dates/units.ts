/** The lengths of date parts, and the first weekday of a part that is a week. */

const MICROS: Readonly<Record<string, number>> = {
  MICROSECOND: 1,
  MILLISECOND: 1_000,
  SECOND: 1_000_000,
  MINUTE: 60_000_000,
  HOUR: 3_600_000_000,
}
export const DAY_MICROS = 86_400_000_000
const DAYS: Readonly<Record<string, number>> = { DAY: 1, WEEK: 7 }
const MONTHS: Readonly<Record<string, number>> = { MONTH: 1, QUARTER: 3, YEAR: 12 }

/** The length of a part in months, days or microseconds. */
export type Unit = { readonly of: 'months' | 'days' | 'micros'; readonly size: number }

/** The length of a part; undefined for parts without one, such as DAYOFWEEK. */
export function unitOf(part: string): Unit | undefined {
  if (Object.hasOwn(MONTHS, part)) return { of: 'months', size: MONTHS[part]! }
  if (Object.hasOwn(DAYS, part)) return { of: 'days', size: DAYS[part]! }
  return Object.hasOwn(MICROS, part) ? { of: 'micros', size: MICROS[part]! } : undefined
}

/** The length in microseconds of a part up to a day; undefined for longer parts. */
export function microsOf(part: string): number | undefined {
  return part === 'DAY' ? DAY_MICROS : Object.hasOwn(MICROS, part) ? MICROS[part] : undefined
}

const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY']

/** The first weekday of a part that is a week, 0 for Sunday; undefined for other parts. */
export function firstWeekday(part: string): number | undefined {
  if (part === 'WEEK') return 0
  if (part === 'ISOWEEK') return 1
  const index = part.startsWith('WEEK_') ? WEEKDAYS.indexOf(part.slice(5)) : -1
  return index < 0 ? undefined : index
}
