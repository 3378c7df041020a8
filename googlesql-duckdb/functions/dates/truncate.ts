/** DuckDB SQL of the DATE_TRUNC family, LAST_DAY and EXTRACT. */
import { INTERVAL_PARTS } from '../../../googlesql/functions/definitions/date-parts.js'
import { heavyOperator, kindOf, ofParts, type SqlWriter, type SqlWriters, type WriterCall } from '../function-sql.js'
import { checkedZoneSql, civilSql, instantSql, zoneOf } from './time-zones.js'
import { DAY_MICROS, firstWeekday, microsOf } from './units.js'

function truncatedDate(date: string, part: string): string {
  const weekday = firstWeekday(part)
  if (weekday !== undefined) return `bq_week_start(${date}, ${weekday})`
  if (part === 'DAY') return date
  if (part === 'ISOYEAR') return `bq_isoyear_start(${date})`
  return `CAST(date_trunc('${part.toLowerCase()}', ${date}) AS DATE)`
}

function truncatedDatetime(datetime: string, part: string): string {
  if (part === 'MICROSECOND') return datetime
  const isPlain = microsOf(part) !== undefined || ['MONTH', 'QUARTER', 'YEAR'].includes(part)
  if (isPlain) return `date_trunc('${part.toLowerCase()}', ${datetime})`
  return `CAST(${truncatedDate(`CAST(${datetime} AS DATE)`, part)} AS TIMESTAMP)`
}

function truncatedTimestamp(call: WriterCall): string {
  const [timestamp, part] = call.sql as readonly [string, string]
  const zone = zoneOf(call.args[2], call.sql[2])
  const micros = microsOf(part)
  if (part === 'MICROSECOND') return checkedZoneSql(timestamp, zone)
  // The offset of a zone is always a number of whole seconds.
  if (part === 'MILLISECOND' || part === 'SECOND' || (zone.kind === 'utc' && micros !== undefined)) {
    return `make_timestamptz(bq_floor_part(epoch_us(${checkedZoneSql(timestamp, zone)}), ${micros}))`
  }
  const civil = civilSql(timestamp, zone)
  // Minutes and hours are truncated on the zone's clock. The remainder is subtracted from the instant, so that no civil time
  // has to be converted back.
  if (micros !== undefined && micros < DAY_MICROS) {
    return `make_timestamptz(epoch_us(${timestamp}) - (epoch_us(${civil}) - bq_floor_part(epoch_us(${civil}), ${micros})))`
  }
  return instantSql(truncatedDatetime(civil, part), zone)
}

const truncate: SqlWriter = call => {
  const [value, part] = call.sql as readonly [string, string]
  switch (kindOf(call, 0)) {
    case 'DATE':
      return truncatedDate(value, part)
    case 'TIMESTAMP':
      return truncatedTimestamp(call)
    case 'TIME':
      return part === 'MICROSECOND' ? value : `bq_time(bq_floor_part(epoch_us(${value}), ${microsOf(part)}))`
    default:
      return truncatedDatetime(value, part)
  }
}

const lastDay: SqlWriter = call => {
  const part = call.sql[1] ?? 'MONTH'
  const date = kindOf(call, 0) === 'DATE' ? call.sql[0]! : `CAST(${call.sql[0]} AS DATE)`
  const weekday = firstWeekday(part)
  if (weekday !== undefined) return `bq_date(bq_week_day(${date}, ${weekday}) + 6)`
  return LAST_DAYS[part]?.(date) ?? `bq_isoyear_last(${date})`
}

const LAST_DAYS: Readonly<Record<string, (date: string) => string>> = {
  MONTH: date => `last_day(${date})`,
  QUARTER: date => `last_day(CAST(date_trunc('quarter', ${date}) AS DATE) + INTERVAL 2 MONTH)`,
  YEAR: date => `make_date(year(${date}), 12, 31)`,
}

/** Parts for which DuckDB has an equal function of this name, for a DATE, TIMESTAMP (without time zone) or TIME. */
const PART_FUNCTIONS = 'YEAR QUARTER MONTH DAY HOUR MINUTE SECOND DAYOFYEAR ISOYEAR'.split(' ')

const EXTRACTIONS: Readonly<Record<string, (value: string) => string>> = {
  ISOWEEK: value => `week(${value})`,
  DAYOFWEEK: value => `(dayofweek(${value}) + 1)`,
  // DuckDB's functions count milliseconds and microseconds from the start of the minute.
  MILLISECOND: value => `(millisecond(${value}) % 1000)`,
  MICROSECOND: value => `(microsecond(${value}) % 1000000)`,
  DATE: value => `CAST(${value} AS DATE)`,
  TIME: value => `CAST(${value} AS TIME)`,
  DATETIME: value => value,
}

/** A part of a civil value, which is a DATE, a TIMESTAMP (without time zone) or a TIME. */
function extractSql(part: string, value: string): string {
  if (PART_FUNCTIONS.includes(part)) return `${part.toLowerCase()}(${value})`
  return EXTRACTIONS[part]?.(value) ?? `bq_week_number(${value}, ${firstWeekday(part)})`
}

const INTERVAL_WRITERS: Readonly<Record<string, (i: string) => string>> = {
  SECOND: i => `(bq_interval_micros(${i}) // 1000000 % 60)`,
  MILLISECOND: i => `(bq_interval_micros(${i}) // 1000 % 1000)`,
  MICROSECOND: i => `(bq_interval_micros(${i}) % 1000000)`,
}

function intervalPart(part: string, value: string): string {
  if (Object.hasOwn(INTERVAL_WRITERS, part)) return INTERVAL_WRITERS[part]!(value)
  if (INTERVAL_PARTS.includes(part)) return `datepart('${part.toLowerCase()}', ${value})`
  return `CAST(bq_raise_for(${value}, 'Unsupported date part ${part} in EXTRACT FROM INTERVAL') AS BIGINT)`
}

/** The arguments are the part, the value and the zone. */
const extract: SqlWriter = call => {
  const [part, value] = call.sql as readonly [string, string]
  switch (kindOf(call, 1)) {
    case 'TIMESTAMP': {
      const zone = zoneOf(call.args[2], call.sql[2])
      const micros = microsOf(part)
      // Parts that the zone does not change are read from the instant. A named zone may have an offset with seconds, but not
      // with fractions of a second.
      const offsetStep = zone.kind === 'utc' || zone.kind === 'offset' ? 60_000_000 : 1_000_000
      if (micros !== undefined && micros < offsetStep) return extractSql(part, `bq_utc(${checkedZoneSql(value, zone)})`)
      return extractSql(part, civilSql(value, zone))
    }
    case 'INTERVAL':
      return intervalPart(part, value)
    default:
      return extractSql(part, value)
  }
}

export const TRUNC_WRITERS: SqlWriters = {
  DATE_TRUNC: ofParts(truncate),
  DATETIME_TRUNC: ofParts(truncate),
  TIMESTAMP_TRUNC: ofParts(truncate),
  TIME_TRUNC: ofParts(truncate),
  LAST_DAY: lastDay,
  $extract: heavyOperator(extract),
}
