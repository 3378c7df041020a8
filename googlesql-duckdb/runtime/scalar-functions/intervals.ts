/** Reads INTERVALs from texts and writes them as texts: `1-2 3 4:5:6.789`, parts of this form, and durations of ISO 8601. */
import { type IntervalParts, intervalText, readInterval } from '../../../googlesql/values/interval-text.js'
import { absolute } from './decimals.js'
import { fail, type ScalarFunction, scalar } from './scalar-function.js'

/** The months, days and microseconds of a text: see readInterval. @throws ScalarFunctionError for a text that is not valid. */
export function parseInterval(text: string, part: string, to: string): IntervalParts {
  const parts = readInterval(text, part, to)
  if (typeof parts === 'string') fail(parts)
  return parts
}

/** The ISO 8601 duration that JSON has for an INTERVAL, `P1Y2M-3DT4H5M6.789S`: parts that are 0 are left out. */
function intervalDuration(months: bigint, days: bigint, micros: bigint): string {
  const part = (amount: bigint, unit: string): string => (amount === 0n ? '' : `${amount}${unit}`)
  const date = part(months / 12n, 'Y') + part(months % 12n, 'M') + part(days, 'D')
  const clock = part(micros / 3_600_000_000n, 'H') + part((micros / 60_000_000n) % 60n, 'M')
  const seconds = micros % 60_000_000n
  const size = absolute(seconds)
  const fraction = String(size % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '')
  const digits = `${size / 1_000_000n}${fraction === '' ? '' : `.${fraction}`}`
  const time = clock + (seconds === 0n ? '' : `${seconds < 0n ? '-' : ''}${digits}S`)
  return date + time === '' ? 'P0Y' : `P${date}${time === '' ? '' : `T${time}`}`
}

export const INTERVAL_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  // Parameters: text, and the two parts, each '' when absent. Returns a list of months, days and microseconds.
  scalar('bq_parse_interval', ['VARCHAR', 'VARCHAR', 'VARCHAR'], 'BIGINT[]', parseInterval),
  scalar('bq_interval_text', ['BIGINT', 'BIGINT', 'BIGINT'], 'VARCHAR', intervalText),
  scalar('bq_duration_text', ['BIGINT', 'BIGINT', 'BIGINT'], 'VARCHAR', intervalDuration),
]
