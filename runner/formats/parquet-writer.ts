/**
 * Writes a result as a Parquet file: its rows in groups, each written and forgotten before the next is read. The types are those
 * that Arrow has here, but BIGNUMERIC is text, since readers take at most 38 digits for a decimal and DuckDB makes a double of
 * more.
 */
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { ScalarKind, Type } from '../../googlesql/data.js'
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
  microsOf,
  nullInRequired,
  schemaMetadata,
  type TypedField,
  timeOf,
  timestampOf,
  typedColumns,
  typedElement,
  typedFields,
} from './typed-values.js'

/** A group of rows ends at this many rows or bytes of JSON, since its values take about ten times as much memory. */
const GROUP_ROWS = 50_000
const GROUP_BYTES = 4_000_000

/** Rows as a file, in groups. The file's end lists all groups, which takes some hundred bytes of memory for each. */
export class ParquetStream implements RowWriter {
  readonly #maxBytes: number
  readonly #typed: readonly TypedField[]
  readonly #values: readonly ReadValue[]
  readonly #writer = new ByteWriter()
  readonly #file: ParquetWriter
  /** The group that is not written yet, by column. */
  #group: readonly unknown[][]
  #rows = 0
  #bytes = 0

  /** @throws TypeError when a column's type cannot be read. */
  constructor(columns: readonly ResultColumn[], facts: RowFacts) {
    this.#maxBytes = facts.maxBytes ?? Number.POSITIVE_INFINITY
    this.#typed = typedColumns(columns, facts)
    this.#values = this.#typed.map(valueReader)
    this.#group = this.#typed.map(() => [])
    this.#file = new ParquetWriter({
      writer: this.#writer,
      schema: [{ name: 'schema', num_children: columns.length }, ...this.#typed.flatMap(schemaElements)],
      kvMetadata: [...schemaMetadata(facts)].map(([key, value]) => ({ key, value })),
      createdBy: 'sluice',
    })
  }

  /** @throws JsonTextError, also for NULL in what is required. */
  add(cells: readonly string[]): void {
    for (let i = 0; i < this.#values.length; i++) {
      this.#bytes += cells[i]!.length
      this.#group[i]!.push(this.#values[i]!(cells[i]!))
    }
    this.#rows += 1
    if (this.#rows === GROUP_ROWS || this.#bytes >= GROUP_BYTES) this.#writeGroup()
  }

  takePart(): Uint8Array | null {
    return this.#writer.index === 0 ? null : this.#take()
  }

  finish(): Uint8Array {
    if (this.#rows > 0) this.#writeGroup()
    this.#file.finish()
    this.#checkSize()
    return this.#take()
  }

  #writeGroup(): void {
    const columnData = this.#typed.map(({ name, type }, i) => ({ name, data: this.#group[i]!, ...encodingOf(type) }))
    this.#file.write({ columnData, rowGroupSize: this.#rows })
    this.#group = this.#typed.map(() => [])
    this.#rows = this.#bytes = 0
    this.#checkSize()
  }

  #checkSize(): void {
    if (this.#writer.offset > this.#maxBytes) throw new BodyTooLargeError(this.#maxBytes)
  }

  #take(): Uint8Array {
    const taken = this.#writer.getBytes().slice()
    this.#writer.index = 0 // `offset` goes on: it counts the bytes of the file.
    return taken
  }
}

/** The writer's dictionaries take -0 and 0 for one value. */
const encodingOf = (type: Type): { readonly encoding?: 'PLAIN' } => (hasDouble(type) ? { encoding: 'PLAIN' } : {})

function hasDouble(type: Type): boolean {
  if (type.kind === 'ARRAY') return hasDouble(type.element)
  return type.kind === 'FLOAT64' || (type.kind === 'STRUCT' && type.fields.some(field => hasDouble(field.type)))
}

/** How a scalar is stored, and the value that the writer takes for the JSON text of a cell. */
interface ParquetScalar {
  readonly leaf: Omit<SchemaElement, 'name' | 'repetition_type'>
  readonly read: (cell: string) => unknown
}

const TEXT: ParquetScalar['leaf'] = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }
const WORD: ParquetScalar = { leaf: TEXT, read: wordOf }

const micros = (type: 'TIME' | 'TIMESTAMP', isAdjustedToUTC: boolean): ParquetScalar['leaf'] => ({
  type: 'INT64',
  logical_type: { type, isAdjustedToUTC, unit: 'MICROS' },
})

const DECIMAL = { precision: 38, scale: 9 } as const

const SCALARS: Readonly<Record<ScalarKind, ParquetScalar>> = {
  INT64: { leaf: { type: 'INT64' }, read: integerOf },
  FLOAT64: { leaf: { type: 'DOUBLE' }, read: doubleOf },
  NUMERIC: {
    leaf: {
      type: 'FIXED_LEN_BYTE_ARRAY',
      type_length: 16,
      converted_type: 'DECIMAL',
      ...DECIMAL,
      logical_type: { type: 'DECIMAL', ...DECIMAL },
    },
    read: cell => decimalOf(cell, DECIMAL.scale, 128),
  },
  BIGNUMERIC: WORD,
  BOOL: { leaf: { type: 'BOOLEAN' }, read: cell => cell === 'true' },
  STRING: { leaf: TEXT, read: stringOf },
  BYTES: { leaf: { type: 'BYTE_ARRAY' }, read: bytesOf },
  DATE: { leaf: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }, read: daysOf },
  TIME: { leaf: micros('TIME', false), read: timeOf },
  // The older converted type would mean a time in UTC.
  DATETIME: { leaf: micros('TIMESTAMP', false), read: microsOf },
  TIMESTAMP: { leaf: { ...micros('TIMESTAMP', true), converted_type: 'TIMESTAMP_MICROS' }, read: timestampOf },
  JSON: { leaf: TEXT, read: cell => cell },
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
  return [{ name, repetition_type, ...SCALARS[type.kind].leaf }]
}

/**
 * Reads a value in the form that the writer takes: decimals as integers of the type's scale, DATE in days, times in microseconds.
 * NULL is undefined, as the writer wants objects and lists to be free of null; in what is required it is a JsonTextError.
 */
type ReadValue = (cell: string) => unknown

function valueReader(field: TypedField): ReadValue {
  const read = presentReader(field)
  if (field.type.kind === 'ARRAY') return cell => (cell === 'null' ? [] : read(cell))
  return cell => {
    if (cell !== 'null') return read(cell)
    if (field.requirement.required) throw nullInRequired(field.name)
    return undefined
  }
}

/** Reads a value that is not null. */
function presentReader({ type, requirement }: TypedField): ReadValue {
  if (type.kind === 'ARRAY') {
    const read = valueReader(typedElement('element', type.element, requirement))
    return cell => itemsOf(cell).map(read)
  }
  if (type.kind !== 'STRUCT') return SCALARS[type.kind].read
  const fields = typedFields(type.fields, requirement)
  const readers = fields.map(valueReader)
  return cell => {
    // A field may be named __proto__.
    const struct: Record<string, unknown> = Object.create(null)
    for (const [i, member] of membersOf(cell, fields.length).entries()) struct[fields[i]!.name] = readers[i]!(member)
    return struct
  }
}
