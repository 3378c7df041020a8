/**
 * Writes a result as a Parquet file: its rows in groups, each written and forgotten before the next is read. The types are those
 * that Arrow has here, but BIGNUMERIC is text, since readers take at most 38 digits for a decimal and DuckDB makes a double of
 * more.
 */
import { ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { writeDataPageV2 } from 'hyparquet-writer/src/datapage.js'
import { snappyCompress } from 'hyparquet-writer/src/snappy.js'
import { unconvertDecimal } from 'hyparquet-writer/src/unconvert.js'
import type { ScalarKind } from '../../googlesql/data.js'
import type { ResultColumn } from '../model/query.js'
import { BodyTooLargeError } from '../result/body.js'
import type { RowWriter } from '../result/row-writer.js'
import type { RowFacts } from './format.js'
import { itemsOf, membersOf, stringOf, wordOf } from './rows.js'
import {
  ADD,
  type AddValue,
  bitsOf,
  bytesOf,
  decimalOf,
  isNullable,
  nullInRequired,
  schemaMetadata,
  type TypedField,
  typedColumns,
  typedElement,
  typedFields,
  Values,
} from './typed-values.js'

/** A group of rows ends at this many rows or bytes of JSON. */
const GROUP_ROWS = 50_000
const GROUP_BYTES = 4_000_000

/** Rows as a file, in groups. The file's end lists all groups, which takes some hundred bytes of memory for each. */
export class ParquetStream implements RowWriter {
  readonly #maxBytes: number
  readonly #leaves: Leaf[] = []
  readonly #adders: readonly AddCell[]
  readonly #writer = new Values()
  readonly #file: ParquetWriter
  #rows = 0
  #bytes = 0

  /** @throws TypeError when a column's type cannot be read. */
  constructor(columns: readonly ResultColumn[], facts: RowFacts) {
    this.#maxBytes = facts.maxBytes ?? Number.POSITIVE_INFINITY
    const typed = typedColumns(columns, facts)
    this.#adders = typed.map(column => adder(column, { path: [], repetition: 0, definition: 0 }, this.#leaves))
    this.#file = new ParquetWriter({
      writer: this.#writer,
      schema: [{ name: 'schema', num_children: columns.length }, ...typed.flatMap(schemaElements)],
      kvMetadata: [...schemaMetadata(facts)].map(([key, value]) => ({ key, value })),
      createdBy: 'sluice',
    })
  }

  /** @throws JsonTextError, also for NULL in what is required. */
  add(cells: readonly string[]): void {
    for (let i = 0; i < this.#adders.length; i++) {
      this.#bytes += cells[i]!.length
      this.#adders[i]!(cells[i]!, 0, 0)
    }
    this.#rows += 1
    if (this.#rows === GROUP_ROWS || this.#bytes >= GROUP_BYTES) this.#writeGroup()
  }

  takePart(): Uint8Array | null {
    // The magic at the start goes with the first group: until then, a failure can be told.
    return this.#file.row_groups.length === 0 || this.#writer.index === 0 ? null : this.#writer.take()
  }

  finish(): Uint8Array {
    if (this.#rows > 0) this.#writeGroup()
    this.#file.finish()
    this.#checkSize()
    return this.#writer.take()
  }

  /** Without the library's `write`, which takes lists of values and passes through each ten times. */
  #writeGroup(): void {
    const [columns, num_rows] = [this.#leaves.map(write => write(this.#writer)), BigInt(this.#rows)]
    const total_byte_size = columns.reduce((sum, { meta_data }) => sum + meta_data!.total_uncompressed_size, 0n)
    this.#file.row_groups.push({ columns, total_byte_size, num_rows })
    this.#file.num_rows += num_rows
    this.#rows = this.#bytes = 0
    this.#checkSize()
  }

  #checkSize(): void {
    if (this.#writer.offset > this.#maxBytes) throw new BodyTooLargeError(this.#maxBytes)
  }
}

type Stored = Omit<SchemaElement, 'name'> & Pick<Required<SchemaElement>, 'type'>

/** How a scalar is stored, and what adds its value. */
type ParquetScalar = readonly [stored: Stored, add: AddValue]

/** Bytes behind their number. */
const sized = (stored: Stored, add: AddValue): ParquetScalar => [
  stored,
  (values, cell) => {
    const at = values.index
    values.appendUint32(0)
    add(values, cell)
    values.view.setUint32(at, values.index - at - 4, true)
  },
]

const TEXT: Stored = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }
const WORD = sized(TEXT, (values, cell) => values.appendText(wordOf(cell)))

const micros = (type: 'TIME' | 'TIMESTAMP', isAdjustedToUTC: boolean): Stored => ({
  type: 'INT64',
  logical_type: { type, isAdjustedToUTC, unit: 'MICROS' },
})

const DECIMAL = { precision: 38, scale: 9 } as const
const NUMERIC: Stored = {
  ...{ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', ...DECIMAL },
  logical_type: { type: 'DECIMAL', ...DECIMAL },
}

const SCALARS: Readonly<Record<ScalarKind, ParquetScalar>> = {
  INT64: [{ type: 'INT64' }, ADD.INT64],
  FLOAT64: [{ type: 'DOUBLE' }, ADD.FLOAT64],
  NUMERIC: [
    NUMERIC,
    (values, cell) =>
      values.appendBytes(unconvertDecimal({ name: '', ...NUMERIC }, decimalOf(cell, 9, 128)) as Uint8Array),
  ],
  BIGNUMERIC: WORD,
  BOOL: [{ type: 'BOOLEAN' }, ADD.BOOL],
  STRING: sized(TEXT, (values, cell) => values.appendText(stringOf(cell))),
  BYTES: sized({ type: 'BYTE_ARRAY' }, (values, cell) => values.appendBytes(bytesOf(cell))),
  DATE: [{ type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }, ADD.DATE],
  TIME: [micros('TIME', false), ADD.TIME],
  // The older converted type would mean a time in UTC.
  DATETIME: [micros('TIMESTAMP', false), ADD.DATETIME],
  TIMESTAMP: [{ ...micros('TIMESTAMP', true), converted_type: 'TIMESTAMP_MICROS' }, ADD.TIMESTAMP],
  JSON: sized(TEXT, (values, cell) => values.appendText(cell)),
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

/**
 * Adds the value of a cell's JSON text; none where NULL or an empty ARRAY around it leaves it out. The levels are those of Dremel.
 * @throws JsonTextError, also for NULL in what is required.
 */
type AddCell = (cell: string | undefined, repetition: number, definition: number) => void

/** Where a field is in the schema, with the levels of what is there. */
interface Place {
  readonly path: readonly string[]
  readonly repetition: number
  readonly definition: number
}

/** Makes what adds the values of a field to its leaves, which it adds to `leaves`. */
function adder(field: TypedField, above: Place, leaves: Leaf[]): AddCell {
  const { name, type, requirement } = field
  const path = [...above.path, name]
  if (type.kind === 'ARRAY') {
    const [repetition, definition] = [above.repetition + 1, above.definition + 1]
    const place = { path: [...path, 'list'], repetition, definition }
    const add = adder(typedElement('element', type.element, requirement), place, leaves)
    return (cell, first, outer) => {
      const cells = cell === undefined || cell === 'null' ? [] : itemsOf(cell)
      if (cells.length === 0) add(undefined, first, outer)
      for (let i = 0; i < cells.length; i++) add(cells[i], i === 0 ? first : repetition, definition)
    }
  }
  const definition = above.definition + Number(isNullable(field))
  const place = { ...above, path, definition }
  const add =
    type.kind === 'STRUCT'
      ? structAdder(typedFields(type.fields, requirement), place, leaves)
      : leafOf(SCALARS[type.kind], place, leaves)
  return (cell, repetition, outer) => {
    if (cell === 'null' && requirement.required) throw nullInRequired(name)
    if (cell === undefined || cell === 'null') add(undefined, repetition, outer)
    else add(cell, repetition, definition)
  }
}

function structAdder(fields: readonly TypedField[], place: Place, leaves: Leaf[]): AddCell {
  const adders = fields.map(field => adder(field, place, leaves))
  return (cell, repetition, definition) => {
    const members = cell === undefined ? [] : membersOf(cell, adders.length)
    for (let i = 0; i < adders.length; i++) adders[i]!(members[i], repetition, definition)
  }
}

type MetaData = NonNullable<ColumnChunk['meta_data']>
type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number]

/** Writes the values of a scalar that were added since the last call, as one page. */
type Leaf = (writer: Values) => ColumnChunk

const ENCODER = { columnName: '', codec: 'SNAPPY', compressors: { SNAPPY: snappyCompress } } as const
const ONE_PAGE = { ...ENCODER, stats: false, pageSize: 0, columnIndex: false, offsetIndex: false } as const

function leafOf([{ type }, addValue]: ParquetScalar, { path, repetition, definition }: Place, leaves: Leaf[]): AddCell {
  const values = new Values()
  const schemaPath = new Array<SchemaElement>(repetition).fill({ name: 'list', repetition_type: 'REPEATED' })
  let [repetitionLevels, definitionLevels]: [number[], number[]] = [[], []]
  leaves.push(writer => {
    const [start, num_values] = [writer.offset, BigInt(definitionLevels.length)]
    const bytes = type === 'BOOLEAN' ? bitsOf(values.take()) : values.take()
    // For the library they are one value: it would write them one by one.
    const element: SchemaElement = { name: '', type: 'FIXED_LEN_BYTE_ARRAY', type_length: bytes.byteLength || 1 }
    const levels = { repetitionLevels, definitionLevels, maxDefinitionLevel: definition }
    const pageData = { values: bytes.byteLength === 0 ? [] : [bytes], ...levels }
    const size = writeDataPageV2({ writer, column: { ...ONE_PAGE, element, schemaPath }, encoding: 'PLAIN', pageData })
    repetitionLevels = []
    definitionLevels = []
    const [data_page_offset, total_compressed_size] = [BigInt(start), BigInt(writer.offset - start)]
    const sizes = { num_values, total_uncompressed_size: BigInt(size), total_compressed_size }
    const others = { ...sizes, path_in_schema: [...path], data_page_offset, statistics: boundsOf(type, bytes) }
    const meta_data: MetaData = { type, encodings: ['PLAIN', 'RLE'], codec: 'SNAPPY', ...others }
    return { file_offset: data_page_offset, meta_data }
  })
  return (cell, repetition, definition) => {
    repetitionLevels.push(repetition)
    definitionLevels.push(definition)
    if (cell !== undefined) addValue(values, cell)
  }
}

/** The least and the greatest integer, by which readers leave out groups; they would take long to find among texts. */
function boundsOf(type: string, { buffer }: Uint8Array): { min_value?: number | bigint; max_value?: number | bigint } {
  const integers = type === 'INT64' ? new BigInt64Array(buffer) : type === 'INT32' ? new Int32Array(buffer) : []
  let [min_value, max_value] = [integers[0], integers[0]]
  for (const value of integers) {
    if (value < min_value!) min_value = value
    if (value > max_value!) max_value = value
  }
  return integers.length === 0 ? {} : { min_value: min_value!, max_value: max_value! }
}
