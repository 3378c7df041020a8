/**
 * Writes a result as an Arrow IPC stream. The types are those of the BigQuery Storage Read API (google-cloud-bigquery,
 * `_BQ_FIELD_TYPE_TO_ARROW_FIELD_METADATA` and the table of scalar types), so that code for one reads the other. The library's
 * builders lose microseconds (they multiply a number by 1,000 and refuse a bigint), so the buffers of each column are filled
 * here, and the library only writes them.
 */
import {
  AsyncByteQueue,
  Binary,
  Bool,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Field,
  Float64,
  Int64,
  List,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimeMicrosecond,
  TimestampMicrosecond,
  Utf8,
} from 'apache-arrow'
import type { ScalarKind, Type } from '../../googlesql/data.js'
import type { ResultColumn } from '../model/query.js'
import { BodyTooLargeError } from '../result/body.js'
import type { RowWriter } from '../result/row-writer.js'
import type { RowFacts } from './format.js'
import { itemsOf, membersOf, stringOf } from './rows.js'
import {
  bitsOf,
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

/** The most rows of a record batch. */
const BATCH_ROWS = 8_192

/** The bytes that the library writes. */
class Sink extends AsyncByteQueue {
  readonly output = new Values()

  override write(bytes: Uint8Array): void {
    this.output.appendBytes(bytes)
  }
}

/** Rows as an IPC stream, in batches. */
export class ArrowStream implements RowWriter {
  readonly #maxBytes: number
  readonly #columns: readonly Column[]
  readonly #schema: Schema
  readonly #struct: Struct
  readonly #sink = new Sink()
  readonly #writer = new RecordBatchStreamWriter()
  #rows = 0
  #bytes = 0

  /** @throws TypeError when a column's type cannot be read. */
  constructor(columns: readonly ResultColumn[], facts: RowFacts) {
    this.#maxBytes = facts.maxBytes ?? Number.POSITIVE_INFINITY
    this.#columns = typedColumns(columns, facts).map(column => new Column(column))
    const fields = this.#columns.map(({ field }) => field)
    this.#schema = new Schema(fields, new Map(schemaMetadata(facts)))
    this.#struct = new Struct(fields)
    // Writes the schema, which a result without rows has too.
    this.#writer.reset(this.#sink, this.#schema)
  }

  /** @throws JsonTextError, also for NULL in a required column. */
  add(cells: readonly string[]): void {
    for (let i = 0; i < this.#columns.length; i++) this.#columns[i]!.add(cells[i]!)
    this.#rows += 1
    if (this.#rows === BATCH_ROWS) this.#writeBatch()
  }

  takePart(): Uint8Array | null {
    return this.#sink.output.index === 0 ? null : this.#sink.output.take()
  }

  finish(): Uint8Array {
    if (this.#rows > 0) this.#writeBatch()
    this.#writer.finish()
    return this.#sink.output.take()
  }

  #writeBatch(): void {
    const children = this.#columns.map(column => column.take())
    const batch = makeData({ type: this.#struct, length: this.#rows, nullCount: 0, children })
    this.#rows = 0
    this.#bytes += batch.byteLength
    if (this.#bytes > this.#maxBytes) throw new BodyTooLargeError(this.#maxBytes)
    this.#writer.write(new RecordBatch(this.#schema, batch))
  }
}

const textValues = (): ColumnValues => byteValues(new Utf8(), (values, cell) => values.appendText(stringOf(cell)))

const SCALARS: Readonly<Record<ScalarKind, () => ColumnValues>> = {
  INT64: () => longValues(new Int64(), integerOf),
  FLOAT64: () => fixedValues(new Float64(), 8, (values, cell) => values.appendFloat64(doubleOf(cell))),
  NUMERIC: () => decimalValues(9, 38, 128),
  BIGNUMERIC: () => decimalValues(38, 76, 256),
  BOOL: () => fixedValues(new Bool(), 1, (values, cell) => values.appendUint8(Number(isTrue(cell))), bitsOf),
  STRING: textValues,
  BYTES: () => byteValues(new Binary(), (values, cell) => values.appendBytes(bytesOf(cell))),
  DATE: () => fixedValues(new DateDay(), 4, (values, cell) => values.appendInt32(daysOf(cell))),
  TIME: () => longValues(new TimeMicrosecond(), timeOf),
  DATETIME: () => longValues(new TimestampMicrosecond(), microsOf),
  TIMESTAMP: () => longValues(new TimestampMicrosecond('UTC'), timestampOf),
  JSON: () => byteValues(new Utf8(), (values, cell) => values.appendText(cell)),
  INTERVAL: textValues,
  'RANGE<DATE>': textValues,
  'RANGE<DATETIME>': textValues,
  'RANGE<TIMESTAMP>': textValues,
}

/** Extension names for types without an Arrow type. */
const EXTENSIONS: Partial<Readonly<Record<Type['kind'], string>>> = {
  DATETIME: 'google:sqlType:datetime',
  JSON: 'google:sqlType:json',
  INTERVAL: 'google:sqlType:interval',
}

/** The values of a column or field, or of an ARRAY's items. */
class Column {
  readonly field: Field
  readonly #isArray: boolean
  readonly #values: ColumnValues
  /** 1 for each value, 0 for each null. */
  readonly flags = new Values()
  #nullCount = 0

  constructor(typed: TypedField) {
    const extension = EXTENSIONS[typed.type.kind]
    const metadata = new Map(extension === undefined ? [] : [['ARROW:extension:name', extension]])
    this.#isArray = typed.type.kind === 'ARRAY'
    this.#values = valuesOf(typed)
    this.field = new Field(typed.name, this.#values.type, isNullable(typed), metadata)
  }

  /** Adds the value with this JSON text. @throws JsonTextError, also for NULL in a required column. */
  add(cell: string): void {
    if (cell !== 'null') {
      this.#values.add(cell)
      this.flags.appendUint8(1)
    } else if (this.field.nullable || this.#isArray) this.addPlaceholder()
    else throw nullInRequired(this.field.name)
  }

  /** Adds a null; where the column cannot be null, an empty value. In a STRUCT that is NULL, no reader sees it. */
  addPlaceholder(): void {
    this.#values.addEmpty()
    this.flags.appendUint8(this.field.nullable ? 0 : 1)
    if (this.field.nullable) this.#nullCount += 1
  }

  /** The values added since the last call. */
  take(): Data {
    const [flags, nullCount] = [this.flags.take(), this.#nullCount]
    this.#nullCount = 0
    const nullBitmap = nullCount === 0 ? undefined : bitsOf(flags)
    // The library has an argument type for each DataType; this argument is for all of them.
    const data = { type: this.#values.type, length: flags.length, nullCount, nullBitmap, ...this.#values.take() }
    return makeData(data as never)
  }
}

/** The values of a column in the form that Arrow stores. */
interface ColumnValues {
  readonly type: DataType
  add(cell: string): void
  /** Adds the bytes that take the place of a missing value. */
  addEmpty(): void
  /** The values added since the last call, as makeData takes them for this type. */
  take(): object
}

function valuesOf({ type, requirement }: TypedField): ColumnValues {
  if (type.kind === 'ARRAY') return listValues(new Column(typedElement('item', type.element, requirement)))
  if (type.kind === 'STRUCT') return structValues(typedFields(type.fields, requirement).map(field => new Column(field)))
  return SCALARS[type.kind]()
}

/** Adds the value of a cell's JSON text. */
type AddValue = (values: Values, cell: string) => void

/** Whole numbers of 64 bits. */
const longValues = (type: DataType, read: (cell: string) => bigint): ColumnValues =>
  fixedValues(type, 8, (values, cell) => values.appendInt64(read(cell)))

/** Values of `length` bytes each. */
function fixedValues(type: DataType, length: number, add: AddValue, pack = (bytes: Uint8Array) => bytes): ColumnValues {
  const [values, empty] = [new Values(), new Uint8Array(length)]
  return {
    type,
    add: cell => add(values, cell),
    addEmpty: () => values.appendBytes(empty),
    take: () => ({ data: pack(values.take()) }),
  }
}

/** Integers in two's complement, the lowest 64 bits first. */
function decimalValues(scale: number, precision: number, bits: number): ColumnValues {
  return fixedValues(new Decimal(scale, precision, bits), bits / 8, (values, cell) => {
    const value = decimalOf(cell, scale, bits)
    for (let low = 0; low < bits; low += 64) values.appendInt64(BigInt.asIntN(64, value >> BigInt(low)))
  })
}

/** Values of any length, one after the other. `end` returns the offset after the last value; `take` returns all values. */
function variable(type: DataType, add: (cell: string) => unknown, end: () => number, take: () => object): ColumnValues {
  /** The offset at which each value begins, and at last the offset at which the last value ends. */
  const offsets = new Values()
  const pushOffset = (): void => offsets.appendInt32(end())
  pushOffset()
  return {
    type,
    add(cell) {
      add(cell)
      pushOffset()
    },
    addEmpty: pushOffset,
    take() {
      const taken = { valueOffsets: offsets.take(), ...take() }
      pushOffset()
      return taken
    },
  }
}

function byteValues(type: DataType, add: AddValue): ColumnValues {
  const values = new Values()
  const addCell = (cell: string): void => add(values, cell)
  const end = (): number => values.index
  return variable(type, addCell, end, () => ({ data: values.take() }))
}

function listValues(items: Column): ColumnValues {
  const add = (cell: string): void => {
    for (const item of itemsOf(cell)) items.add(item)
  }
  const end = (): number => items.flags.index
  return variable(new List(items.field), add, end, () => ({ child: items.take() }))
}

const structValues = (fields: readonly Column[]): ColumnValues => ({
  type: new Struct(fields.map(({ field }) => field)),
  add(cell) {
    for (const [i, member] of membersOf(cell, fields.length).entries()) fields[i]!.add(member)
  },
  addEmpty() {
    for (const field of fields) field.addPlaceholder()
  },
  take: () => ({ children: fields.map(field => field.take()) }),
})
