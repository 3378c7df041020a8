/**
 * Writes a result as a Parquet file: its rows in groups, each written and forgotten before the next is read. The types are those
 * of arrow-writer.ts, except that BIGNUMERIC is text: readers take decimals of at most 38 digits, and DuckDB reads a longer one as
 * a double.
 */
import { ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { ScalarKind } from '../../googlesql/data.js'
import type { ResultColumn } from '../model/query.js'
import { BodyTooLargeError } from '../result/body.js'
import type { RowWriter } from '../result/row-writer.js'
import type { RowFacts } from './format.js'
import { itemsOf, membersOf, stringOf, wordOf } from './rows.js'
import {
  bytesOf,
  daysOf,
  decimalOf,
  doubleOf,
  integerOf,
  isNullable,
  isTrue,
  microsOf,
  nullInRequired,
  schemaMetadata,
  type TypedField,
  timeOf,
  timestampOf,
  typedColumns,
  typedElement,
  typedFields,
  Values,
} from './typed-values.js'

/** A group of rows ends at this many rows or bytes of JSON. */
const GROUP_ROWS = 50_000
const GROUP_BYTES = 4_000_000

/** Each column of a group is one page, so no index of its pages is needed. */
const PAGES = { encoding: 'PLAIN', offsetIndex: false } as const

/** Rows as a file, in groups. The file's end lists all groups, which takes some hundred bytes of memory for each. */
export class ParquetStream implements RowWriter {
  readonly #maxBytes: number
  readonly #columns: readonly Column[]
  readonly #writer = new Values()
  readonly #file: ParquetWriter
  #rows = 0
  #bytes = 0

  /** @throws TypeError when a column's type cannot be read. */
  constructor(columns: readonly ResultColumn[], facts: RowFacts) {
    this.#maxBytes = facts.maxBytes ?? Number.POSITIVE_INFINITY
    const typed = typedColumns(columns, facts)
    this.#columns = typed.map(field => {
      return { name: field.name, statistics: INTEGERS.has(field.type.kind), read: readerOf(field), data: [] }
    })
    this.#file = new ParquetWriter({
      writer: this.#writer,
      schema: [{ name: 'schema', num_children: columns.length }, ...typed.flatMap(schemaElements)],
      kvMetadata: [...schemaMetadata(facts)].map(([key, value]) => ({ key, value })),
      createdBy: 'sluice',
    })
  }

  /** @throws JsonTextError, also for NULL in a required column. */
  add(cells: readonly string[]): void {
    for (const [i, { read, data }] of this.#columns.entries()) {
      this.#bytes += cells[i]!.length
      data.push(read(cells[i]!))
    }
    this.#rows += 1
    if (this.#rows === GROUP_ROWS || this.#bytes >= GROUP_BYTES) this.#writeGroup()
  }

  takePart(): Uint8Array | null {
    // The first bytes of the file go with the first group: until then, a failure can still be answered as a problem.
    return this.#file.row_groups.length === 0 || this.#writer.index === 0 ? null : this.#writer.take()
  }

  finish(): Uint8Array {
    if (this.#rows > 0) this.#writeGroup()
    this.#file.finish()
    this.#checkSize()
    return this.#writer.take()
  }

  #writeGroup(): void {
    const columnData = this.#columns.map(column => ({ ...column, ...PAGES }))
    this.#file.write({ columnData, rowGroupSize: this.#rows, pageSize: 0 })
    for (const { data } of this.#columns) data.length = 0
    this.#rows = this.#bytes = 0
    this.#checkSize()
  }

  #checkSize(): void {
    if (this.#writer.offset > this.#maxBytes) throw new BodyTooLargeError(this.#maxBytes)
  }
}

/** For columns of these types a group lists the least and the greatest value, so that readers can skip it. Texts would take long. */
const INTEGERS: ReadonlySet<string> = new Set(['INT64', 'DATE', 'TIME', 'DATETIME', 'TIMESTAMP'])

/** A column, with the values of the current group. */
interface Column {
  readonly name: string
  readonly statistics: boolean
  readonly read: ReadCell
  readonly data: unknown[]
}

/** The value of a cell's JSON text as the library takes it. @throws JsonTextError, also for NULL in a required column. */
type ReadCell = (cell: string) => unknown

type StoredType = Omit<SchemaElement, 'name'>

const TEXT: StoredType = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }
const WORD = [TEXT, wordOf] as const

const micros = (type: 'TIME' | 'TIMESTAMP', isAdjustedToUTC: boolean): StoredType => ({
  type: 'INT64',
  logical_type: { type, isAdjustedToUTC, unit: 'MICROS' },
})

const DECIMAL = { precision: 38, scale: 9 } as const
const NUMERIC: StoredType = {
  ...{ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', ...DECIMAL },
  logical_type: { type: 'DECIMAL', ...DECIMAL },
}

/** How each scalar type is stored, and the function that reads its cells. */
const SCALARS: Readonly<Record<ScalarKind, readonly [StoredType, ReadCell]>> = {
  INT64: [{ type: 'INT64' }, integerOf],
  FLOAT64: [{ type: 'DOUBLE' }, doubleOf],
  NUMERIC: [NUMERIC, cell => decimalOf(cell, DECIMAL.scale, 128)],
  BIGNUMERIC: WORD,
  BOOL: [{ type: 'BOOLEAN' }, isTrue],
  STRING: [TEXT, stringOf],
  BYTES: [{ type: 'BYTE_ARRAY' }, bytesOf],
  DATE: [{ type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }, daysOf],
  TIME: [micros('TIME', false), timeOf],
  // The older converted type would mean a time in UTC.
  DATETIME: [micros('TIMESTAMP', false), microsOf],
  TIMESTAMP: [{ ...micros('TIMESTAMP', true), converted_type: 'TIMESTAMP_MICROS' }, timestampOf],
  JSON: [TEXT, cell => cell],
  INTERVAL: WORD,
  'RANGE<DATE>': WORD,
  'RANGE<DATETIME>': WORD,
  'RANGE<TIMESTAMP>': WORD,
}

/** The elements of a column or field, depth first. */
function schemaElements(field: TypedField): readonly SchemaElement[] {
  const { name, type, requirement } = field
  const repetition_type = isNullable(field) ? 'OPTIONAL' : 'REQUIRED'
  if (type.kind === 'ARRAY') {
    return [
      { name, repetition_type, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...schemaElements(typedElement('element', type.element, requirement)),
    ]
  }
  if (type.kind === 'STRUCT') {
    const children = typedFields(type.fields, requirement).flatMap(schemaElements)
    return [{ name, repetition_type, num_children: type.fields.length }, ...children]
  }
  return [{ name, repetition_type, ...SCALARS[type.kind][0] }]
}

/** Reads the values of a column or field. */
function readerOf(field: TypedField): ReadCell {
  const { name, type, requirement } = field
  if (type.kind === 'ARRAY') {
    const read = readerOf(typedElement('element', type.element, requirement))
    return cell => (cell === 'null' ? [] : itemsOf(cell).map(read))
  }
  const read = type.kind === 'STRUCT' ? structReaderOf(typedFields(type.fields, requirement)) : SCALARS[type.kind][1]
  return cell => {
    if (cell !== 'null') return read(cell)
    if (requirement.required) throw nullInRequired(name)
    return null
  }
}

function structReaderOf(fields: readonly TypedField[]): ReadCell {
  const readers = fields.map(field => [field.name, readerOf(field)] as const)
  return cell => {
    const members = membersOf(cell, readers.length)
    return Object.fromEntries(readers.map(([name, read], i) => [name, read(members[i]!)]))
  }
}
