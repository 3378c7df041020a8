/** Converts single values of files, by the column's type, to JSON that DuckDB reads without loss. */

import {
  canonicalJson,
  dateLiteral,
  datetimeLiteral,
  datetimeText,
  decimalText,
  decimalUnits,
  elementOfRange,
  numericLiteral,
  type RangeKind,
  rangeText,
  readInterval,
  readRange,
  type ScalarKind,
  type TypeLimits,
  timeLiteral,
  timestampLiteral,
} from '../../../../../googlesql/data.js'
import { BIGNUMERIC_SCALE } from '../../../../../googlesql-duckdb/names-and-types.js'
import { isLongerThan } from '../../../../model/text-length.js'

const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)

/**
 * Converts a text to the JSON text of its value for DuckDB; null if the text is not a value of this type. `text` is the value
 * of a JSON string, a number's token, or a cell of CSV.
 */
export const leafOfText = (kind: ScalarKind, text: string, limits: TypeLimits): string | null =>
  LEAVES[kind](text, limits)

const LEAVES: Readonly<Record<ScalarKind, (text: string, limits: TypeLimits) => string | null>> = {
  STRING: (text, { maxLength }) => (maxLength !== null && isLongerThan(text, maxLength) ? null : JSON.stringify(text)),
  INT64: int64,
  FLOAT64: float64,
  NUMERIC: (text, limits) => decimal('NUMERIC', text, limits),
  BIGNUMERIC: (text, limits) => decimal('BIGNUMERIC', text, limits),
  BOOL: bool,
  BYTES: bytes,
  DATE: text => quote(dateLiteral(text)),
  TIME: text => quote(timeLiteral(cutToMicros(text))),
  DATETIME: text => quote(datetimeLiteral(cutToMicros(text))),
  TIMESTAMP: text => quote(timestamp(text)),
  JSON(text) {
    const canonical = canonicalJson(text, 'round')
    return 'text' in canonical ? JSON.stringify(canonical.text) : null
  },
  INTERVAL: interval,
  'RANGE<DATE>': text => range('RANGE<DATE>', text),
  'RANGE<DATETIME>': text => range('RANGE<DATETIME>', text),
  'RANGE<TIMESTAMP>': text => range('RANGE<TIMESTAMP>', text),
}

/** The values that a column of each type accepts, for messages; docs/data.md has the full rules. */
const EXPECTED: Readonly<Record<ScalarKind | 'STRUCT', string>> = {
  STRING: 'a STRING',
  INT64: 'an INT64: a whole number from -9223372036854775808 to 9223372036854775807',
  FLOAT64: 'a FLOAT64: a number, or "NaN", "Infinity" or "-Infinity"',
  NUMERIC: 'a NUMERIC of at most 29 digits before the point',
  BIGNUMERIC: 'a BIGNUMERIC of at most 39 digits before the point',
  BOOL: 'a BOOL: true or false',
  BYTES: 'BYTES in base64',
  DATE: 'a DATE like 2026-01-31, of the years 1 to 9999',
  TIME: 'a TIME like 12:00:00.123456',
  DATETIME: 'a DATETIME like 2026-01-31T12:00:00.123456, of the years 1 to 9999',
  TIMESTAMP: 'a TIMESTAMP like 2026-01-31T12:00:00.123456Z, of the years 1 to 9999, or a number since 1970',
  JSON: 'a JSON value',
  INTERVAL: 'an INTERVAL like 1-2 3 4:5:6.789 or P1Y2M3D',
  'RANGE<DATE>': 'a RANGE<DATE> like [2026-01-31, UNBOUNDED)',
  'RANGE<DATETIME>': 'a RANGE<DATETIME> like [2026-01-31, UNBOUNDED)',
  'RANGE<TIMESTAMP>': 'a RANGE<TIMESTAMP> like [2026-01-31, UNBOUNDED)',
  STRUCT: 'a RECORD, as a JSON object',
}

/** The expected value, for the report of a bad row. */
export function expectation(kind: ScalarKind | 'STRUCT', { maxLength, precision, scale }: TypeLimits): string {
  if (kind === 'STRING' && maxLength !== null) return `a STRING of at most ${maxLength} characters`
  if (kind === 'BYTES' && maxLength !== null) return `BYTES in base64, at most ${maxLength} of them`
  return precision === null
    ? EXPECTED[kind]
    : `a ${kind}(${precision}, ${scale}) of at most ${precision - (scale ?? 0)} digits before the point`
}

const quote = (text: string | null): string | null => (text === null ? null : `"${text}"`)

/** Cuts digits beyond microseconds, BigQuery's precision. Files that are read in place are treated in the same way. */
const cutToMicros = (text: string): string => text.replace(/(\.\d{6})\d+/, '$1')

function int64(text: string): string | null {
  const match = /^([+-]?)(\d{1,400})(?:\.0*)?$/.exec(text)
  if (!match) return null
  const value = BigInt(match[2]!) * (match[1] === '-' ? -1n : 1n)
  return value >= MIN_INT64 && value <= MAX_INT64 ? value.toString() : null
}

function float64(text: string): string | null {
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) {
    const value = Number(text)
    return Number.isFinite(value) ? (Object.is(value, -0) ? '-0.0' : String(value)) : null
  }
  if (/^nan$/i.test(text)) return '"NaN"'
  const match = /^([+-]?)inf(?:inity)?$/i.exec(text)
  return match ? `"${match[1] === '-' ? '-' : ''}Infinity"` : null
}

function decimal(kind: 'NUMERIC' | 'BIGNUMERIC', text: string, { precision, scale }: TypeLimits): string | null {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?$/.test(text)) return null
  const exact = numericLiteral(text, kind, 'cast')
  const value = exact === null || scale === null ? exact : round(exact, scale)
  if (value === null) return null
  const whole = value.replace(/^-?0*/, '').split('.')[0]!
  return precision === null || whole.length <= precision - (scale ?? 0) ? `"${value}"` : null
}

/** Rounds half away from zero, BigQuery's default. */
function round(text: string, scale: number): string {
  const units = decimalUnits(text, BIGNUMERIC_SCALE)
  const unit = 10n ** BigInt(BIGNUMERIC_SCALE - scale)
  return decimalText((units + (units < 0n ? -unit : unit) / 2n) / unit, scale)
}

// https://cloud.google.com/bigquery/docs/loading-data-cloud-storage-csv#data_types
function bool(text: string): string | null {
  if (/^(true|t|yes|y|1)$/i.test(text)) return 'true'
  return /^(false|f|no|n|0)$/i.test(text) ? 'false' : null
}

/** BYTES as DuckDB's text of a BLOB, with each byte written as `\x41`. */
function bytes(text: string, { maxLength }: TypeLimits): string | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  const value = Buffer.from(text, 'base64')
  if (maxLength !== null && value.length > maxLength) return null
  return `"${value.toString('hex').toUpperCase().replace(/../g, '\\\\x$&')}"`
}

/**
 * Reads a TIMESTAMP from text, as BigQuery casts it, or from a number that counts time since 1970, as in NDJSON tables. A
 * number with up to 11 digits counts seconds, with 12 to 14 digits milliseconds, and with more digits microseconds. A number
 * with a fraction counts seconds.
 */
function timestamp(text: string): string | null {
  const number = /^(-?)(\d{1,18})(?:\.(\d+))?$/.exec(text)
  if (!number) return timestampLiteral(spelledTimestamp(cutToMicros(text)))
  const [, sign, digits = '', fraction] = number
  if (fraction !== undefined && digits.length > 11) return null
  const unit = digits.length <= 11 ? 1_000_000n : digits.length <= 14 ? 1_000n : 1n
  const micros = BigInt(digits) * unit + roundedMicros(fraction ?? '')
  const text8601 = datetimeText(sign === '-' ? -micros : micros)
  return text8601 === undefined ? null : `${text8601}Z`
}

/** Rewrites a spelling that BigQuery accepts only when it loads files, such as `2026/01/31 12:00:00 +01:00`, to one that CAST accepts. */
const spelledTimestamp = (text: string): string =>
  text
    .replace(/^(\d{4})\/(\d{1,2})\/(\d{1,2})(?!\d)/, '$1-$2-$3')
    .replace(/z$/, 'Z')
    .replace(/(?<=:\S*) (?=[+-])/, '')

const roundedMicros = (fraction: string): bigint =>
  BigInt(fraction.slice(0, 6).padEnd(6, '0')) + (fraction.charCodeAt(6) >= 0x35 ? 1n : 0n)

/** The text of a range: files store ranges as text. */
function range(kind: RangeKind, text: string): string | null {
  const bounds = readRange(text, elementOfRange(kind))
  return typeof bounds === 'string' ? null : quote(rangeText(bounds))
}

function interval(text: string): string | null {
  const parts = readInterval(text, '', '')
  if (typeof parts === 'string') return null
  const [months, days, micros] = parts
  return `"${months} months ${days} days ${micros} microseconds"`
}
