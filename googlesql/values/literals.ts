/**
 * Values of literals from their text: the canonical text (see LiteralExpr), or null for a text that is not valid for the
 * type.
 */
import { daysFromCivil, FIRST_DAY, isValidDate, LAST_DAY } from './civil-date.js'
import { canonicalJson } from './json-text.js'
import { localToInstant, writtenOffset, zoneOffset } from './time-zone.js'

type Clock = NonNullable<ReturnType<typeof clockOf>>

const DATE_PART = /^(\d{4})-(\d{1,2})-(\d{1,2})/
/** A year may have five digits: with a leading 0, or as 10000, which a time zone can bring back into the range. */
const TIMESTAMP_DATE_PART = /^(\d{4,5})-(\d{1,2})-(\d{1,2})/
const TIME_PART = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6}))?/
const TIMESTAMP_FORM =
  /^\d{4,5}-\d{1,2}-\d{1,2}(?:[ Tt](?:\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d{1,6})?([Zz]|[+-].*| (?![+-]).*\S)?|([+-].*)))?$/s

/** A DATE: `2026-1-31` becomes `2026-01-31`. */
export function dateLiteral(text: string): string | null {
  const match = DATE_PART.exec(text)
  if (!match || match[0].length !== text.length) return null
  const start = midnight(match)
  return start === null || !isInRange(start) ? null : civilText(start).slice(0, 10)
}

/** A TIME: `9:05:00.500` becomes `09:05:00.5`. Second 60 becomes the first second of the next minute. */
export function timeLiteral(text: string): string | null {
  const match = TIME_PART.exec(text)
  const clock = match && match[0].length === text.length ? clockOf(match) : null
  return clock && civilText(secondOfDay(clock)).slice(11) + civilFraction(clock)
}

/** A DATETIME: `2026-01-31T12:00:00` becomes `2026-01-31 12:00:00`. */
export function datetimeLiteral(text: string): string | null {
  const local = localTime(text, DATE_PART)
  if (local?.rest !== '' || !isInRange(local.seconds)) return null
  return civilText(local.seconds) + civilFraction(local)
}

/**
 * A TIMESTAMP, as `2026-01-31 12:00:00+00`. The text may end with an offset, `Z`, `UTC` or a zone's name; otherwise it is
 * UTC.
 */
export function timestampLiteral(text: string): string | null {
  const local = localTime(text, TIMESTAMP_DATE_PART)
  if (!local) return null
  const instant = instantOf(local.seconds, local.rest)
  if (instant === null || !isInRange(instant)) return null
  return `${civilText(instant)}${fractionOf(local.micros)}+00`
}

/**
 * Microseconds since 1970 of a text without a zone, read in the zone of these offsets (see zoneOffset); null if not valid.
 */
export function zonedTimestampMicros(text: string, offsetAt: (instant: number) => number): bigint | null {
  const local = localTime(text, TIMESTAMP_DATE_PART)
  if (local?.rest !== '') return null
  const instant = localToInstant(local.seconds, offsetAt)
  return isInRange(instant) ? BigInt(instant) * 1_000_000n + BigInt(local.micros) : null
}

/** The message, in BigQuery's words, about a text that is not a valid TIMESTAMP. */
export function timestampRefusal(text: string): string {
  const match = TIMESTAMP_FORM.exec(text)
  if (!match) return `Invalid timestamp: '${text}'`
  const zone = match[1] ?? match[2] ?? ''
  if (instantOf(0, zone) === null) return `Invalid time zone: ${zone.replace(/^ /, '')}`
  return `Invalid timestamp string "${text}"`
}

/** A JSON value in its canonical form: integers of INT64 and UINT64 are exact, other numbers the nearest FLOAT64. */
export function jsonLiteral(text: string): string | null {
  const result = canonicalJson(text, 'round')
  return 'text' in result ? result.text : null
}

const NUMERIC_LIMITS = {
  NUMERIC: { scale: 9, max: 10n ** 38n - 1n, min: -(10n ** 38n - 1n) },
  BIGNUMERIC: { scale: 38, max: 2n ** 255n - 1n, min: -(2n ** 255n) },
} as const
/** The digits before the point of the largest NUMERIC, and of the largest BIGNUMERIC. */
const [MIN_LIMIT_DIGITS, MAX_WHOLE_DIGITS] = [29, 39]
const NUMBER = /^[ \t\n\v\f\r]*([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?[ \t\n\v\f\r]*$/

/**
 * A decimal number, with or without an exponent, as plain decimal text without superfluous zeros. A literal must not have more
 * digits after the point than the type; a `cast` rounds half away from zero. Null also for a number beyond the type's range.
 */
export function numericLiteral(
  text: string,
  kind: 'NUMERIC' | 'BIGNUMERIC' = 'NUMERIC',
  mode: 'literal' | 'cast' = 'literal',
): string | null {
  const match = NUMBER.exec(text)
  if (!match) return null
  const decimalPart = match[3] ?? match[4] ?? ''
  let digits = (match[2] ?? '') + decimalPart
  if (digits.startsWith('0')) digits = digits.replace(/^0+/, '')
  if (digits === '') return '0'
  const { scale, max, min } = NUMERIC_LIMITS[kind]
  // The value is digits × 10^-decimals.
  let decimals = decimalPart.length - Number(match[5] ?? 0)
  if (digits.length - decimals > MAX_WHOLE_DIGITS) return null
  if (decimals < 0) {
    digits += '0'.repeat(-decimals)
    decimals = 0
  } else if (decimals > scale) {
    const excess = decimals - scale
    if (mode === 'literal' && /[1-9]/.test(digits.slice(-excess))) return null
    digits = excess > digits.length ? '0' : roundDigits(digits, excess)
    decimals = scale
  }
  const plain = withPoint(digits, decimals)
  const value = match[1] === '-' && plain !== '0' ? `-${plain}` : plain
  // The value is compared as a BigInt only if it has enough digits to be out of range: a BigInt costs more than all the rest.
  if (digits.length - decimals < MIN_LIMIT_DIGITS) return value
  const units = decimalUnits(value, scale)
  return units > max || units < min ? null : value
}

/** The digits without the last `excess` of them, rounded half away from zero. */
function roundDigits(digits: string, excess: number): string {
  const kept = digits.slice(0, -excess)
  return digits.at(-excess)! < '5' ? kept || '0' : String(BigInt(kept) + 1n)
}

/** The decimal text, without superfluous zeros, of a count of units of 10^-scale. */
export function decimalText(scaled: bigint, scale: number): string {
  return scaled < 0n ? `-${withPoint(String(-scaled), scale)}` : withPoint(String(scaled), scale)
}

/** The digits with a point before the last `decimals` of them, without zeros at the end of the fraction. */
function withPoint(digits: string, decimals: number): string {
  if (decimals === 0) return digits
  const padded = digits.padStart(decimals + 1, '0')
  const fraction = padded.slice(-decimals)
  const kept = fraction.endsWith('0') ? fraction.replace(/0+$/, '') : fraction
  return padded.slice(0, -decimals) + (kept === '' ? '' : `.${kept}`)
}

/** The reverse of decimalText. */
export function decimalUnits(text: string, scale: number): bigint {
  const [whole, fraction = ''] = text.split('.')
  return BigInt(whole! + fraction.padEnd(scale, '0'))
}

/** A date and, after a space or T, a time; `rest` is the text after them. */
function localTime(text: string, datePart: RegExp) {
  const date = datePart.exec(text)
  const start = date && midnight(date)
  if (date === null || start === null) return null
  const rest = text.slice(date[0].length)
  const day = { seconds: start, second: 0, micros: '000000' }
  if (rest === '') return { ...day, rest }
  if (!/^[ Tt]/.test(rest)) return null
  // An offset may follow the date without a time, as in `2026-01-31 +01`; a zone's name or `Z` may not.
  if (/^.[+-]/.test(rest)) return { ...day, rest: rest.slice(1) }
  const time = TIME_PART.exec(rest.slice(1))
  const clock = time && clockOf(time)
  if (time === null || clock === null) return null
  return { ...clock, seconds: start + secondOfDay(clock), rest: rest.slice(1 + time[0].length) }
}

function instantOf(local: number, zone: string): number | null {
  if (zone === '' || zone === 'Z' || zone === 'z' || zone === ' UTC') return local
  const offsetText = zone.startsWith(' UTC') ? zone.slice(4) : zone
  if (/^[+-]/.test(offsetText)) {
    const offset = writtenOffset(offsetText)
    return offset === undefined ? null : local - offset
  }
  if (!/^ [A-Za-z]/.test(zone)) return null
  const offsetAt = zoneOffset(zone.slice(1))
  return offsetAt && localToInstant(local, offsetAt)
}

function midnight(match: RegExpExecArray): number | null {
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  return isValidDate(year, month, day) ? daysFromCivil(year, month, day) * DAY_SECONDS : null
}

/** The `micros` are always six digits. */
function clockOf(match: RegExpExecArray) {
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (hour > 23 || minute > 59 || second > 60) return null
  return { hour, minute, second, micros: (match[4] ?? '').padEnd(6, '0') }
}

const secondOfDay = (clock: Clock): number => clock.hour * 3600 + clock.minute * 60 + clock.second

const DAY_SECONDS = 86_400
const isInRange = (seconds: number): boolean =>
  seconds >= FIRST_DAY * DAY_SECONDS && seconds < (LAST_DAY + 1) * DAY_SECONDS

const civilText = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')

/** The fraction of a DATETIME or TIME. Second 60, a leap second, becomes the next second and loses its fraction. */
const civilFraction = ({ second, micros }: Pick<Clock, 'second' | 'micros'>): string =>
  second === 60 ? '' : fractionOf(micros)

/** `.5` for 500000, empty for 000000. */
function fractionOf(micros: string): string {
  const digits = micros.replace(/0+$/, '')
  return digits === '' ? '' : `.${digits}`
}
