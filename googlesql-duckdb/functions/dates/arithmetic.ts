/** Additions, differences, arrays and buckets of dates and times as DuckDB SQL. */
import type { Expr } from '../../../googlesql/plan/nodes.js'
import { quoteText } from '../../emit/quote.js'
import {
  type FunctionSql,
  kindOf,
  ofParts,
  PLAIN,
  type SqlWriter,
  type SqlWriters,
  type WriterCall,
} from '../function-sql.js'
import { writtenInt64, writtenMicros } from '../intervals.js'
import { DAY_MICROS, firstWeekday, microsOf, type Unit, unitOf } from './units.js'

/** The start of the error message, `Adding 1 DAY to date `, as SQL; the macro appends the value. */
function messageStart(call: WriterCall, sign: 1 | -1, count: string, part: string): string {
  const [start, end] = wordsAroundCount(call, sign, part)
  return `${quoteText(start)} || ${count} || ${quoteText(end)}`
}

function wordsAroundCount(call: WriterCall, sign: 1 | -1, part: string): readonly [start: string, end: string] {
  const [verb, link] = sign === 1 ? ['Adding', 'to'] : ['Subtracting', 'from']
  return [`${verb} `, ` ${part} ${link} ${kindOf(call, 0).toLowerCase()} `]
}

/** Adds an `INTERVAL n PART`, or subtracts it for sign -1. */
const add =
  (sign: 1 | -1): SqlWriter =>
  call => {
    const [value, count, part] = call.sql as readonly [string, string, string]
    const unit = unitOf(part)!
    const { base } = unit
    const size = String(sign * unit.size)
    const message = messageStart(call, sign, count, part)
    const shift = base === 'months' ? null : shiftOf(call.args[1]!, micros(unit) * sign)
    if (shift !== null && (kindOf(call, 0) === 'DATETIME' || kindOf(call, 0) === 'TIMESTAMP')) {
      const words = quoteText(wordsAroundCount(call, sign, part).join(shift.count))
      return `bq_${kindOf(call, 0).toLowerCase()}_shift(${value}, ${shift.micros}::BIGINT, ${words})`
    }
    switch (kindOf(call, 0)) {
      case 'DATE':
        return `bq_date_add_${base}(${value}, ${count}, ${size}, ${message})`
      case 'DATETIME':
        if (base === 'months') return `bq_datetime_add_months(${value}, ${count}, ${size}, ${message})`
        return `bq_datetime_add(${value}, ${count}, ${micros(unit)}, ${sign}, ${message})`
      case 'TIME':
        return `bq_time_add(${value}, ${count}, ${micros(unit)}, ${sign})`
      default:
        return `bq_timestamp_add(${value}, ${count}, ${micros(unit)}, ${sign}, ${message})`
    }
  }

/** The literal count, and that count in microseconds; null for any other count, and for a count that could overflow. */
function shiftOf(count: Expr, unit: number): { readonly count: string; readonly micros: bigint } | null {
  const literal = writtenInt64(count)
  if (literal === null) return null
  const total = literal * BigInt(unit)
  return total <= MAX_SHIFT && total >= -MAX_SHIFT ? { count: String(literal), micros: total } : null
}

/** 20,000 years in microseconds: more than the range of the types. */
const MAX_SHIFT = 20_000n * 366n * BigInt(DAY_MICROS)

const micros = (unit: Unit): number => (unit.base === 'days' ? unit.size * DAY_MICROS : unit.size)

/** The number of part boundaries between two DATEs. */
function dateDiff(end: string, start: string, part: string): string {
  const weekday = firstWeekday(part)
  if (weekday !== undefined) return `(bq_week_index(${end}, ${weekday}) - bq_week_index(${start}, ${weekday}))`
  return DATE_DIFFS[part]?.(end, start) ?? `(year(${end}) - year(${start}))`
}

const DATE_DIFFS: Readonly<Record<string, (end: string, start: string) => string>> = {
  DAY: (end, start) => `(${end} - ${start})`,
  MONTH: (end, start) => `((year(${end}) - year(${start})) * 12 + month(${end}) - month(${start}))`,
  QUARTER: (end, start) => `((year(${end}) - year(${start})) * 4 + quarter(${end}) - quarter(${start}))`,
  ISOYEAR: (end, start) => `(isoyear(${end}) - isoyear(${start}))`,
}

/** The number of boundaries between two times, where a part has `size` microseconds. */
const boundaryCount = (end: string, start: string, size: number): string =>
  size === 1
    ? `(epoch_us(${end}) - epoch_us(${start}))`
    : `(bq_floor_div(epoch_us(${end}), ${size}) - bq_floor_div(epoch_us(${start}), ${size}))`

const diff: SqlWriter = call => {
  const [end, start, part] = call.sql as readonly [string, string, string]
  const size = microsOf(part)
  switch (kindOf(call, 0)) {
    case 'DATE':
      return dateDiff(end, start, part)
    case 'DATETIME':
      if (size !== undefined && part !== 'DAY') return boundaryCount(end, start, size)
      return dateDiff(`CAST(${end} AS DATE)`, `CAST(${start} AS DATE)`, part)
    case 'TIME':
      return boundaryCount(end, start, size!)
    default:
      // TIMESTAMP_DIFF counts whole parts, not boundaries.
      return `((epoch_us(${end}) - epoch_us(${start})) // ${size})`
  }
}

const dateArray: SqlWriter = call => {
  const [start, end, count, part] = call.sql as readonly [string, string, string | null | undefined, string]
  if (count === null || count === undefined) return `bq_date_array(${start}, ${end}, 1, 1)`
  const unit = unitOf(part)!
  const macro = unit.base === 'months' ? 'bq_date_array_months' : 'bq_date_array'
  return `${macro}(${start}, ${end}, ${count}, ${unit.size})`
}

const timestampArray: SqlWriter = ({ sql: [start, end, count, part] }) =>
  `bq_timestamp_array(${start}, ${end}, ${count}, ${microsOf(part!)})`

const ORIGINS: Readonly<Record<string, string>> = {
  DATE: "DATE '1950-01-01'",
  DATETIME: "TIMESTAMP '1950-01-01 00:00:00'",
  TIMESTAMP: "TIMESTAMPTZ '1950-01-01 00:00:00+00'",
}

const bucket: SqlWriter = call => {
  const kind = kindOf(call, 0)
  const [value, width] = call.sql as readonly [string, string]
  const origin = call.sql[2] ?? ORIGINS[kind]!
  const micros = writtenMicros(call.args[1]!)
  if (micros === null || micros <= 0n) return `bq_${kind.toLowerCase()}_bucket(${value}, ${width}, ${origin})`
  if (kind === 'TIMESTAMP') return `bq_timestamp(bq_bucket_micros(epoch_us(${value}), ${micros}, epoch_us(${origin})))`
  if (kind === 'DATETIME') return `bq_datetime(bq_bucket_micros(epoch_us(${value}), ${micros}, epoch_us(${origin})))`
  const days = micros / BigInt(DAY_MICROS)
  // A width in hours is not valid for a DATE, even where it is a number of whole days.
  return isOfDays(call.args[1]!)
    ? `bq_date(bq_bucket_micros(bq_days(${value}), ${days}, bq_days(${origin})))`
    : `bq_date_bucket(${value}, ${width}, ${origin})`
}

function isOfDays(interval: Expr): boolean {
  const part = interval.kind === 'call' ? interval.arguments[1] : null
  return part?.kind === 'word' && unitOf(part.word)?.base === 'days'
}

const byInterval = (write: SqlWriter): FunctionSql => ({ ...PLAIN, write, takesIntervalParts: true })
const addition = (sign: 1 | -1): FunctionSql => ({ ...byInterval(add(sign)), isNullFor: 'first' })

export const ARITHMETIC_WRITERS: SqlWriters = {
  DATE_ADD: addition(1),
  DATE_SUB: addition(-1),
  DATETIME_ADD: addition(1),
  DATETIME_SUB: addition(-1),
  TIME_ADD: addition(1),
  TIME_SUB: addition(-1),
  TIMESTAMP_ADD: addition(1),
  TIMESTAMP_SUB: addition(-1),
  DATE_DIFF: ofParts(diff),
  DATETIME_DIFF: ofParts(diff),
  TIME_DIFF: ofParts(diff),
  TIMESTAMP_DIFF: ofParts(diff),
  GENERATE_DATE_ARRAY: byInterval(dateArray),
  GENERATE_TIMESTAMP_ARRAY: byInterval(timestampArray),
  DATE_BUCKET: bucket,
  DATETIME_BUCKET: bucket,
  TIMESTAMP_BUCKET: bucket,
  ADD_MONTHS: ({ sql, args }) =>
    args[0]!.type.kind === 'DATE'
      ? `bq_add_months(${sql[0]}, ${sql[1]})`
      : `bq_datetime_add_whole_months(${sql[0]}, ${sql[1]})`,
  MONTHS_BETWEEN: ({ sql }) => `bq_months_between(CAST(${sql[0]} AS TIMESTAMP), CAST(${sql[1]} AS TIMESTAMP))`,
  NEXT_DAY: ({ sql }) => `bq_next_day(CAST(${sql[0]} AS DATE), ${sql[1]})`,
}
