/**
 * DuckDB SQL of DATE, DATETIME, TIME and TIMESTAMP, from parts, from each other and from numbers, and of the current time.
 */

import { datetimeLiteral, timestampLiteral } from '../../../googlesql/values/literals.js'
import { kindOf, type SqlWriter, type SqlWriters, type WriterCall } from '../function-sql.js'
import { civilSql, instantSql, zoneOf } from './time-zones.js'

/** The civil time of argument 0, a TIMESTAMP, in the zone of argument 1. */
const civil = (call: WriterCall): string => civilSql(call.sql[0]!, zoneOf(call.args[1], call.sql[1]))

const date: SqlWriter = call => {
  if (call.sql.length === 3) return `bq_make_date(${call.sql.join(', ')})`
  const kind = kindOf(call, 0)
  if (kind === 'DATE') return call.sql[0]!
  // A text is read as a TIMESTAMP, so its zone affects the date.
  if (kind === 'STRING') return `CAST(bq_utc(bq_text_to_timestamp(${call.sql[0]})) AS DATE)`
  return `CAST(${kind === 'TIMESTAMP' ? civil(call) : call.sql[0]} AS DATE)`
}

const datetime: SqlWriter = call => {
  if (call.sql.length === 6) return `bq_make_datetime(${call.sql.join(', ')})`
  switch (kindOf(call, 0)) {
    case 'TIMESTAMP':
      return civil(call)
    case 'DATE':
      return call.args[1]?.type.kind === 'TIME'
        ? `(${call.sql[0]} + ${call.sql[1]})`
        : `CAST(${call.sql[0]} AS TIMESTAMP)`
    case 'STRING':
      return textDatetime(call)
    default:
      return call.sql[0]!
  }
}

const time: SqlWriter = call => {
  if (call.sql.length === 3) return `bq_make_time(${call.sql.join(', ')})`
  const kind = kindOf(call, 0)
  if (kind === 'TIME') return call.sql[0]!
  return `CAST(${kind === 'TIMESTAMP' ? civil(call) : call.sql[0]} AS TIME)`
}

const timestamp: SqlWriter = call => {
  const zone = zoneOf(call.args[1], call.sql[1])
  switch (kindOf(call, 0)) {
    case 'TIMESTAMP':
      return call.sql[0]!
    case 'STRING':
      return textTimestamp(call)
    case 'DATE':
      return instantSql(`CAST(${call.sql[0]} AS TIMESTAMP)`, zone)
    default:
      return instantSql(call.sql[0]!, zone)
  }
}

function textDatetime(call: WriterCall): string {
  const literal = literalOf(call, datetimeLiteral)
  return literal === null ? `bq_text_to_datetime(${call.sql[0]})` : `TIMESTAMP '${literal}'`
}

/**
 * Applies `read` to argument 0 where it is a text literal; null for any other expression, and for a text that `read` refuses.
 */
function literalOf({ args: [text] }: WriterCall, read: (text: string) => string | null): string | null {
  return text?.kind === 'literal' && typeof text.value === 'string' ? read(text.value) : null
}

function textTimestamp(call: WriterCall): string {
  if (call.sql[1]) return `bq_timestamp(bq_timestamp_from_text(${call.sql[0]}, ${call.sql[1]}))`
  const literal = literalOf(call, timestampLiteral)
  return literal === null ? `bq_text_to_timestamp(${call.sql[0]})` : `TIMESTAMPTZ '${literal}'`
}

/**
 * TIMESTAMP_SECONDS, TIMESTAMP_MILLIS, TIMESTAMP_MICROS and the TIMESTAMP_FROM_UNIX functions. The latter also accept a
 * TIMESTAMP, and return it unchanged.
 */
const fromUnix =
  (unit: number): SqlWriter =>
  call =>
    kindOf(call, 0) === 'TIMESTAMP' ? call.sql[0]! : `bq_scaled_timestamp(${call.sql[0]}, ${unit})`

const unix =
  (unit: number): SqlWriter =>
  ({ sql }) =>
    unit === 1 ? `epoch_us(${sql[0]})` : `bq_floor_div(epoch_us(${sql[0]}), ${unit})`

/** The current time, which for every call in a query is the start of the query. */
const current =
  (type: string): SqlWriter =>
  call =>
    `CAST(${civilSql('now()', zoneOf(call.args[0], call.sql[0]))} AS ${type})`

export const CONSTRUCT_WRITERS: SqlWriters = {
  DATE: date,
  DATETIME: datetime,
  TIME: time,
  TIMESTAMP: timestamp,
  CURRENT_DATE: current('DATE'),
  CURRENT_DATETIME: current('TIMESTAMP'),
  CURRENT_TIME: current('TIME'),
  CURRENT_TIMESTAMP: () => 'now()',
  DATE_FROM_UNIX_DATE: ({ sql }) => `bq_date(${sql[0]})`,
  TIMESTAMP_SECONDS: fromUnix(1_000_000),
  TIMESTAMP_MILLIS: fromUnix(1_000),
  TIMESTAMP_MICROS: fromUnix(1),
  TIMESTAMP_FROM_UNIX_SECONDS: fromUnix(1_000_000),
  TIMESTAMP_FROM_UNIX_MILLIS: fromUnix(1_000),
  TIMESTAMP_FROM_UNIX_MICROS: fromUnix(1),
  UNIX_DATE: ({ sql }) => `bq_days(${sql[0]})`,
  UNIX_SECONDS: unix(1_000_000),
  UNIX_MILLIS: unix(1_000),
  UNIX_MICROS: unix(1),
}
