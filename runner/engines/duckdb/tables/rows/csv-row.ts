/** Converts records of CSV to rows of JSON by a table's schema. */
import { PARTITION_TIME } from '../../../../../googlesql/data.js'
import { QueryFault } from '../../../../model/query-fault.js'
import { BadRowError, shown } from './bad-row.js'
import { asOneName, headerNames } from './column-name.js'
import { type Cell, cellsOf, headerOf } from './csv.js'
import { type CsvForm, formHint, hasDecimals, lacksFirstName, withPoint } from './csv-form.js'
import { GIVEN, jsonObject } from './json-row.js'
import { expectation, leafOfText } from './leaf.js'
import type { RowField, RowRecord } from './row-schema.js'
import type { RowReader } from './row-stream.js'

export class CsvRowReader implements RowReader {
  readonly #record: RowRecord
  readonly #leavesOut: string | null
  readonly #form: CsvForm
  /** The fields by position, with null for an ignored column. Null until the header, or the first row, has been read. */
  #columns: readonly (RowField | null)[] | null = null
  /** Null after the first row. */
  #header: readonly Cell[] | null = null
  /** The fields that the file does not have, and that a row has all the same. */
  #absent: readonly RowField[] = []

  /** @param leavesOut see rowFormat */
  constructor(record: RowRecord, leavesOut: string | null, form: CsvForm) {
    this.#record = record
    this.#leavesOut = leavesOut
    this.#form = form
  }

  /** Reads a record, where there is one the header. @throws BadRowError; QueryFault when the header is invalid. */
  read(bytes: Buffer, start: number, end: number, line: number): string | null {
    const { headerLine } = this.#form
    if (line < headerLine) return null
    if (this.#columns === null && headerLine > 0) {
      this.#header = headerOf(bytes, start, end, this.#form)
      expectDelimiter(this.#header, this.#form)
      this.#columns = this.#readHeader(this.#header)
      return null
    }
    const cells = cellsOf(bytes, start, end, this.#form)
    if (this.#header && lacksFirstName(this.#header.length, cells.length, bytes[end - 1], this.#form))
      this.#columns = this.#readHeader([NO_CELL, ...this.#header])
    this.#header = null
    this.#columns ??= this.#readHeader(this.#inOrder())
    expectCells(cells.length, this.#columns.length, bytes[end - 1], this.#form)
    return this.#readRow(this.#columns, cells)
  }

  /** The header that a file without one would have. */
  #inOrder(): readonly Cell[] {
    const fields = this.#record.fields.filter(({ name, given }) => name !== PARTITION_TIME && given === null)
    return fields.map(({ name }) => ({ text: name, offset: 0 }))
  }

  #readHeader(cells: readonly Cell[]): readonly (RowField | null)[] {
    const problems: string[] = []
    const keys = new Map<RowField, string>()
    const unknown: string[] = []
    const columns = headerNames(cells.map(({ text }) => text ?? '')).map(name => {
      const field = this.#record.find(name) ?? null
      if (field === null) {
        unknown.push(JSON.stringify(shown(name)))
        return field
      }
      const other = keys.get(field)
      if (other !== undefined) problems.push(`the header names ${field.name} twice${asOneName(other, name)}`)
      keys.set(field, name)
      if (field.given !== null) problems.push(`the header names ${field.name}: expected ${GIVEN}`)
      if (field.isRepeated || field.record !== null)
        problems.push(`${field.name} is ${field.isRepeated ? 'REPEATED' : 'a RECORD'}, which CSV cannot hold`)
      return field
    })
    if (columns.every(column => column === null)) {
      problems.push(`the header names no column of the table: ${unknown.join(', ')}`)
    } else if (unknown.length > 0 && this.#leavesOut !== null) {
      const [what, them] = unknown.length === 1 ? ['an unknown column', 'it'] : ['unknown columns', 'them']
      problems.push(`the header names ${what}: ${unknown.join(', ')}; ${this.#leavesOut} leaves ${them} out`)
    }
    const awaited = this.#record.awaited.filter(field => !columns.includes(field))
    for (const field of awaited) {
      if (field.isRequired && field.given === null)
        problems.push(`the header does not name ${field.name}, which is REQUIRED`)
    }
    if (problems.length > 0) throw new QueryFault(problems.join('; '))
    this.#absent = awaited
    return columns
  }

  #readRow(columns: readonly (RowField | null)[], cells: readonly Cell[]): string {
    const members = new Map(this.#absent.map(field => [field, field.given ?? '[]']))
    for (const [i, field] of columns.entries()) {
      const value = field === null ? null : jsonOf(field, cells[i] ?? NO_CELL, this.#form.hasDecimalComma)
      if (field !== null && value !== null) members.set(field, value)
    }
    return jsonObject(members)
  }
}

const NO_CELL: Cell = { text: null, offset: 0 }

/** @throws BadRowError for a row with another number of cells. A delimiter at its end has no cell behind it. */
export function expectCells(count: number, columns: number, lastByte: number | undefined, form: CsvForm): void {
  const { isJagged, headerLine, delimiter } = form
  if (count === columns || (count < columns && isJagged) || (count === columns + 1 && lastByte === delimiter)) return
  const where = headerLine > 0 ? 'the header' : 'the table'
  throw new BadRowError(0, '', count === 1 ? '1 cell' : `${count} cells`, `${columns}, as ${where} has`)
}

/** @throws QueryFault for a header of one cell in which another character stands between the names. */
export function expectDelimiter([cell, ...others]: readonly Cell[], { delimiter }: CsvForm): void {
  const text = cell?.text ?? ''
  const separator = [';', '\t', '|', ','].find(mark => text.includes(mark) && mark.charCodeAt(0) !== delimiter)
  if (separator === undefined || others.length > 0) return
  const [is, was] = [separator, String.fromCharCode(delimiter)].map(mark => JSON.stringify(mark))
  const flag = separator === '\t' ? '--delimiter tab' : `--delimiter '${separator}'`
  throw new QueryFault(
    `cells are separated by ${was}, and this header by ${is}: ${shown(text)}; it needs ${formHint('fieldDelimiter', separator, flag)}`,
  )
}

/** The value as JSON; null for a NULL. */
function jsonOf(field: RowField, { text, offset }: Cell, hasDecimalComma: boolean): string | null {
  if (text === null) {
    if (!field.isRequired) return null
    throw new BadRowError(offset, field.name, 'an empty cell', 'a value: the field is REQUIRED')
  }
  const isWithComma = hasDecimalComma && hasDecimals(field.kind)
  const plain = isWithComma ? withPoint(text) : text
  const leaf = field.kind === 'STRUCT' || plain === null ? null : leafOfText(field.kind, plain, field.limits)
  if (leaf !== null) return leaf
  const how = isWithComma ? ', with a decimal comma' : ''
  throw new BadRowError(offset, field.name, `"${shown(text)}"`, expectation(field.kind, field.limits) + how)
}
