/** Converts records of CSV to rows of JSON by a table's schema. */
import { PARTITION_TIME } from '../../../../../googlesql/data.js'
import { QueryFault } from '../../../../model/query-fault.js'
import { BadRowError, excerptOf } from './bad-row.js'
import { headerNames, sameNameNote } from './column-name.js'
import { type Cell, cellsOf, headerOf } from './csv.js'
import { type CsvForm, formHint, hasDecimals, lacksFirstName, withPoint } from './csv-form.js'
import { FOLDER_ONLY, jsonObject } from './json-row.js'
import { expectation, leafOfText } from './leaf.js'
import type { RowField, RowRecord } from './row-schema.js'
import type { RowReader } from './row-stream.js'

/** Reads a file's records by the columns of its header. */
export interface CsvContents<Column> {
  /** @throws QueryFault for a header that is invalid. */
  readonly columnsOf: (header: readonly Cell[]) => readonly Column[]
  /** The header for a file without one. @param row the first row */
  readonly headerFor: (row: readonly Cell[]) => readonly Cell[]
  /** Reads a record, as `RowReader.read` does. */
  readonly read: (columns: readonly Column[], cells: readonly Cell[], line: number) => string | null
}

/** Reads the records of a file: first its header, if it has one. */
export function csvReader<Column>({ columnsOf, headerFor, read }: CsvContents<Column>, form: CsvForm): RowReader {
  /** The columns in order; null until the header, or the first row, has been read. */
  let columns: readonly Column[] | null = null
  /** The header; null after the first row, which may show that it lacks a name. */
  let header: readonly Cell[] | null = null
  return {
    read(bytes, start, end, line) {
      if (line < form.headerLine) return null
      if (columns === null && form.headerLine > 0) {
        header = headerOf(bytes, start, end, form)
        expectDelimiter(header, form)
        columns = columnsOf(header)
        return null
      }
      const cells = cellsOf(bytes, start, end, form)
      if (header && lacksFirstName(header.length, cells.length, bytes[end - 1], form))
        columns = columnsOf([NO_CELL, ...header])
      header = null
      columns ??= columnsOf(headerFor(cells))
      expectCells(cells.length, columns.length, bytes[end - 1], form)
      return read(columns, cells, line)
    },
  }
}

/** Converts rows to JSON. Ignored columns are null in the list of columns. @param ignoreSetting see rowFormat */
export function csvRowReader(record: RowRecord, ignoreSetting: string | null, form: CsvForm): RowReader {
  /** The fields that are not in the file but must be in each row: see RowRecord.neededFields. */
  let absent: readonly RowField[] = []

  function columnsOf(header: readonly Cell[]): readonly (RowField | null)[] {
    const problems: string[] = []
    const keys = new Map<RowField, string>()
    const unknown: string[] = []
    const columns = headerNames(header.map(({ text }) => text ?? '')).map(name => {
      const field = record.find(name) ?? null
      if (field === null) {
        unknown.push(JSON.stringify(excerptOf(name)))
        return field
      }
      const other = keys.get(field)
      if (other !== undefined) problems.push(`the header names ${field.name} twice${sameNameNote(other, name)}`)
      keys.set(field, name)
      if (field.folderValue !== null) problems.push(`the header names ${field.name}: expected ${FOLDER_ONLY}`)
      if (field.isRepeated || field.record !== null)
        problems.push(`${field.name} is ${field.isRepeated ? 'REPEATED' : 'a RECORD'}, which CSV cannot hold`)
      return field
    })
    if (columns.every(column => column === null)) {
      problems.push(`the header names no column of the table: ${unknown.join(', ')}`)
    } else if (unknown.length > 0 && ignoreSetting !== null) {
      const [what, them] = unknown.length === 1 ? ['an unknown column', 'it'] : ['unknown columns', 'them']
      problems.push(`the header names ${what}: ${unknown.join(', ')}; ${ignoreSetting} leaves ${them} out`)
    }
    const needed = record.neededFields.filter(field => !columns.includes(field))
    for (const field of needed) {
      if (field.isRequired && field.folderValue === null)
        problems.push(`the header does not name ${field.name}, which is REQUIRED`)
    }
    if (problems.length > 0) throw new QueryFault(problems.join('; '))
    absent = needed
    return columns
  }

  function read(columns: readonly (RowField | null)[], cells: readonly Cell[]): string {
    const members = new Map(absent.map(field => [field, field.folderValue ?? '[]']))
    for (const [i, field] of columns.entries()) {
      const value = field === null ? null : jsonOf(field, cells[i] ?? NO_CELL, form)
      if (field !== null && value !== null) members.set(field, value)
    }
    return jsonObject(members)
  }

  const inOrder = record.fields.filter(({ name, folderValue: given }) => name !== PARTITION_TIME && given === null)
  return csvReader({ columnsOf, headerFor: () => inOrder.map(({ name }) => ({ text: name, offset: 0 })), read }, form)
}

const NO_CELL: Cell = { text: null, offset: 0 }

/** @throws BadRowError for a row with a wrong number of cells. A delimiter at the end of a row does not begin a cell. */
function expectCells(count: number, columns: number, lastByte: number | undefined, form: CsvForm): void {
  const { isJagged, headerLine, delimiter } = form
  if (count === columns || (count < columns && isJagged) || (count === columns + 1 && lastByte === delimiter)) return
  const where = headerLine > 0 ? 'the header' : 'the table'
  const [found, remedy] = count === 1 ? ['1 cell', '; if it is a note, delete the line'] : [`${count} cells`, '']
  throw new BadRowError(0, '', found, `${columns}, as ${where} has${remedy}`)
}

/** @throws QueryFault for a header of one cell in which another character stands between the names. */
function expectDelimiter([cell, ...others]: readonly Cell[], { delimiter }: CsvForm): void {
  const text = cell?.text ?? ''
  const separator = [';', '\t', '|', ','].find(mark => text.includes(mark) && mark.charCodeAt(0) !== delimiter)
  if (separator === undefined || others.length > 0) return
  const [is, was] = [separator, String.fromCharCode(delimiter)].map(mark => JSON.stringify(mark))
  const flag = separator === '\t' ? '--delimiter tab' : `--delimiter '${separator}'`
  throw new QueryFault(
    `cells are separated by ${was}, and this header by ${is}: ${excerptOf(text)}; it needs ${formHint('fieldDelimiter', separator, flag)}`,
  )
}

/** The value as JSON; null for a NULL. */
function jsonOf(field: RowField, { text, offset }: Cell, { nulls, hasDecimalComma }: CsvForm): string | null {
  // As with BigQuery's `nullMarker`: an empty cell in quotes is a value only of STRING and BYTES, and NULL for other types.
  if (text === null || (text === '' && nulls.has('') && field.kind !== 'STRING' && field.kind !== 'BYTES')) {
    if (!field.isRequired) return null
    throw new BadRowError(offset, field.name, 'an empty cell', 'a value: the field is REQUIRED')
  }
  const isWithComma = hasDecimalComma && hasDecimals(field.kind)
  const plain = isWithComma ? withPoint(text) : text
  const leaf = field.kind === 'STRUCT' || plain === null ? null : leafOfText(field.kind, plain, field.limits)
  if (leaf !== null) return leaf
  const how = isWithComma ? ', with a decimal comma' : ''
  throw new BadRowError(offset, field.name, `"${excerptOf(text)}"`, expectation(field.kind, field.limits) + how)
}
