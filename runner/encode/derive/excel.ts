/**
 * CSV for spreadsheets: with a byte order mark, so that they read UTF-8, and `'` before cells that they would change.
 * Those are texts that they would run as formulas (https://owasp.org/www-community/attacks/CSV_Injection) and numbers
 * with more digits than a double holds. Negative numbers stay numbers: the guard depends on the column's type.
 */
import type { Type } from '../../../googlesql/index.js'
import type { ResultColumn } from '../../model/query.js'
import { type CellPrefix, type CsvVariant, writeCsv } from './csv.js'
import type { ResultFacts } from './facts.js'

const FORMULA_STARTS: readonly number[] = Array.from('=+-@\t\r', character => character.charCodeAt(0))
/** The digits of a spreadsheet's numbers. */
const MOST_DIGITS = 15
const ZERO = 0x30
const NINE = 0x39

/** @throws JsonTextError, BodyTooLargeError. */
export const toExcel = (columns: readonly ResultColumn[], json: Uint8Array, facts: ResultFacts): Uint8Array =>
  writeCsv(columns, json, facts, EXCEL)

const isFormula: CellPrefix = (text, start, end) => start < end && FORMULA_STARTS.includes(text[start]!)

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
