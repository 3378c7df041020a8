/** The kinds of values in text files. The type of a column is chosen from the kinds of its values. */
import type { ScalarKind } from '../../../googlesql/index.js'
import { withPoint } from '../../../runner/engines/duckdb/tables/rows/csv-form.js'
import { leafOfText } from '../../../runner/engines/duckdb/tables/rows/leaf.js'
import { UNLIMITED } from '../../../runner/engines/duckdb/tables/rows/row-schema.js'

/**
 * `large-integer` is beyond INT64 and within NUMERIC, `wide-integer` beyond both and within BIGNUMERIC; `huge-number` is beyond all
 * of them, or beyond FLOAT64. `decimal` has a decimal comma, and is within NUMERIC.
 */
export type ValueKind =
  | 'bool'
  | 'integer'
  | 'large-integer'
  | 'wide-integer'
  | 'huge-number'
  | 'number'
  | 'decimal'
  | 'time'
  | 'local-time'
  | 'date'
  | 'digits'
  | 'decimal-text'
  | 'leading-zero'
  | 'bool-text'
  | 'empty'
  | 'blank'
  | 'null-word'
  | 'decimal-comma'
  | 'thousands'
  | 'spaced-thousands'
  | 'local-date'
  | 'day-first'
  | 'month-first'
  | 'worded-date'
  | 'text'
  | 'object'
  | 'list'

const INTEGER = /^-?(?:0|[1-9]\d*)$/
const NUMBER = /^-?(?:0|[1-9]\d*)?(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** Texts that other programs write for a missing value; statistics offices write a colon. */
const NULL_WORD = /^(?:null|nil|none|n\/a|#n\/a|na|nan|\\n|:)$/i
/** `1.234,50` and `12,5`. */
const DECIMAL_COMMA = /^-?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+$/
/** `1,234,567` and `1,234.50`, not `1,234`, which may have a decimal comma. */
const THOUSANDS = /^-?\d{1,3}(?:,\d{3})*(?:,\d{3}\.\d+|,\d{3},\d{3}(?:\.\d+)?)$/
/** `1 234,50` and `12 345`, also with the two kinds of no-break spaces. */
const SPACED_THOUSANDS = /^-?[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?$/
/** `05/01/2026` and `31.01.2026`, whose order of day and month depends on the country. */
const LOCAL_DATE = /^(\d{1,2})([/.])(\d{1,2})\2(?:\d{4}|\d\d)$/
/** `Jan 1 2000`, `Sat, 1 January 2000` and `01-Jan-2000`. */
const WORDED_DATE =
  /^(?:[a-z]{2,9},? )?(?:\d{1,2}[ -])?(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?[ -](?:\d{1,2},? )?\d{4}\b/i
const LEADING_ZERO = /^-?0\d+(?:\.\d+)?$/

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n
/** The digits before the point of a NUMERIC. */
const NUMERIC_DIGITS = 29
/** Every number with this many digits before the point is a BIGNUMERIC; some with one digit more are, too. */
const BIGNUMERIC_DIGITS = 38
/** Texts that are NUMERIC. */
const DECIMAL = /^-?\d{1,29}\.\d{1,9}$/

/** The kind of a number of JSON. */
export function kindOfNumber(text: string): ValueKind {
  if (INTEGER.test(text)) return kindOfInteger(text)
  return Number.isFinite(Number(text)) ? 'number' : 'huge-number'
}

function kindOfInteger(text: string): ValueKind {
  const digits = text.length - (text.startsWith('-') ? 1 : 0)
  if (digits <= 18) return 'integer'
  if (digits > NUMERIC_DIGITS) return digits > BIGNUMERIC_DIGITS ? 'huge-number' : 'wide-integer'
  const value = BigInt(text)
  return value >= INT64_MIN && value <= INT64_MAX ? 'integer' : 'large-integer'
}

/** The kind of a text of JSON. */
export function kindOfText(text: string): ValueKind {
  const kind = kindOfCell(text)
  return KINDS_IN_QUOTES[kind] ?? kind
}

/** The kinds of cells that mean another thing in quotes. */
const KINDS_IN_QUOTES: Partial<Record<ValueKind, ValueKind>> = {
  empty: 'text',
  bool: 'bool-text',
  integer: 'digits',
  number: 'decimal-text',
  'large-integer': 'text',
  'wide-integer': 'text',
  'huge-number': 'text',
}

/** The kind of a cell of CSV, which does not distinguish numbers from texts. */
export function kindOfCell(text: string, hasDecimalComma = false): ValueKind {
  const first = text.charCodeAt(0)
  const isNumeric = (first >= 0x30 && first <= 0x39) || first === 0x2d || first === 0x2e
  if (!isNumeric) {
    if (text === '') return 'empty'
    if (/^(?:true|false)$/i.test(text)) return 'bool'
    if (WORDED_DATE.test(text)) return 'worded-date'
    return text.trim() === '' ? 'blank' : NULL_WORD.test(text) ? 'null-word' : 'text'
  }
  if (text === '-') return 'null-word'
  if (hasDecimalComma) {
    const point = withPoint(text)
    if (point !== null) return DECIMAL.test(point) && !LEADING_ZERO.test(point) ? 'decimal' : kindOfCell(point)
  } else {
    if (INTEGER.test(text)) return kindOfInteger(text)
    if (LEADING_ZERO.test(text)) return 'leading-zero'
    if (/\d/.test(text) && NUMBER.test(text)) return Number.isFinite(Number(text)) ? 'number' : 'text'
  }
  if (isValueOf('DATE', text)) return 'date'
  if (isTimestamp(text)) return isLocalTime(text) ? 'local-time' : 'time'
  if (DECIMAL_COMMA.test(text)) return 'decimal-comma'
  if (THOUSANDS.test(text)) return 'thousands'
  if (SPACED_THOUSANDS.test(text)) return 'spaced-thousands'
  if (WORDED_DATE.test(text)) return 'worded-date'
  return kindOfLocalDate(text) ?? 'text'
}

/** Whether a text is a TIMESTAMP and not a number, such as `08.30`. */
const isTimestamp = (text: string): boolean => !/^-?[\d.]*$/.test(text) && isValueOf('TIMESTAMP', text)

/** A number above 12 is the day. */
function kindOfLocalDate(text: string): ValueKind | null {
  const [, first, , second] = LOCAL_DATE.exec(text)?.map(Number) ?? []
  const isDay = (number = 0): boolean => number >= 1 && number <= 31
  if (!isDay(first) || !isDay(second) || (first! > 12 && second! > 12)) return null
  return first! > 12 ? 'day-first' : second! > 12 ? 'month-first' : 'local-date'
}

/** Whether the reader of files takes the text as a value of this type. */
export const isValueOf = (kind: ScalarKind, text: string): boolean => leafOfText(kind, text, UNLIMITED) !== null

/** Whether a time has neither an offset nor a zone after its date and clock. */
const isLocalTime = (text: string): boolean => /^[\d/-]+(?:[Tt ][\d:.]+)?$/.test(text)

/** The units in which numbers count time since 1970. */
const EPOCH_UNITS = [
  { name: 'seconds', perSecond: 1 },
  { name: 'milliseconds', perSecond: 1e3 },
  { name: 'microseconds', perSecond: 1e6 },
  { name: 'nanoseconds', perSecond: 1e9 },
]
/** 2001-09-09 and 2039-09-17 in seconds since 1970. Numbers between them are more often times than anything else. */
const [EPOCH_FROM, EPOCH_UNTIL] = [1.0e9, 2.2e9]

/** The unit in which all numbers from `min` to `max` would be times from 2001 to 2039; null if there is no such unit, or no number. */
export const epochUnit = (min: number, max: number): (typeof EPOCH_UNITS)[number] | null =>
  EPOCH_UNITS.find(({ perSecond }) => min <= max && min >= EPOCH_FROM * perSecond && max < EPOCH_UNTIL * perSecond) ??
  null
