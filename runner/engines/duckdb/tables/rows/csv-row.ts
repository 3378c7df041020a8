/** Converts records of CSV to rows of JSON by a table's schema. */
import { QueryFault } from '../../../../model/query-fault.js'
import { BadRowError, shown } from './bad-row.js'
import { asOneName, headerNames } from './column-name.js'
import { type Cell, cellsOf } from './csv.js'
import { GIVEN, jsonObject } from './json-row.js'
import { expectation, leafOfText } from './leaf.js'
import type { RowField, RowRecord } from './row-schema.js'
import type { RowReader } from './row-stream.js'

export class CsvRowReader implements RowReader {
  readonly #record: RowRecord
  readonly #leavesOut: string | null
  /** The fields by position, with null for an ignored column. Null until the header has been read. */
  #columns: readonly (RowField | null)[] | null = null
  /** The fields that the file does not have, and that a row has all the same. */
  #absent: readonly RowField[] = []

  /** @param leavesOut see rowFormat */
  constructor(record: RowRecord, leavesOut: string | null) {
    this.#record = record
    this.#leavesOut = leavesOut
  }

  /** Reads a record; the first one is the header. @throws BadRowError; QueryFault when the header is invalid. */
  read(bytes: Buffer, start: number, end: number): string | null {
    const cells = cellsOf(bytes, start, end)
    if (this.#columns !== null) return this.#readRow(this.#columns, cells)
    this.#columns = this.#readHeader(cells)
    return null
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
    if (cells.length !== columns.length) {
      throw new BadRowError(0, '', `${cells.length} cells`, `${columns.length}, as the header has`)
    }
    const members = new Map(this.#absent.map(field => [field, field.given ?? '[]']))
    for (const [i, field] of columns.entries()) {
      const value = field === null ? null : jsonOf(field, cells[i]!)
      if (field !== null && value !== null) members.set(field, value)
    }
    return jsonObject(members)
  }
}

/** The value as JSON; null for a NULL. */
function jsonOf(field: RowField, { text, offset }: Cell): string | null {
  if (text === null) {
    if (!field.isRequired) return null
    throw new BadRowError(offset, field.name, 'an empty cell', 'a value: the field is REQUIRED')
  }
  const leaf = field.kind === 'STRUCT' ? null : leafOfText(field.kind, text, field.limits)
  if (leaf !== null) return leaf
  throw new BadRowError(offset, field.name, `"${shown(text)}"`, expectation(field.kind, field.limits))
}
