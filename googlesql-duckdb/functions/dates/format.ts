/** DuckDB SQL of the FORMAT_DATE and PARSE_DATE families, and of STRING for dates and times. */
import type { ScalarKind } from '../../../googlesql/types/types.js'
import { quoteText } from '../../emit/quote.js'
import type { SqlWriter, SqlWriters } from '../function-sql.js'
import { jsonString } from '../json.js'
import { civilSql, zoneOf, zoneText } from './time-zones.js'

/** The value in microseconds: since 1970 in UTC for a TIMESTAMP, in its own calendar for the other types. */
export function microsSql(value: string, kind: ScalarKind): string {
  return kind === 'DATE' ? `(bq_days(${value}) * 86400000000)` : `epoch_us(${value})`
}

/** The value of this type for microseconds as `microsSql` returns them. */
export function fromMicrosSql(micros: string, kind: ScalarKind): string {
  if (kind === 'DATE') return `CAST(make_timestamp(${micros}) AS DATE)`
  if (kind === 'TIME') return `bq_time(${micros})`
  return `make_timestamp${kind === 'DATETIME' ? '' : 'tz'}(${micros})`
}

/** The first year in which DuckDB's strftime writes four digits, as GoogleSQL does. */
const FIRST_SHARED_YEAR = 1000
/** The last year in which a zone (Monrovia) had an offset with seconds: GoogleSQL's formats leave the seconds out. */
const LAST_YEAR_OF_OFFSET_SECONDS = 1972

/** Format elements that DuckDB's strftime writes as GoogleSQL does from the year 1000 on, with DuckDB's element for each. */
const SHARED_ELEMENTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...'YmdHMSybBaAjpI%'].map(letter => [letter, `%${letter}`])),
  h: '%b',
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  R: '%H:%M',
  D: '%m/%d/%y',
  x: '%m/%d/%y',
}
const TIME_ELEMENTS = 'HMSpITXR'

/**
 * The format for DuckDB's strftime, where all elements of the format are in SHARED_ELEMENTS and exist for the type; else null.
 */
function sharedFormat(format: string, kind: ScalarKind): string | null {
  if (kind === 'TIME' || format.includes('\0')) return null
  let isShared = true
  const duckdbFormat = format.replace(/%(E4Y|E6S|.)?/gs, (_, element: string | undefined) => {
    if (element === 'E4Y') return '%Y'
    if (element === 'E6S' && kind !== 'DATE') return '%S.%f'
    const own = element !== undefined && Object.hasOwn(SHARED_ELEMENTS, element) ? SHARED_ELEMENTS[element] : undefined
    if (own === undefined || (kind === 'DATE' && TIME_ELEMENTS.includes(element!))) isShared = false
    return own ?? ''
  })
  return isShared ? duckdbFormat : null
}

/** The arguments are the format, the value and the zone. */
const format: SqlWriter = call => {
  const [formatSql, value] = call.sql as readonly [string, string]
  const kind = call.args[1]!.type.kind as ScalarKind
  const slow = `bq_format_time(${formatSql}, '${kind}', ${microsSql(value, kind)}, ${zoneText(zoneOf(call.args[2], call.sql[2]), call.sql[2])})`
  const literal = call.args[0]
  const zone = zoneOf(call.args[2], call.sql[2])
  if (literal?.kind !== 'literal' || typeof literal.value !== 'string' || zone.kind === 'dynamic') return slow
  const shared = sharedFormat(literal.value, kind)
  // strftime refuses an empty format.
  if (shared === null || shared === '') return slow
  const civil = kind === 'TIMESTAMP' ? civilSql(value, zone) : value
  const firstYear = kind === 'TIMESTAMP' && zone.kind === 'named' ? LAST_YEAR_OF_OFFSET_SECONDS + 1 : FIRST_SHARED_YEAR
  return `CASE WHEN year(${civil}) < ${firstYear} THEN ${slow} ELSE strftime(${civil}, ${quoteText(shared)}) END`
}

const parse =
  (kind: ScalarKind): SqlWriter =>
  call => {
    const [formatSql, text] = call.sql as readonly [string, string]
    const zone = zoneText(zoneOf(call.args[2], call.sql[2]), call.sql[2])
    const slow = fromMicrosSql(`bq_parse_time(${formatSql}, ${text}, '${kind}', ${zone})`, kind)
    const literal = call.args[0]
    const plain = literal?.kind === 'literal' ? PLAIN_DATES.get(String(literal.value)) : undefined
    if (kind !== 'DATE' || !plain) return slow
    const isPlain = `regexp_full_match(${text}, '${plain.pattern}') AND ${text} >= '0001'`
    return `coalesce(CASE WHEN ${isPlain} THEN CAST(try_strptime(${text}, '${plain.format}') AS DATE) END, ${slow})`
  }

/** Formats of dates that DuckDB reads as GoogleSQL does where the text has this pattern. */
const PLAIN_DATES: ReadonlyMap<string, { readonly pattern: string; readonly format: string }> = new Map([
  ['%Y%m%d', { pattern: '[0-9]{8}', format: '%Y%m%d' }],
  ['%Y-%m-%d', { pattern: '[0-9]{4}-[0-9]{2}-[0-9]{2}', format: '%Y-%m-%d' }],
  ['%F', { pattern: '[0-9]{4}-[0-9]{2}-[0-9]{2}', format: '%Y-%m-%d' }],
])

const toText: SqlWriter = call => {
  const value = call.sql[0]!
  switch (call.args[0]!.type.kind) {
    case 'DATE':
      return `CAST(${value} AS VARCHAR)`
    case 'TIME':
      return `bq_time_text(${value})`
    case 'DATETIME':
      return `bq_datetime_text(${value})`
    case 'TIMESTAMP': {
      const zone = zoneOf(call.args[1], call.sql[1])
      if (zone.kind === 'utc') return `bq_timestamp_text(${value})`
      return `bq_timestamp_text_in(epoch_us(${value}), ${zoneText(zone, call.sql[1])})`
    }
    default:
      return jsonString(call)
  }
}

export const FORMAT_WRITERS: SqlWriters = {
  FORMAT_DATE: format,
  FORMAT_DATETIME: format,
  FORMAT_TIME: format,
  FORMAT_TIMESTAMP: format,
  STRING: toText,
  PARSE_DATE: parse('DATE'),
  PARSE_DATETIME: parse('DATETIME'),
  PARSE_TIME: parse('TIME'),
  PARSE_TIMESTAMP: parse('TIMESTAMP'),
}
