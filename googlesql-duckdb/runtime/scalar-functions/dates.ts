/** Scalar functions of the date and time family. */
import { civilFromDays, daysFromCivil, monthsLater } from '../../../googlesql/values/civil-date.js'
import { datetimeText } from '../../../googlesql/values/civil-text.js'
import { zonedTimestampMicros } from '../../../googlesql/values/literals.js'
import { CAST_BYTES_SCALAR_FUNCTIONS } from './cast-format/bytes.js'
import { CAST_NUMBER_SCALAR_FUNCTIONS } from './cast-format/numbers.js'
import { CAST_TIME_SCALAR_FUNCTIONS } from './cast-format/times.js'
import { FORMAT_TIME_SCALAR_FUNCTIONS } from './dates/format-time.js'
import { PARSE_TIME_SCALAR_FUNCTIONS } from './dates/parse-time.js'
import { TIME_ZONE_SCALAR_FUNCTIONS, timeZone } from './dates/time-zones.js'
import { INTERVAL_SCALAR_FUNCTIONS } from './intervals.js'
import { fail, type ScalarFunction, scalar } from './scalar-function.js'

/**
 * A series of dates as days since 1970: from `first` in steps of `count` * `unit` months, up to `last`. Each date is computed
 * from the previous one. The series has at least one date.
 */
function monthSeries(first: bigint, last: bigint, count: bigint, unit: bigint): bigint[] {
  const months = Number(count * unit)
  const days: bigint[] = []
  let date = civilFromDays(Number(first))
  for (let next = first; months > 0 ? next <= last : next >= last; ) {
    days.push(next)
    date = monthsLater(date, months)
    if (date.year < 1 || date.year > 9999) break
    next = BigInt(daysFromCivil(date.year, date.month, date.day))
  }
  return days
}

export const DATE_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_month_series', ['BIGINT', 'BIGINT', 'BIGINT', 'BIGINT'], 'BIGINT[]', monthSeries),
  ...TIME_ZONE_SCALAR_FUNCTIONS,
  ...FORMAT_TIME_SCALAR_FUNCTIONS,
  ...PARSE_TIME_SCALAR_FUNCTIONS,
  ...INTERVAL_SCALAR_FUNCTIONS,
  ...CAST_TIME_SCALAR_FUNCTIONS,
  ...CAST_NUMBER_SCALAR_FUNCTIONS,
  ...CAST_BYTES_SCALAR_FUNCTIONS,
  // Parameters: the message before the value, the value in microseconds, and the text after it. If SQL composed this message,
  // planning that SQL would take longer than planning the rest of the query.
  scalar('bq_overflow', ['VARCHAR', 'BIGINT', 'VARCHAR'], 'BIGINT', (messageStart, micros, zone) => {
    fail(`${messageStart}${datetimeText(micros)?.replace('T', ' ')}${zone} causes overflow`)
  }),
  // Parameters: a text that contains no zone, and the zone. Returns the instant in microseconds.
  scalar('bq_timestamp_from_text', ['VARCHAR', 'VARCHAR'], 'BIGINT', (text, zone) => {
    const micros = zonedTimestampMicros(text, timeZone(zone))
    if (micros === null) fail(`Invalid timestamp: '${text}'`)
    return micros
  }),
]
