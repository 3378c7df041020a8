/** Casts of texts that DuckDB reads differently from BigQuery. For the usual forms, the macros of macros/casts.ts use DuckDB's casts. */

import {
  dateLiteral,
  datetimeLiteral,
  numericLiteral,
  timeLiteral,
  timestampLiteral,
  timestampRefusal,
} from '../../../googlesql/values/literals.js'
import { isInt64 } from './decimals.js'
import { fail, type ScalarFunction, scalar } from './scalar-function.js'

const MAX_LENGTH = 32

/** A value for a message: at most its first 32 characters. */
export const shorten = (text: string): string => (text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}...` : text)

const canonicalReader = (
  name: string,
  read: (text: string) => string | null,
  refusal: (text: string) => string,
): ScalarFunction => scalar(name, ['VARCHAR'], 'VARCHAR', text => read(text) ?? fail(refusal(text)))

export const invalidInput = (name: string, text: string): string => `Invalid input to ${name}: "${text}"`

export const CAST_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  canonicalReader('bq_read_date', dateLiteral, text => `Invalid date: '${text}'`),
  canonicalReader('bq_read_time', timeLiteral, text => `Invalid time string "${text}"`),
  canonicalReader('bq_read_datetime', datetimeLiteral, text => `Invalid datetime string "${text}"`),
  canonicalReader('bq_read_timestamp', timestampLiteral, timestampRefusal),
  canonicalReader(
    'bq_read_numeric',
    text => numericLiteral(text, 'NUMERIC', 'cast'),
    text => `Invalid NUMERIC value: ${shorten(text)}`,
  ),
  canonicalReader(
    'bq_parse_numeric',
    text => numericLiteral(parsedNumber(text) ?? '', 'NUMERIC', 'cast'),
    text => invalidInput('PARSE_NUMERIC', text),
  ),
  scalar('bq_read_hex_float', ['VARCHAR'], 'DOUBLE', hexFloat),
  scalar('bq_read_hex', ['VARCHAR'], 'BIGINT', text => {
    const match = /^ *([+-]?)(0[xX][0-9a-fA-F]+)\s*$/.exec(text)
    const value = match && BigInt(match[2]!) * (match[1] === '-' ? -1n : 1n)
    return value !== null && isInt64(value) ? value : fail(`Bad int64 value: ${shorten(text)}`)
  }),
]

/**
 * The parts of a number. No character can belong to two neighbouring parts: matching would then try every way to divide them.
 */
const NUMBER = /^([ \t-\r+-]*)(?![ \t-\r+-])([\d,]*)((?:\.\d*)?(?:[eE][+-]?\d*)?)[ \t-\r]*(?:([+-])[ \t-\r]*)?$/

/**
 * Rewrites a text for PARSE_NUMERIC into the form that CAST accepts: PARSE_NUMERIC also allows commas among the digits, white
 * space around the sign, and a sign after the number. Null for other text. Source: FilterParseNumericString of the reference
 * implementation.
 */
export function parsedNumber(text: string): string | null {
  const match = NUMBER.exec(text)
  if (!match) return null
  const [, leadingSign, whole, rest, trailingSign = ''] = match
  if (/^,+$/.test(whole!)) return null
  return trailingSign + leadingSign!.replace(/[ \t-\r]/g, '') + whole!.replaceAll(',', '') + rest
}

/** Matches a FLOAT64 in hexadecimal digits, `0x1.8p3`. */
const HEX_FLOAT = /^[ \t-\r]*([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?\d+))?[ \t-\r]*$/

function hexFloat(text: string): number {
  const [, sign, whole = '', fraction = '', exponent = '0'] = HEX_FLOAT.exec(text) ?? []
  if (sign === undefined || whole + fraction === '') fail(`Bad double value: ${shorten(text)}`)
  const size = scaledFloat(BigInt(`0x${whole}${fraction}`), Number(exponent) - 4 * fraction.length)
  return sign === '-' ? -size : size
}

const MANTISSA_BITS = 53
const MIN_EXPONENT = -1022

/** The FLOAT64 nearest to mantissa * 2^exponent; of two equally near ones, the even one. */
function scaledFloat(mantissa: bigint, exponent: number): number {
  if (mantissa === 0n) return 0
  const bits = mantissa.toString(2).length
  const place = bits - 1 + exponent
  if (place > 1024) return Number.POSITIVE_INFINITY
  // A subnormal number has fewer bits; they are dropped in the same rounding, since a second rounding could change the result.
  const dropped = bits - Math.min(MANTISSA_BITS, MANTISSA_BITS + place - MIN_EXPONENT)
  if (dropped <= 0) return Number(mantissa) * 2 ** exponent
  if (dropped > bits) return 0
  const kept = mantissa >> BigInt(dropped)
  const doubledRest = (mantissa - (kept << BigInt(dropped))) * 2n
  const unit = 1n << BigInt(dropped)
  const isUp = doubledRest > unit || (doubledRest === unit && kept % 2n === 1n)
  return Number(kept + (isUp ? 1n : 0n)) * 2 ** (exponent + dropped)
}
