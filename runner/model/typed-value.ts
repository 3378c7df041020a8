/** Argument text → typed value in canonical form, so that equivalent spellings are one argument and share a cache key. */
import { canonicalJson, dateText, isTimeZone, numericLiteral, TIME_ZONE_NAMES, timeText } from '../../googlesql/data.js'
import type { ScalarParameterType, ScalarValue } from './param.js'
import { didYouMean } from './suggest.js'

/** A typed value, or why the text is refused. `detail` says what was expected and never quotes the text. */
export type TypedValue =
  | { readonly ok: true; readonly value: ScalarValue }
  | { readonly ok: false; readonly detail: string }

/** The longest text of every type but string and json: longer than any number that a program writes, short enough to read at once. */
export const MAX_TYPED_LENGTH = 2_000
/** No name of a time zone is longer; a longer text is not compared with the names. */
const MAX_ZONE_LENGTH = 32

/** Types one scalar into the canonical form that `ScalarValue` documents. Every type but string refuses the empty text. */
export function typeScalar(type: ScalarParameterType, text: string): TypedValue {
  if (type !== 'string' && type !== 'json' && text.length > MAX_TYPED_LENGTH) {
    return refuse(`must be at most ${MAX_TYPED_LENGTH} characters long`)
  }
  return READERS[type](text)
}

/** Negative, zero or positive, by the order of the type; both values must be typed as `type`. */
export function compareValues(type: ScalarParameterType, a: ScalarValue, b: ScalarValue): number {
  if (type === 'int64') return compare(BigInt(a as string), BigInt(b as string))
  if (type === 'numeric' || type === 'bignumeric') return compareDecimals(a as string, b as string)
  // '.' sorts before 'Z', so 12:00:00.5Z would sort before 12:00:00Z.
  if (type === 'timestamp') return compare((a as string).slice(0, -1), (b as string).slice(0, -1))
  return compare(a as string | number | boolean, b as string | number | boolean)
}

/** Microseconds since 1970 of a valid `timestamp` argument; null for any other text. */
export function readTimestamp(text: string): bigint | null {
  const typed = typeTimestamp(text)
  if (!typed.ok) return null
  const [seconds = '', fraction = ''] = (typed.value as string).slice(0, -1).split('.')
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

const accept = (value: ScalarValue): TypedValue => ({ ok: true, value })
const refuse = (detail: string): TypedValue => ({ ok: false, detail })

const READERS: Readonly<Record<ScalarParameterType, (text: string) => TypedValue>> = {
  string: accept,
  int64: typeInt64,
  float64: typeFloat64,
  numeric: text => typeDecimal(text, 'NUMERIC', 'at most 29 digits before the point and 9 behind it'),
  bignumeric: text => typeDecimal(text, 'BIGNUMERIC', 'at most 39 digits before the point and 38 behind it'),
  bool: text =>
    /^(true|false)$/i.test(text) ? accept(text.toLowerCase() === 'true') : refuse('must be true or false'),
  date: typeDate,
  time: typeTime,
  datetime: typeDatetime,
  timestamp: typeTimestamp,
  uuid: text =>
    isUuid(text) ? accept(text.toLowerCase()) : refuse('must be a UUID like 5b3d9a52-8c1e-4f0a-9d67-2e4c1b7a9f30'),
  timezone: typeTimeZone,
  json: typeJson,
}

/** Whether a text is a UUID, in upper or lower case. */
export const isUuid = (text: string): boolean => UUID.test(text)

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function compare<T extends bigint | string | number | boolean>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function typeInt64(text: string): TypedValue {
  if (!/^[+-]?\d+$/.test(text)) return refuse('must be an integer')
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  if (BigInt.asIntN(64, value) !== value) {
    return refuse('must be between -9223372036854775808 and 9223372036854775807')
  }
  return accept(value.toString())
}

function typeFloat64(text: string): TypedValue {
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return refuse('must be a decimal number')
  const value = Number(text)
  if (!Number.isFinite(value)) return refuse('must be within the range of FLOAT64')
  return accept(value === 0 ? 0 : value) // -0 and 0 are one argument and share a cache key.
}

function typeDecimal(text: string, kind: 'NUMERIC' | 'BIGNUMERIC', digits: string): TypedValue {
  const value = /\s/.test(text) ? null : numericLiteral(text, kind)
  return value === null ? refuse(`must be a decimal number of ${digits}`) : accept(value)
}

/** Compares the canonical texts, because making a BigInt of each would take a microsecond. */
function compareDecimals(a: string, b: string): number {
  const [isANegative, isBNegative] = [a.startsWith('-'), b.startsWith('-')]
  if (isANegative !== isBNegative) return isANegative ? -1 : 1
  if (isANegative) return compareDecimals(b.slice(1), a.slice(1))
  const [wholeA = '', fractionA = ''] = a.split('.')
  const [wholeB = '', fractionB = ''] = b.split('.')
  // Canonical texts have no redundant zeros: a longer whole part is greater, and whole parts of one length and fractions compare as text.
  return compare(wholeA.length, wholeB.length) || compare(wholeA, wholeB) || compare(fractionA, fractionB)
}

function typeTimeZone(text: string): TypedValue {
  if (isTimeZone(text)) return accept(text)
  const near = didYouMean(text.slice(0, MAX_ZONE_LENGTH), text.length > MAX_ZONE_LENGTH ? [] : TIME_ZONE_NAMES)
  return refuse(`must be a time zone like Europe/Berlin, or an offset like +02:00${near.hint}`)
}

/** An escape, in canonical JSON, of a character that no text may have. */
const BAD_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/
const JSON_FORM =
  'must be JSON without NUL characters, without unpaired surrogates, and without numbers that would lose digits'

/** GoogleSQL's JSON must keep every number exactly. */
function typeJson(text: string): TypedValue {
  const canonical = canonicalJson(text, 'exact')
  return 'text' in canonical && !BAD_ESCAPE.test(canonical.text) ? accept(canonical.text) : refuse(JSON_FORM)
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
/** A day that every month has. */
const PLAIN_DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/
/** The date, the hour, the minute, the second, the digits of its fraction, and the offset. */
const DATETIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/
const SPACE_FOR_SIGN = /\d:\d{2}(:\d{2}(\.\d+)?)? \d{2}(:?\d{2})?$/
const SPACE_FOR_SIGN_DETAIL = 'holds a space where an offset begins: a + in a URL must be written %2B'

const DATE_FORM = 'must be a date like 2026-01-31, of the years 1 to 9999'
const TIME_FORM = 'must be a time of day like 12:00:00'
const DATETIME_FORM = 'must be a date and time like 2026-01-31T12:00:00, without an offset'
const TIMESTAMP_FORM = 'must be an ISO 8601 date and time like 2026-01-31T12:00:00Z'

/** The date's own text when it names a day of the calendar. */
function typeDate(text: string): TypedValue {
  // Date takes the 30th of February for a day of March. Its day is NaN where the text is not a date.
  const isDay = PLAIN_DATE.test(text) || (DATE.test(text) && new Date(text).getUTCDate() === Number(text.slice(8)))
  return isDay && !text.startsWith('0000') ? accept(text) : refuse(DATE_FORM)
}

function typeTime(text: string): TypedValue {
  // A time of day is read as one of 1970-01-01. It may have neither a date nor an offset.
  const parts = splitDatetime(`1970-01-01T${text}`, TIME_FORM)
  if ('detail' in parts) return refuse(parts.detail)
  return parts.offset === '' ? accept(`${parts.time}${parts.fraction}`) : refuse(TIME_FORM)
}

function typeDatetime(text: string): TypedValue {
  const parts = splitDatetime(text, DATETIME_FORM)
  if ('detail' in parts) return refuse(parts.detail)
  return parts.offset === '' ? accept(`${parts.date}T${parts.time}${parts.fraction}`) : refuse(DATETIME_FORM)
}

function typeTimestamp(text: string): TypedValue {
  const parts = splitDatetime(text, TIMESTAMP_FORM)
  if ('detail' in parts) return refuse(SPACE_FOR_SIGN.test(text) ? SPACE_FOR_SIGN_DETAIL : parts.detail)
  const { date, time, fraction, offset } = parts
  if (offset !== '' && !parts.hasTime) return refuse(TIMESTAMP_FORM)
  const minutes = offsetMinutes(offset)
  if (minutes === null) return refuse(`${TIMESTAMP_FORM}; an offset is at most 14:00`)
  if (minutes === 0) return accept(`${date}T${time}${fraction}Z`)
  // The minutes in UTC since the written day began: negative on the day before, 1,440 or more on the day after.
  const minute = Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5)) - minutes
  const days = Math.floor(minute / MINUTES_PER_DAY)
  const day = days === 0 ? date : dateText(Date.parse(date) / MS_PER_DAY + days)
  if (day === undefined) return refuse('must be within the years 1 to 9999 in UTC')
  const clock = timeText((minute - days * MINUTES_PER_DAY) * 60_000_000).slice(0, 5)
  return accept(`${day}T${clock}${time.slice(5)}${fraction}Z`)
}

const MINUTES_PER_DAY = 1_440
const MS_PER_DAY = 86_400_000

/** East is positive; null beyond ±14:00, as in BigQuery. */
function offsetMinutes(offset: string): number | null {
  if (offset === '' || offset === 'Z') return 0
  const digits = offset.slice(1).replace(':', '')
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))]
  if (minutes > 59 || hours * 60 + minutes > 14 * 60) return null
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/**
 * The parts of a date and time. The fraction has its point and no trailing zeros, '' for a whole second; the offset is as it is
 * written, '' for none. `detail` says why a text is not a date and time.
 */
function splitDatetime(text: string, form: string) {
  const match = DATETIME.exec(text)
  const date = match?.[1] ?? text.slice(0, 10)
  if (!typeDate(date).ok)
    return { detail: DATE.test(date) ? 'must be a day that the calendar has, of the years 1 to 9999' : form }
  if (!match) return { detail: form }
  const [, , hour = '00', minute = '00', second = '00', digits = '', offset = ''] = match
  if (hour > '23' || minute > '59' || second > '59') return { detail: 'must be a time of day up to 23:59:59' }
  if (digits.length > 6) return { detail: 'must have at most six fractional digits' }
  const fraction = digits.endsWith('0') ? digits.replace(/0+$/, '') : digits
  const time = `${hour}:${minute}:${second}`
  return { date, time, fraction: fraction && `.${fraction}`, hasTime: match[2] !== undefined, offset }
}
