/**
 * Values in the notations of FORMAT's %t and %T. A value is passed as the text of a cast to STRING, with three exceptions: a FLOAT64 has
 * DuckDB's text, BYTES are hexadecimal digits, and an ARRAY or STRUCT is a JSON array of its parts in this encoding.
 */

import type { ArrayType, StructType, Type } from '../../../../googlesql/types/types.js'
import { canonicalJson } from '../../../../googlesql/values/json-text.js'
import { doubleText } from '../decimal-text.js'

/** The readable text of `%t`. */
export function readableText(value: string | null, type: Type): string {
  if (value === null) return 'NULL'
  switch (type.kind) {
    case 'ARRAY':
      return `[${partTexts(value, type, readableText).join(', ')}]`
    case 'STRUCT':
      return `(${partTexts(value, type, readableText).join(', ')})`
    case 'FLOAT64':
      return floatLiteral(value) ?? (value === 'nan' ? 'NaN' : value)
    case 'BYTES':
      return escapeBytes(value, null)
    case 'JSON':
      return jsonText(value)
    default:
      return value
  }
}

/** The text of `%T`, a literal of GoogleSQL. */
export function literalText(value: string | null, type: Type): string {
  if (value === null) return 'NULL'
  switch (type.kind) {
    case 'ARRAY':
      return `[${partTexts(value, type, literalText).join(', ')}]`
    case 'STRUCT': {
      const parts = partTexts(value, type, literalText)
      return parts.length < 2 ? `STRUCT(${parts.join('')})` : `(${parts.join(', ')})`
    }
    case 'STRING':
      return stringLiteral(value)
    case 'BYTES': {
      const quote = quoteFor(Buffer.from(value, 'hex').toString('latin1'))
      return `b${quote}${escapeBytes(value, quote)}${quote}`
    }
    case 'FLOAT64':
      return floatLiteral(value) ?? `CAST("${value}" AS FLOAT64)`
    case 'INTERVAL':
      return `INTERVAL "${value}" YEAR TO SECOND`
    case 'JSON':
      return `JSON ${stringLiteral(jsonText(value))}`
    case 'NUMERIC':
    case 'BIGNUMERIC':
    case 'DATE':
    case 'DATETIME':
    case 'TIME':
    case 'TIMESTAMP':
      return `${type.kind} "${value}"`
    default:
      return value
  }
}

/** The encoded parts of an ARRAY or STRUCT; null for a part that is NULL. */
export const partsOf = (value: string): readonly (string | null)[] => JSON.parse(value) as (string | null)[]

const partTexts = (
  value: string,
  type: ArrayType | StructType,
  textOf: (part: string | null, type: Type) => string,
): readonly string[] =>
  partsOf(value).map((part, i) => textOf(part, type.kind === 'ARRAY' ? type.element : type.fields[i]!.type))

function jsonText(value: string): string {
  const canonical = canonicalJson(value, 'round')
  return 'text' in canonical ? canonical.text : value
}

/** A FLOAT64 literal, always with a point or an exponent; null for infinities and NaN, which have no literal. */
function floatLiteral(value: string): string | null {
  const number = Number(value)
  if (!Number.isFinite(number)) return null
  if (Object.is(number, -0)) return '-0.0'
  const text = doubleText(number)
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}

const quoteFor = (text: string): string => (text.includes('"') && !text.includes("'") ? "'" : '"')

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' }

function stringLiteral(text: string): string {
  const quote = quoteFor(text)
  let result = ''
  let isAfterHex = false
  for (const char of text) {
    const code = char.codePointAt(0)!
    const escapeText = char === quote ? `\\${quote}` : ESCAPES[char]
    // A hexadecimal digit after an escape such as \xAB is escaped too, since it would be read as a part of that escape.
    const isHex: boolean =
      escapeText === undefined && code < 128 && (code < 32 || code === 127 || (isAfterHex && /[0-9a-fA-F]/.test(char)))
    result += escapeText ?? (isHex ? hexEscape(code) : char)
    isAfterHex = isHex
  }
  return quote + result + quote
}

/** The text of bytes inside a literal. Without a `quote`, all kinds of quotes are escaped. */
function escapeBytes(hex: string, quote: string | null): string {
  return Array.from(Buffer.from(hex, 'hex'), code => {
    if (code < 32 || code > 126) return hexEscape(code)
    const char = String.fromCharCode(code)
    if (char === '\\') return '\\\\'
    return '\'"`'.includes(char) && (quote === null || quote === char) ? `\\${char}` : char
  }).join('')
}

const hexEscape = (code: number): string => `\\x${code.toString(16).padStart(2, '0')}`
