/** Finds out how a CSV file is written, from its beginning. */
import { isUtf8 } from 'node:buffer'
import type { TextEncoding, TextForm } from '../../../googlesql/index.js'
import { CsvRecordEnds, cellsOf, w3cNames } from '../../../runner/engines/duckdb/tables/rows/csv.js'
import { type CsvForm, csvForm, lacksFirstName } from '../../../runner/engines/duckdb/tables/rows/csv-form.js'
import { decoderOf } from '../../../runner/engines/duckdb/tables/rows/decode-text.js'
import { markedEncoding } from '../../../runner/engines/duckdb/tables/rows/row-stream.js'
import { QueryFault } from '../../../runner/model/query-fault.js'
import type { ImportSource } from '../import/formats/source-file.js'
import { kindOfCell, type ValueKind } from './value-kinds.js'

interface Row {
  readonly line: number
  readonly cells: readonly string[]
  readonly lastByte: number | undefined
}

type Reading = NonNullable<ReturnType<typeof readingBy>>

/** The separator of cells that a first line for Excel names, `sep=;`. */
const markedSeparator = (text: Buffer): string | undefined =>
  /^\ufeff?sep=([\x21-\x7e\t])\r?\n/i.exec(text.toString('utf8', 0, 10))?.[1]

/** In the order of preference where several fit. The comma is last, because it may also be in numbers. */
const DELIMITERS = [';', '\t', '|', ',']
const MAX_ROWS = 500
const LEAST_SHARE = 0.95

/**
 * Adds to the given form what the sample shows, where that differs from the default form; `doubts` tells the author what was added.
 * @throws QueryFault where rows without a header are below other lines, because no form describes such a file.
 */
export function findForm(sample: Buffer, { name, format }: ImportSource, givenForm: TextForm) {
  const form: { -readonly [Name in keyof TextForm]: TextForm[Name] } = { ...givenForm }
  const doubts: string[] = []
  const encoding = givenForm.encoding ?? encodingOf(sample)
  if (encoding !== (givenForm.encoding ?? 'UTF-8')) {
    form.encoding = encoding
    doubts.push(`is read as ${encoding}, since it is not UTF-8: if that is wrong, give --encoding`)
  }
  const text = decoderOf(encoding)?.decode(sample) ?? sample
  const defaultDelimiter = String.fromCharCode(csvForm(givenForm, format).delimiter)
  const marked = markedSeparator(text)
  if (marked !== undefined && givenForm.delimiter === undefined) form.delimiter = marked
  const reading = bestReading(text, form, defaultDelimiter, format === 'tsv')
  if (reading === null) return { form, doubts }
  if (reading.delimiter !== defaultDelimiter) {
    form.delimiter = reading.delimiter
    doubts.push(`has cells separated by ${JSON.stringify(reading.delimiter)}: if that is wrong, give --delimiter`)
  }
  const { rows, headerIndex } = reading
  const header = rows[headerIndex]!
  const below = rows.slice(headerIndex + 1)
  const value = header.cells.find((cell, i) => isValueAmong(cell, below, i))
  if (givenForm.skipLeadingRows === undefined && headerIndex > 0) {
    if (value !== undefined && !areNames(header.cells))
      throw new QueryFault(
        `${name}: its line ${header.line} looks like a row, since it has ${JSON.stringify(value)}, and the lines above it name no columns: delete them and give --skip-rows 0, or give --skip-rows ${header.line} if that line is the header`,
      )
    form.skipLeadingRows = header.line
    doubts.push(
      `has its header in line ${header.line}, and the lines above it are passed over: if that is wrong, give --skip-rows`,
    )
  } else if (givenForm.skipLeadingRows === undefined && value !== undefined) {
    if (areNames(header.cells)) {
      doubts.push(`has a column named ${JSON.stringify(value)}: if the first line is a row, give --skip-rows 0`)
    } else {
      form.skipLeadingRows = 0
      doubts.push(
        `has no header, since ${JSON.stringify(value)} in its first line looks like a value: if it has one, give --skip-rows 1`,
      )
    }
  }
  const isWhole = text.length < SAMPLE_BYTES && rows.length < MAX_ROWS
  const note = isWhole && header.cells.length > 2 ? firstNote(below) : undefined
  if (note !== undefined)
    doubts.push(
      `has one cell a line from line ${note.line} to its end: if these are notes, delete them, since each is read as a row`,
    )
  const comma = givenForm.decimalComma === undefined ? decimalComma(below) : undefined
  if (comma !== undefined) {
    form.decimalComma = true
    doubts.push(`has numbers with a decimal comma (${JSON.stringify(comma)})`)
  } else if (givenForm.decimalComma === undefined && reading.delimiter === ';') {
    const thousands = pointedThousands(below)
    if (thousands !== undefined)
      doubts.push(
        `has numbers like ${JSON.stringify(thousands)}: if that is ${thousands.replaceAll('.', '')}, give --decimal-comma`,
      )
  }
  return { form, doubts }
}

/** The first of the notes at the end: rows with at most one filled cell, below a row with more. */
function firstNote(rows: readonly Row[]): Row | undefined {
  const isNote = ({ cells }: Row): boolean => cells.filter(cell => cell !== '').length < 2
  const last = rows.findLastIndex(row => !isNote(row))
  return last < 0 ? undefined : rows[last + 1]
}

/** The encoding of a file that begins with these bytes: UTF-8 where that is possible. */
export function encodingOf(sample: Buffer): TextEncoding {
  const marked = markedEncoding(sample)
  if (marked !== null) return marked
  const lines = sample.subarray(0, sample.lastIndexOf(0x0a) + 1)
  // Text with one byte for each character has no zero bytes.
  if (isUtf8(lines.length > 0 ? lines : sample) || sample.includes(0)) return 'UTF-8'
  // A file that has some letters beyond ASCII in valid UTF-8 is damaged UTF-8, not Windows-1252.
  return /[\u0080-\ufffc]/.test(sample.toString('utf8')) ? 'UTF-8' : 'Windows-1252'
}

function bestReading(text: Buffer, form: TextForm, defaultDelimiter: string, isTsv: boolean): Reading | null {
  const likely = /^#Fields:\s/m.test(text.toString('latin1', 0, 2000)) ? [...DELIMITERS, ' '] : DELIMITERS
  const delimiters = form.delimiter === undefined ? likely : [form.delimiter]
  const readings = delimiters.flatMap(delimiter => readingBy(delimiter, text, form) ?? [])
  const namePreference = ({ delimiter }: Reading): number => Number(isTsv && delimiter === defaultDelimiter)
  const best = readings.sort(
    (a, b) =>
      b.share - a.share || namePreference(b) - namePreference(a) || a.headerIndex - b.headerIndex || b.cells - a.cells,
  )[0]
  if (best && best.share >= LEAST_SHARE && isTitled(best, text)) return best
  return readings.find(({ delimiter, headerIndex }) => delimiter === defaultDelimiter && headerIndex === 0) ?? null
}

/** Whether the lines above the header are a title. In a file of one column, a line above could also be the header itself. */
function isTitled({ rows, headerIndex, cells }: Reading, text: Buffer): boolean {
  if (headerIndex === 0 || cells > 2 || markedSeparator(text) !== undefined) return true
  const above = rows.slice(0, headerIndex)
  return above.some(({ cells: [cell = ''] }) => cell.startsWith('#')) || /\n\r?\n/.test(text.toString('utf8', 0, 2000))
}

/**
 * The rows as one delimiter separates their cells. `cells` is the number of cells that most rows have, `headerIndex` the index of the
 * first row with this number, and `share` the share of such rows among the rows from there to the last such row.
 */
function readingBy(delimiter: string, text: Buffer, form: TextForm) {
  const csv = csvForm({ ...form, delimiter, skipLeadingRows: 1 }, 'csv')
  const rows = withoutLastDelimiters(rowsOf(text, csv))
  const namesIn = (row: Row): readonly string[] | null => w3cNames(row.cells.join(' '), csv)
  const fields = rows.findIndex(row => namesIn(row) !== null)
  if (fields >= 0) rows[fields] = { ...rows[fields]!, cells: namesIn(rows[fields]!)! }
  const counts = new Map<number, number>()
  for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1)
  const [commonCount = 0] = [...counts].filter(([count]) => count > 1).sort(([, a], [, b]) => b - a)[0] ?? []
  const cells = rows[fields]?.cells.length ?? commonCount
  if (cells === 0) return null
  const [header, next] = rows
  // An empty line ends a title.
  const isBelow = next?.line === (header?.line ?? 0) + 1
  if (header && isBelow && lacksFirstName(header.cells.length, next.cells.length, next.lastByte, csv))
    rows[0] = { ...header, cells: ['', ...header.cells] }
  const minIndex = fields >= 0 ? fields : markedSeparator(text) === undefined ? 0 : 1
  let headerIndex = rows.findIndex((row, i) => row.cells.length === cells && i >= minIndex)
  if (headerIndex < 0) return null
  // A spreadsheet writes a title with as many delimiters as every row has.
  while (cells > 2 && headerIndex < rows.length - 1 && rows[headerIndex]!.cells.filter(cell => cell !== '').length < 2)
    headerIndex++
  const isComplete = (row: Row): boolean => row.cells.length === cells
  const from = rows.slice(headerIndex)
  const completeRows = from.filter(isComplete).length
  // Notes at the end are not counted as rows, unless they are most of the lines.
  const counted = completeRows * 2 > from.length ? from.findLastIndex(isComplete) + 1 : from.length
  return { delimiter, rows, headerIndex, cells, share: completeRows / counted }
}

/** Drops the empty cell that a delimiter at the end of each row makes, if the header has no such cell: imports ignore it too. */
function withoutLastDelimiters(rows: Row[]): Row[] {
  const width = rows[0]?.cells.length ?? 0
  const isLonger = ({ cells }: Row): boolean => cells.length === width + 1
  if (width < 2 || rows.some(row => isLonger(row) && row.cells[width] !== '')) return rows
  return rows.map(row => (isLonger(row) ? { ...row, cells: row.cells.slice(0, width) } : row))
}

/** The first rows, without those that are cut or have a misplaced quote. */
function rowsOf(text: Buffer, csv: CsvForm): Row[] {
  const ends = new CsvRecordEnds(csv)
  const rows: Row[] = []
  const mark = text.toString('latin1', 0, 3) === '\xef\xbb\xbf' ? 3 : 0
  for (let [start, line] = [mark, 1]; start < text.length && rows.length < MAX_ROWS; line += ends.lines) {
    const end = ends.next(text, start)
    const isCut = end < 0
    if (isCut && rows.length > 0 && text.length >= SAMPLE_BYTES) break
    const stop = isCut ? text.length : end
    const row = text.subarray(start, text[stop - 1] === 0x0d ? Math.max(start, stop - 1) : stop)
    try {
      const cells = cellsOf(row, 0, row.length, csv).map(cell => cell.text ?? '')
      if (cells.length > 1 || cells[0]!.trim() !== '') rows.push({ line, cells, lastByte: row.at(-1) })
    } catch {
      // The reader of the rows reports it.
    }
    start = stop + 1
  }
  return rows
}

/** The least length of a sample, unless the file is shorter. */
export const SAMPLE_BYTES = 1 << 16

const NUMBERS: readonly ValueKind[] = ['integer', 'large-integer', 'wide-integer', 'number', 'decimal']
const TIMES: readonly ValueKind[] = ['time', 'local-time', 'date', 'day-first', 'month-first']
const VALUES: readonly ValueKind[] = [...NUMBERS, 'decimal-comma', 'spaced-thousands', ...TIMES]

/** Whether a cell is a number, a date or a time, also in the spelling of a country. */
export const isValue = (cell: string): boolean => VALUES.includes(kindOfCell(cell))
const isMissing = (cell: string): boolean => ['empty', 'null-word'].includes(kindOfCell(cell))
const isNumber = (cell: string): boolean => !TIMES.includes(kindOfCell(cell))

/** Whether a cell of a header is a value like those below it. A date above numbers is the name of their column. */
function isValueAmong(cell: string, below: readonly Row[], index: number): boolean {
  const column = below.map(({ cells }) => cells[index] ?? '')
  const isLike = (text: string): boolean => isMissing(text) || (isValue(text) && isNumber(text) === isNumber(cell))
  return column.length > 0 && isValue(cell) && column.every(isLike)
}

/** Whether the numbers in a header are names of columns: years, or numbers that count up. */
function areNames(header: readonly string[]): boolean {
  const values = header.filter(isValue)
  const isYears = values.every(value => /^(?:1[89]|20|21)\d\d$/.test(value))
  return isYears || (values.length > 1 && values.every((value, i) => value === String(Number(values[0]) + i)))
}

/** The first number with a point, in a column where each point may stand between thousands: three digits follow it, as in `1.234`. */
function pointedThousands(rows: readonly Row[]): string | undefined {
  const width = rows[0]?.cells.length ?? 0
  for (let i = 0; i < width; i++) {
    const column = rows.map(({ cells }) => cells[i] ?? '').filter(cell => !isMissing(cell))
    const sample = column.find(cell => /^-?[1-9]\d{0,2}\.\d{3}$/.test(cell))
    if (sample !== undefined && column.every(cell => /^-?(?:[1-9]\d{0,2}\.\d{3}|\d{1,3})$/.test(cell))) return sample
  }
  return undefined
}

/**
 * The first number that shows a decimal comma: its column has numbers alone, and no number has a decimal point. `1,234` is
 * no proof, because its comma may also stand between thousands.
 */
function decimalComma(rows: readonly Row[]): string | undefined {
  const isNumber = (cell: string): boolean => NUMBERS.includes(kindOfCell(cell, true))
  if (rows.some(({ cells }) => cells.some(cell => kindOfCell(cell) === 'number' && !isNumber(cell)))) return undefined
  const width = rows[0]?.cells.length ?? 0
  for (let i = 0; i < width; i++) {
    const column = rows.map(({ cells }) => cells[i] ?? '').filter(cell => !isMissing(cell))
    const proof = column.find(cell => kindOfCell(cell) === 'decimal-comma' && !/^-?\d{1,3},\d{3}$/.test(cell))
    if (proof !== undefined && column.every(isNumber)) return proof
  }
  return undefined
}
