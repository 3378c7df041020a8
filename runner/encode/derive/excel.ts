/**
 * CSV for spreadsheets: with a byte order mark, so that they read UTF-8, and `'` before cells that they would change.
 * Those are texts that they would run as formulas (https://owasp.org/www-community/attacks/CSV_Injection) and numbers
 * with more digits than a double holds. Negative numbers stay numbers: the guard depends on the column's type.
 */
import type { Type } from '../../../googlesql/index.js'
import type { ResultColumn } from '../../model/query.js'
import { type CellPrefix, type CsvVariant, writeCsv } from './csv.js'
import type { ResultFacts } from './facts.js'

const SIGNS: readonly number[] = Array.from('=+-@', character => character.charCodeAt(0))
const [TAB, CARRIAGE_RETURN, SPACE, DELETE] = [0x09, 0x0d, 0x20, 0x7f]
/** The last bytes in UTF-8 of `＝＋－＠`, which some spreadsheets read as `=+-@`; those before are the same. */
const WIDE_SIGNS: readonly number[] = Array.from('＝＋－＠', character => Buffer.from(character)[2]!)
/** The digits of a spreadsheet's numbers. */
const MOST_DIGITS = 15
const ZERO = 0x30
const NINE = 0x39

/** @throws JsonTextError, BodyTooLargeError. */
export const toExcel = (columns: readonly ResultColumn[], json: Uint8Array, facts: ResultFacts): Uint8Array =>
  writeCsv(columns, json, facts, EXCEL)

/** A tab or a carriage return at the begin is dropped by some spreadsheets, which then read what comes after it. */
const isFormula: CellPrefix = (text, start, end) => {
  const first = text[start]
  if (start >= end || first === undefined) return false
  if (first > SPACE && first < DELETE) return SIGNS.includes(first)
  return first === TAB || first === CARRIAGE_RETURN || isSign(text, afterBlanks(text, start, end), end)
}

function isSign(text: Uint8Array, at: number, end: number): boolean {
  if (at >= end) return false
  return SIGNS.includes(text[at]!) || (text[at] === 0xef && text[at + 1] === 0xbc && WIDE_SIGNS.includes(text[at + 2]!))
}

/** The place after all blanks, line breaks and characters without a form of their own. */
function afterBlanks(text: Uint8Array, start: number, end: number): number {
  let at = start
  for (let length = blankLength(text, at); length > 0 && at < end; length = blankLength(text, at)) at += length
  return at
}

/** The bytes of the blank, line break or control character that begins here; 0 where none does. */
function blankLength(text: Uint8Array, at: number): number {
  const [first = 0, second = 0, third = 0] = [text[at], text[at + 1], text[at + 2]]
  if (first <= SPACE || first === DELETE) return 1
  // U+0080 to U+00A0, and U+00AD
  if (first === 0xc2) return second <= 0xa0 || second === 0xad ? 2 : 0
  const isBlank =
    (first === 0xe2 && second === 0x80 && (third <= 0x8f || third >= 0xa8)) || // U+2000 to U+200F, U+2028 to U+203F
    (first === 0xe2 && second === 0x81 && third >= 0x9f && third <= 0xaf) || // U+205F to U+206F
    (first === 0xe3 && second === 0x80 && third === 0x80) || // U+3000
    (first === 0xe1 && second === 0x9a && third === 0x80) || // U+1680
    (first === 0xef && second === 0xbb && third === 0xbf) // U+FEFF
  return isBlank ? 3 : 0
}

/** Whether a number has too many digits, zeros before the first other one not counted. */
const isLong: CellPrefix = (text, start, end) => {
  if (end - start <= MOST_DIGITS) return false
  let digits = 0
  for (let i = start; i < end; i++) {
    const byte = text[i]!
    if (byte >= ZERO && byte <= NINE && (digits > 0 || byte !== ZERO)) digits += 1
  }
  return digits > MOST_DIGITS
}

const isLongInteger: CellPrefix = (text, start, end) => {
  for (let i = start; i < end; i++) {
    const byte = text[i]!
    // Timestamps in text have other characters.
    if ((byte < ZERO || byte > NINE) && (i > start || byte !== MINUS)) return false
  }
  return isLong(text, start, end)
}

const MINUS = 0x2d

function guardOf(type: Type | undefined): CellPrefix | null {
  switch (type?.kind) {
    case undefined:
    case 'STRING':
    case 'BYTES':
    case 'JSON':
    case 'ARRAY':
    case 'STRUCT':
      return isFormula
    case 'INT64':
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return isLong
    // Microseconds since 1970 have 16 digits.
    case 'TIMESTAMP':
      return isLongInteger
    default:
      return null
  }
}

const EXCEL: CsvVariant = { head: '\ufeff', guardOf, headerGuard: isFormula }
