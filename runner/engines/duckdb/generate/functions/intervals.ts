/** INTERVAL values as DuckDB SQL. */
import { type Form, type FormCall, FormError, type Forms } from '../forms.js'
import { unitOf } from './date-units.js'

/** Functions whose forms ask `intervalUnit`. */
export const INTERVAL_READERS: ReadonlySet<string> = new Set([
  ...['DATE', 'DATETIME', 'TIME', 'TIMESTAMP'].flatMap(kind => [`${kind}_ADD`, `${kind}_SUB`]),
  'GENERATE_DATE_ARRAY',
  'GENERATE_TIMESTAMP_ARRAY',
])

/**
 * The count and the part of an argument that is written `INTERVAL n PART`, which the catalogue's checks make sure of. The
 * count is read off what the form of `$interval` has written, so that no INTERVAL value is made and taken apart again;
 * only where that is wrapped in something else is the value taken apart after all.
 *
 * @throws FormError for a mere name in place of the argument.
 */
export function intervalUnit(call: FormCall, index: number): { readonly count: string; readonly part: string } {
  const arg = call.args[index]
  const part = arg?.kind === 'call' && arg.name === '$interval' ? arg.arguments[1] : null
  const sql = call.sql[index] ?? ''
  const unit = part?.kind === 'word' ? unitOf(part.word) : undefined
  if (part?.kind !== 'word' || unit === undefined || /^\w*$/.test(sql)) {
    throw new FormError('the interval must be written as INTERVAL int64_expression date_part')
  }
  const count = /^bq_interval_of\((.*), \d+, \d+, \d+\)$/s.exec(sql)?.[1]
  return { count: count ?? `(bq_interval_${unit.of}(${sql}) // ${unit.size})`, part: part.word }
}

const interval: Form = call => {
  const [value, part, to] = call.sql as readonly [string, string, string | null | undefined]
  if (call.args[0]!.type.kind === 'STRING') return `bq_interval_from_text(${value}, '${part}', '${to ?? ''}')`
  const { of, size } = unitOf(part)!
  const sizes = { months: 0, days: 0, micros: 0, [of]: size }
  return `bq_interval_of(${value}, ${sizes.months}, ${sizes.days}, ${sizes.micros})`
}

export const INTERVAL_FORMS: Forms = {
  $interval: interval,
  MAKE_INTERVAL: ({ sql }) => {
    const [years, months, days, hours, minutes, seconds] = sql.map(value => value ?? '0')
    return `bq_interval(${years} * 12 + ${months}, ${days}, ${hours} * 3600000000 + ${minutes} * 60000000 + ${seconds} * 1000000)`
  },
  JUSTIFY_DAYS: ({ sql }) => `bq_justify_days(${sql[0]})`,
  JUSTIFY_HOURS: ({ sql }) => `bq_justify_hours(${sql[0]})`,
  JUSTIFY_INTERVAL: ({ sql }) => `bq_justify_interval(${sql[0]})`,
}
