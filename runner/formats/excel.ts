/**
 * CSV for spreadsheets: with a byte order mark, so that they read UTF-8, and `'` before cells that they would change.
 * Those are texts that they would run as formulas (https://owasp.org/www-community/attacks/CSV_Injection) and numbers
 * with more digits than a double holds. Negative numbers stay numbers: the guard depends on the column's type.
 */
import { CSV_TYPE, type CsvVariant, csvRows } from './csv.js'
import type { Format } from './format.js'
import { writeRows } from './rows.js'

export const excel = {
  name: 'excel',
  mediaTypes: [],
  contentType: CSV_TYPE,
  extension: 'csv',
  isAttachment: true,
  download: { title: 'CSV for Excel', about: 'any size, safe for spreadsheets', place: 3 },
  write: (columns, body, facts) => writeRows(csvRows(columns, facts, SAFE), columns, body),
} as const satisfies Format

/** Blanks and invisible characters, which spreadsheets skip at the beginning of a cell. BREAK has the line breaks. */
const BLANK =
  '\\u0000-\\t\\u000b\\u000c\\u000e- \\u007f-\\u00a0\\u00ad\\u1680\\u2000-\\u200f\\u2028-\\u203f\\u205f-\\u206f\\u3000\\ufeff'
const BREAK = '\\r\\n'
/** Some spreadsheets read `＝＋－＠` as `=+-@`. */
const SIGN = '[=+\\-@＝＋－＠]'
/** Some spreadsheets drop a tab or a carriage return at the beginning, and then read the rest. */
const IS_FORMULA = new RegExp(`^(?:[\\t\\r]|[${BLANK}${BREAK}]*${SIGN})`)
/** In many countries a semicolon begins another cell, and some spreadsheets begin another row at a line break inside quotes. */
const BEFORE_FORMULA = new RegExp(`[;${BREAK}](?="*(?:\\t|[${BLANK}]*${SIGN}))`, 'g')

/** The most digits that a spreadsheet keeps of a number. */
const MOST_DIGITS = 15

/** Whether a number has too many digits; zeros at its beginning do not count. */
const isLong = (word: string): boolean =>
  word.length > MOST_DIGITS && word.replace(/\D/g, '').replace(/^0+/, '').length > MOST_DIGITS

const NUMBERS: ReadonlySet<string> = new Set(['INT64', 'NUMERIC', 'BIGNUMERIC'])

/** Microseconds since 1970 have 16 digits; a timestamp in text has other characters. */
const mustGuard = (word: string, kind: string): boolean =>
  (NUMBERS.has(kind) || (kind === 'TIMESTAMP' && /^-?\d+$/.test(word))) && isLong(word)

const SAFE: CsvVariant = {
  head: '\ufeff',
  changeText: text => (IS_FORMULA.test(text) ? "'" : '') + text.replace(BEFORE_FORMULA, "$&'"),
  mustQuote: /[",;\r\n]/,
  changeWord: (word, kind) => (mustGuard(word, kind) ? `'${word}` : word),
}
