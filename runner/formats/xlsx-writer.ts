/**
 * Writes a result as an Excel workbook (ECMA-376) of one sheet, row by row, so that only its compressed bytes are in memory. Numbers,
 * dates and times are those of Excel where it can hold them exactly; all else is a text, which Excel never runs as a formula.
 */
import { strToU8, Zip, ZipDeflate } from 'fflate'
import type { Type } from '../../googlesql/data.js'
import type { ResultColumn } from '../model/query.js'
import { BodyTooLargeError, joinPieces } from '../result/body.js'
import type { ResultFacts } from './format.js'
import { ResultNotWritableError } from './refusal.js'
import { membersOf, rowsOf, stringOf, wordOf } from './rows.js'
import { daysOf, microsOf, timeOf, timestampOf, typedColumns } from './typed-values.js'

/** The most cells: for more, spreadsheets need minutes and gigabytes. A sheet takes 1,048,576 rows, so this many fit into one column. */
export const MAX_CELLS = 1_000_000
/** The most UTF-16 units of a cell's text: Excel takes a file with a longer text for damaged. */
export const MAX_TEXT = 32_767
/** The digits that Excel keeps of a decimal, and the number up to which a double holds every integer. */
const [MOST_DIGITS, MAX_SAFE] = [15, BigInt(Number.MAX_SAFE_INTEGER) + 1n]

/** The indices of the styles below. A text has the format of texts, so that it stays a text when a person edits it. */
const STYLES = { head: 1, text: 2, integer: 3, date: 4, time: 5, datetime: 6 } as const
const FORMATS = [
  '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>',
  '<numFmt numFmtId="165" formatCode="hh:mm:ss"/>',
  '<numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>',
]
/** The built-in formats 0, 49 and 1 are General, text and whole numbers. */
const CELL_FORMATS = [0, 49, 49, 1, 164, 165, 166].map(
  (id, i) =>
    `<xf numFmtId="${id}" fontId="${i === STYLES.head ? 1 : 0}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`,
)

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The small parts of the file. @param sheet the name of its sheet */
const smallParts = (sheet: string): Readonly<Record<string, string>> => ({
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${CONTENT}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts count="${FORMATS.length}">${FORMATS.join('')}</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${CELL_FORMATS.length}">${CELL_FORMATS.join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
})

/** A piece is compressed once it has so many characters. */
const PIECE_LENGTH = 65_536
/** The level of compression: files are a tenth larger than at the best level, and take a third of the time. */
const LEVEL = 3

/** @throws JsonTextError, BodyTooLargeError, ResultNotWritableError, TypeError when a column's type cannot be read. */
export function toXlsx(columns: readonly ResultColumn[], json: Uint8Array, facts: ResultFacts): Uint8Array {
  const { maxBytes = Number.POSITIVE_INFINITY, isTruncated } = facts
  const pieces: Uint8Array[] = []
  let bytes = 0
  const zip = new Zip((error, piece) => {
    if (error) throw error
    bytes += piece.length
    if (bytes > maxBytes) throw new BodyTooLargeError(maxBytes)
    pieces.push(piece)
  })
  for (const [name, text] of Object.entries(smallParts(isTruncated ? 'result (cut)' : 'result'))) {
    writePart(zip, name, [XML, text])
  }
  writePart(zip, 'xl/worksheets/sheet1.xml', sheetTexts(columns, json, facts))
  zip.end()
  return joinPieces(pieces)
}

function writePart(zip: Zip, name: string, texts: Iterable<string>): void {
  const part = new ZipDeflate(name, { level: LEVEL })
  // A fixed time, so that the same result always has the same bytes. It is local, since fflate reads it so.
  part.mtime = new Date(1980, 0, 1)
  zip.add(part)
  let pending = ''
  for (const text of texts) {
    pending += text
    if (pending.length < PIECE_LENGTH) continue
    part.push(strToU8(pending))
    pending = ''
  }
  part.push(strToU8(pending), true)
}

/** A cell without its address: `t="b"><v>1</v>`, from the JSON of a value that is not null. */
type WriteCell = (cell: string) => string

function* sheetTexts(columns: readonly ResultColumn[], json: Uint8Array, facts: ResultFacts): Generator<string> {
  const writers = typedColumns(columns, facts).map(({ type }) => WRITERS[type.kind] ?? textCell)
  const letters = columns.map((_, i) => columnLetters(i))
  // A date in a column that is too narrow is shown as ####.
  const widths = columns.map(({ name, type }) => Math.max(WIDTHS[type] ?? 10, Math.min(name.length + 2, 40)))
  const cols = widths.map((width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`)
  // The names of the columns stay in sight.
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
  yield `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>`
  yield `${cols.length > 0 ? `<cols>${cols.join('')}</cols>` : ''}<sheetData><row r="1">`
  for (const [i, { name }] of columns.entries()) yield `<c r="${letters[i]}1" ${textCell(name, STYLES.head)}</c>`
  yield '</row>'
  let number = 1
  for (const row of rowsOf(json)) {
    number += 1
    if ((number - 1) * columns.length > MAX_CELLS) {
      throw new ResultNotWritableError(
        `A workbook (xlsx) has at most ${MAX_CELLS.toLocaleString('en-US')} cells, and this result has more. Ask for csv or parquet, or for fewer rows.`,
      )
    }
    let text = `<row r="${number}">`
    for (const [i, cell] of membersOf(row, columns.length).entries()) {
      if (cell !== 'null') text += `<c r="${letters[i]}${number}" ${writers[i]!(cell)}</c>`
    }
    yield `${text}</row>`
  }
  yield '</sheetData></worksheet>'
}

/** The widths of columns of times, in characters. */
const WIDTHS: Readonly<Record<string, number>> = { DATE: 12, TIME: 10, DATETIME: 20, TIMESTAMP: 20 }

/** A, B, …, Z, AA. */
const columnLetters = (index: number): string =>
  (index < 26 ? '' : columnLetters(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))

const wordCell: WriteCell = cell => textCell(wordOf(cell))
const decimalCell: WriteCell = cell => {
  const word = wordOf(cell)
  return countDigits(word) <= MOST_DIGITS ? numberCell(word) : textCell(word)
}

/** Cells of another type are the text of their JSON. */
const WRITERS: Readonly<Partial<Record<Type['kind'], WriteCell>>> = {
  STRING: cell => textCell(stringOf(cell)),
  INT64(cell) {
    const word = wordOf(cell)
    const value = BigInt(word)
    return value >= -MAX_SAFE && value <= MAX_SAFE ? numberCell(word, STYLES.integer) : textCell(word)
  },
  NUMERIC: decimalCell,
  BIGNUMERIC: decimalCell,
  FLOAT64: cell => (Number.isFinite(Number(wordOf(cell))) ? numberCell(wordOf(cell)) : textCell(wordOf(cell))),
  BOOL: cell => `t="b"><v>${cell === 'true' ? 1 : 0}</v>`,
  DATE: cell => timeCell(BigInt(daysOf(cell)) * MICROS_PER_DAY, STYLES.date, cell),
  TIME: cell => numberCell(String(Number(timeOf(cell)) / Number(MICROS_PER_DAY)), STYLES.time),
  DATETIME: cell => timeCell(microsOf(cell), STYLES.datetime, cell),
  TIMESTAMP: cell => timeCell(timestampOf(cell), STYLES.datetime, cell),
  BYTES: wordCell,
  INTERVAL: wordCell,
  'RANGE<DATE>': wordCell,
  'RANGE<DATETIME>': wordCell,
  'RANGE<TIMESTAMP>': wordCell,
}

/** The significant digits of a decimal. */
const countDigits = (word: string): number => word.replace(/[^\d]/g, '').replace(/^0+/, '').replace(/0+$/, '').length

const MICROS_PER_DAY = 86_400_000_000n
/** 1970 and 1 March 1900 in Excel's days. Excel has a 29 February 1900, so earlier days differ between programs. */
const [DAYS_TO_1970, FIRST_DAY] = [25_569n, 61n]

/** A number of days where a double holds it to the microsecond (always until 2079, whole seconds until 9999), otherwise a text. */
function timeCell(micros: bigint, style: number, cell: string): string {
  const sinceExcel = micros + DAYS_TO_1970 * MICROS_PER_DAY
  const [day, time] = [sinceExcel / MICROS_PER_DAY, sinceExcel % MICROS_PER_DAY]
  const serial = Number(day) + Number(time) / Number(MICROS_PER_DAY)
  const isExact = BigInt(Math.round((serial - Number(day)) * Number(MICROS_PER_DAY))) === time
  return day >= FIRST_DAY && isExact ? numberCell(String(serial), style) : textCell(wordOf(cell))
}

const numberCell = (number: string, style = 0): string => `s="${style}"><v>${number}</v>`

/** @throws ResultNotWritableError for a text that no cell can hold. */
function textCell(text: string, style: number = STYLES.text): string {
  if (text.length > MAX_TEXT) {
    throw new ResultNotWritableError(
      `A cell of a workbook (xlsx) has at most ${MAX_TEXT.toLocaleString('en-US')} characters, and a text of this result has more. Ask for csv or parquet.`,
    )
  }
  return `s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** Characters that XML forbids or changes, and an underscore that would be read as the start of an escape (ECMA-376 22.4.2.4). */
const UNWRITABLE = /[&<>]|[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[\dA-Fa-f]{4}_)/g

const escapeXml = (text: string): string =>
  text.replace(
    UNWRITABLE,
    char => ENTITIES[char] ?? `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  )
