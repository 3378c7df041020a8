/** The lengths of date parts, and the first weekday of a part that is a week. */

export const DAY_MICROS = 86_400_000_000

/** The length of a part in months, days or microseconds. */
export type Unit = { readonly base: 'months' | 'days' | 'micros'; readonly size: number }

const UNITS: ReadonlyMap<string, Unit> = new Map<string, Unit>([
  ['MICROSECOND', { base: 'micros', size: 1 }],
  ['MILLISECOND', { base: 'micros', size: 1_000 }],
  ['SECOND', { base: 'micros', size: 1_000_000 }],
  ['MINUTE', { base: 'micros', size: 60_000_000 }],
  ['HOUR', { base: 'micros', size: 3_600_000_000 }],
  ['DAY', { base: 'days', size: 1 }],
  ['WEEK', { base: 'days', size: 7 }],
  ['MONTH', { base: 'months', size: 1 }],
  ['QUARTER', { base: 'months', size: 3 }],
  ['YEAR', { base: 'months', size: 12 }],
])

/** The length of a part; undefined for parts without one, such as DAYOFWEEK. */
export const unitOf = (part: string): Unit | undefined => UNITS.get(part)

/** The length in microseconds of a part up to a day; undefined for longer parts. */
export function microsOf(part: string): number | undefined {
  const unit = UNITS.get(part)
  return part === 'DAY' ? DAY_MICROS : unit?.base === 'micros' ? unit.size : undefined
}

const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY']

/** The first weekday of a part that is a week, 0 for Sunday; undefined for other parts. */
export function firstWeekday(part: string): number | undefined {
  if (part === 'WEEK') return 0
  if (part === 'ISOWEEK') return 1
  const index = part.startsWith('WEEK_') ? WEEKDAYS.indexOf(part.slice(5)) : -1
  return index < 0 ? undefined : index
}
