/** Converts the texts of scalar values in BigQuery's answers to JSON; refuses any text that BigQuery would not write. */
import {
  canonicalJson,
  datetimeText,
  elementOfRange,
  fractionText,
  MAX_TIMESTAMP_MICROS,
  MIN_TIMESTAMP_MICROS,
  numericLiteral,
  type RangeKind,
  type ScalarKind,
} from '../../../../googlesql/index.js'
import { typeScalar } from '../../../model/typed-value.js'
import { rangeResultText, type ScalarTexts } from '../../../result/scalar-text.js'
import { unexpected } from './unexpected-cell.js'

type WriterOf = (texts: ScalarTexts) => (value: string) => string

/** The function that writes values of one type as JSON. The function throws UnexpectedCellError. */
export const scalarCell = (kind: ScalarKind, texts: ScalarTexts): ((value: string) => string) => WRITERS[kind](texts)

const rangeWriter =
  (kind: RangeKind): WriterOf =>
  texts =>
  value =>
    texts.interval(rangeOf(value, kind))

const WRITERS: Readonly<Record<ScalarKind, WriterOf>> = {
  INT64: texts => value => texts.int64(integerIn(value, INT64_RANGE, 'INT64')),
  FLOAT64: texts => value => texts.float64(floatOf(value)),
  NUMERIC: texts => value => texts.numeric(decimalOf(value, 'NUMERIC')),
  BIGNUMERIC: texts => value => texts.numeric(decimalOf(value, 'BIGNUMERIC')),
  BOOL: texts => value => texts.bool(check(value, isBool, 'BOOL').toLowerCase() === 'true'),
  STRING: texts => texts.string,
  // The texts of the following types are already as in results, without characters that JSON escapes: `interval` only adds quotes.
  BYTES: texts => value => texts.interval(check(value, isBase64, 'BYTES')),
  DATE: texts => value => texts.interval(check(value, isDate, 'DATE')),
  TIME: texts => value => texts.interval(shortenFraction(check(value, isTime, 'TIME'))),
  DATETIME: texts => value => texts.interval(shortenFraction(check(value, isDatetime, 'DATETIME').replace(' ', 'T'))),
  TIMESTAMP: texts => value => texts.timestamp(integerIn(value, TIMESTAMP_RANGE, 'TIMESTAMP')),
  INTERVAL: texts => value => texts.interval(shortenFraction(check(value, isInterval, 'INTERVAL'))),
  JSON: texts => value => texts.json(jsonOf(value)),
  'RANGE<DATE>': rangeWriter('RANGE<DATE>'),
  'RANGE<DATETIME>': rangeWriter('RANGE<DATETIME>'),
  'RANGE<TIMESTAMP>': rangeWriter('RANGE<TIMESTAMP>'),
}

/** `[2026-01-31, UNBOUNDED)`; the bounds of TIMESTAMP are microseconds since 1970, as for TIMESTAMP. */
function rangeOf(value: string, kind: RangeKind): string {
  const element = elementOfRange(kind)
  const [, ...parts] = /^\[(.+), (.+)\)$/.exec(value) ?? []
  if (parts.length !== 2) throw unexpected(kind)
  const bounds = parts.map(part => {
    if (part === 'UNBOUNDED') return null
    if (element === 'DATE') return check(part, isDate, kind)
    if (element === 'DATETIME') return shortenFraction(check(part, isDatetime, kind))
    return `${datetimeText(integerIn(part, TIMESTAMP_RANGE, kind))}Z`
  })
  return rangeResultText(kind, bounds)
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/
const INT64_RANGE = [-(2n ** 63n), 2n ** 63n - 1n] as const
/** In microseconds since 1970, the form that requests ask for (`useInt64Timestamp`). */
const TIMESTAMP_RANGE = [MIN_TIMESTAMP_MICROS, MAX_TIMESTAMP_MICROS] as const

function integerIn(text: string, [least, most]: readonly [bigint, bigint], kind: ScalarKind): bigint {
  if (text.length > 20 || !INTEGER.test(text)) throw unexpected(kind)
  const value = BigInt(text)
  if (value < least || value > most) throw unexpected(kind)
  return value
}

const FLOAT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** BigQuery writes NaN, Infinity and -Infinity; other servers that speak its protocol shorten them. */
const NOT_FINITE = /^(?:nan|([+-]?)inf(?:inity)?)$/i

function floatOf(text: string): number {
  const value = FLOAT.test(text) ? Number(text) : Number.NaN
  if (Number.isFinite(value)) return value
  const [word, sign] = NOT_FINITE.exec(text) ?? []
  if (word === undefined) throw unexpected('FLOAT64')
  return sign === undefined ? Number.NaN : Number(`${sign}Infinity`)
}

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

const decimalOf = (text: string, kind: 'NUMERIC' | 'BIGNUMERIC'): string =>
  check(text, () => DECIMAL.test(text) && numericLiteral(text, kind) !== null, kind)

const isBool = (text: string): boolean => /^(?:true|false)$/i.test(text)

function check(text: string, isValid: (text: string) => boolean, kind: ScalarKind): string {
  if (!isValid(text)) throw unexpected(kind)
  return text
}

/** RFC 4648 §4. Before padding, the unused bits of the last digit are zero. */
const isBase64 = (text: string): boolean => Buffer.from(text, 'base64').toString('base64') === text

const isDate = (text: string): boolean => typeScalar('date', text).ok

/** After six digits of a fraction there may be zeros. */
const isTime = (text: string): boolean => /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6}0*)?$/.test(text)

const DATE_LENGTH = 10

const isDatetime = (text: string): boolean =>
  isDate(text.slice(0, DATE_LENGTH)) && /^[T ]/.test(text.slice(DATE_LENGTH)) && isTime(text.slice(DATE_LENGTH + 1))

const INTERVAL = /^-?(\d{1,5})-(?:\d|1[01]) -?(\d{1,7}) -?(\d{1,8}):[1-5]?\d:[1-5]?\d(?:\.\d{1,6}0*)?$/
/** The most years, days and hours, positive or negative ("Interval type"). */
const INTERVAL_MOST = [10_000, 3_660_000, 87_840_000] as const

function isInterval(text: string): boolean {
  const [, ...counts] = INTERVAL.exec(text) ?? []
  if (counts.length === 0) return false
  return counts.every((count, i) => Number(count) <= INTERVAL_MOST[i]! && (count === '0' || !count.startsWith('0')))
}

/** A fraction of 3 or 6 digits, or none where it is zero, as TO_JSON_STRING writes times. The answer may have any number of digits. */
function shortenFraction(text: string): string {
  const dot = text.indexOf('.')
  if (dot < 0) return text
  return text.slice(0, dot) + fractionText(Number(text.slice(dot + 1, dot + 7).padEnd(6, '0')))
}

/** Writes JSON in the form in which BigQuery keeps it: its answers may have another form. */
function jsonOf(text: string): string {
  const canonical = canonicalJson(text, 'round')
  if ('error' in canonical) throw unexpected('JSON')
  return canonical.text
}
