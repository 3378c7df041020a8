/**
 * Writes a result as an Arrow IPC stream. The types are those of the BigQuery Storage Read API (google-cloud-bigquery,
 * `_BQ_FIELD_TYPE_TO_ARROW_FIELD_METADATA` and the table of scalar types), so that code for one reads the other. The library's
 * builders lose microseconds (they multiply a number by 1,000 and refuse a bigint), so the buffers of each column are filled
 * here, and the library only writes them.
 */
import {
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
import type { ScalarKind, Type } from '../../googlesql/index.js'
import type { ResultColumn } from '../model/query.js'
import { BodyPieces, BodyTooLargeError } from '../result/body.js'
import type { ResultFacts } from './format.js'
import { type RowReader, rowsOf, stringOf } from './rows.js'
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

/** The most rows of a record batch. */
const BATCH_ROWS = 8_192

/** @throws JsonTextError, BodyTooLargeError, TypeError when a column's type cannot be read. */
export function toArrow(columns: readonly ResultColumn[], json: Uint8Array, facts: ResultFacts): Uint8Array {
  const { maxBytes = Number.POSITIVE_INFINITY } = facts
  const typed = typedColumns(columns, facts)
  const schema = new Schema(typed.map(arrowField), new Map(schemaMetadata(facts)))
  const struct = new Struct(schema.fields)
  const writer = new RecordBatchStreamWriter()
  // Writes the schema, which a result without rows has too.
  writer.reset(undefined, schema)
  const cells = typed.map((column, i) => new Column(column, schema.fields[i]!.type))
  let [rows, bytes] = [0, 0]
  const writeBatch = (): void => {
    const children = cells.map(column => column.take())
    const batch = makeData({ type: struct, length: rows, nullCount: 0, children })
    bytes += batch.byteLength
    if (bytes > maxBytes) throw new BodyTooLargeError(maxBytes)
    writer.write(new RecordBatch(schema, batch))
    rows = 0
  }
  for (const row of rowsOf(json)) {
    readMembers(row, cells)
    if (++rows === BATCH_ROWS) writeBatch()
  }
  if (rows > 0) writeBatch()
  writer.finish()
  return ownBytes(writer.toUint8Array(true))
}

/** The bytes, copied if needed so that they are alone in their buffer. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice()
}

const SCALARS: Readonly<Record<ScalarKind, () => DataType>> = {
  INT64: () => new Int64(),
  FLOAT64: () => new Float64(),
  NUMERIC: () => new Decimal(9, 38, 128),
  BIGNUMERIC: () => new Decimal(38, 76, 256),
  BOOL: () => new Bool(),
  STRING: () => new Utf8(),
  BYTES: () => new Binary(),
  DATE: () => new DateDay(),
  TIME: () => new TimeMicrosecond(),
  DATETIME: () => new TimestampMicrosecond(),
  TIMESTAMP: () => new TimestampMicrosecond('UTC'),
  JSON: () => new Utf8(),
  INTERVAL: () => new Utf8(),
  'RANGE<DATE>': () => new Utf8(),
  'RANGE<DATETIME>': () => new Utf8(),
  'RANGE<TIMESTAMP>': () => new Utf8(),
}

/** Extension names for types without an Arrow type. */
const EXTENSIONS: Partial<Readonly<Record<Type['kind'], string>>> = {
  DATETIME: 'google:sqlType:datetime',
  JSON: 'google:sqlType:json',
  INTERVAL: 'google:sqlType:interval',
}

function arrowField(field: TypedField): Field {
  const extension = EXTENSIONS[field.type.kind]
  const metadata = new Map(extension === undefined ? [] : [['ARROW:extension:name', extension]])
  return new Field(field.name, arrowType(field), isNullable(field), metadata)
}

function arrowType({ type, requirement }: TypedField): DataType {
  if (type.kind === 'ARRAY') return new List(arrowField(typedElement('item', type.element, requirement)))
  if (type.kind === 'STRUCT') return new Struct(typedFields(type.fields, requirement).map(arrowField))
  return SCALARS[type.kind]()
}

/** The values of a column or field, or of an ARRAY's items. */
class Column {
  readonly #field: TypedField
  readonly #arrow: DataType
  readonly #isNullable: boolean
  readonly #values: Values
  #length = 0
  /** The places of the nulls. */
  #nulls: number[] = []

  /** @param arrow what `arrowType` returned for the field. */
  constructor(field: TypedField, arrow: DataType) {
    this.#field = field
    this.#arrow = arrow
    this.#isNullable = isNullable(field)
    this.#values = valuesOf(field, arrow)
  }

  /** Adds the value that is next. @throws JsonTextError, also for NULL in what is required. */
  add(row: RowReader): void {
    if (!row.takeNull()) {
      this.#values.add(row)
      this.#length += 1
    } else if (this.#isNullable || this.#field.type.kind === 'ARRAY') this.addWithoutParent()
    else throw nullInRequired(this.#field.name)
  }

  /** Adds a placeholder for a field whose STRUCT is NULL, which no reader sees, or a null. */
  addWithoutParent(): void {
    this.#values.addEmpty()
    if (this.#isNullable) this.#nulls.push(this.#length)
    this.#length += 1
  }

  /** The values added since the last call. */
  take(): Data {
    const [length, nulls] = [this.#length, this.#nulls]
    this.#length = 0
    this.#nulls = []
    const valid = new Uint8Array(length).fill(1)
    for (const index of nulls) valid[index] = 0
    const nullBitmap = nulls.length === 0 ? undefined : bitsOf(valid)
    // The library types the argument for each DataType by itself; this value is for any of them.
    const data = { type: this.#arrow, length, nullCount: nulls.length, nullBitmap, ...this.#values.take() }
    return makeData(data as never)
  }
}

function readMembers(row: RowReader, columns: readonly Column[]): void {
  for (let i = 0; i < columns.length; i++) {
    row.toMember(i)
    columns[i]!.add(row)
  }
  row.leaveObject(columns.length)
}

/** The values of a column in the form that Arrow stores. */
interface Values {
  add(row: RowReader): void
  /** Adds what stands where no value is. */
  addEmpty(): void
  /** What makeData takes for this type besides the column's length and nulls, of the values added since the last call. */
  take(): object
}

function valuesOf({ type, requirement }: TypedField, arrow: DataType): Values {
  switch (type.kind) {
    case 'ARRAY':
      return new Lists(new Column(typedElement('item', type.element, requirement), arrow.children[0]!.type))
    case 'STRUCT':
      return new Structs(
        typedFields(type.fields, requirement).map((field, i) => new Column(field, arrow.children[i]!.type)),
      )
    case 'JSON':
      return new Texts(cell => cell)
    case 'STRING':
    case 'INTERVAL':
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      return new Texts(stringOf)
    case 'BYTES':
      return new Blobs()
    case 'BOOL':
      return new Bools()
    case 'FLOAT64':
      return new Numbers(doubleOf, values => new Float64Array(values))
    case 'DATE':
      return new Numbers(daysOf, values => new Int32Array(values))
    case 'INT64':
      return new Integers(1, integerOf)
    case 'TIME':
      return new Integers(1, timeOf)
    case 'DATETIME':
      return new Integers(1, microsOf)
    case 'TIMESTAMP':
      return new Integers(1, timestampOf)
    case 'NUMERIC':
      return new Integers(2, cell => decimalOf(cell, 9, 128))
    case 'BIGNUMERIC':
      return new Integers(4, cell => decimalOf(cell, 38, 256))
    default:
      return type satisfies never
  }
}

/** Numbers in one array for all batches: V8 would copy a young one at each of its collections. */
class NumberList {
  readonly #items: number[] = []
  #length = 0

  push(item: number): void {
    this.#items[this.#length++] = item
  }

  /** The numbers since the last call. */
  take(): readonly number[] {
    const taken = this.#items.slice(0, this.#length)
    this.#length = 0
    return taken
  }
}

class Numbers implements Values {
  readonly #read: (cell: string) => number
  readonly #pack: (values: readonly number[]) => Float64Array | Int32Array
  readonly #values = new NumberList()

  constructor(read: (cell: string) => number, pack: (values: readonly number[]) => Float64Array | Int32Array) {
    this.#read = read
    this.#pack = pack
  }

  add(row: RowReader): void {
    this.#values.push(this.#read(row.value()))
  }

  addEmpty(): void {
    this.#values.push(0)
  }

  take(): object {
    return { data: this.#pack(this.#values.take()) }
  }
}

/** Integers of 64, 128 or 256 bits in two's complement, the lowest 64 first. */
class Integers implements Values {
  readonly #words: number
  readonly #read: (cell: string) => bigint
  /** It grows: an array of bigints would be one of objects. */
  #values = new BigInt64Array(FIRST_LENGTH)
  #length = 0

  constructor(words: number, read: (cell: string) => bigint) {
    this.#words = words
    this.#read = read
  }

  add(row: RowReader): void {
    this.#push(this.#read(row.value()))
  }

  addEmpty(): void {
    this.#push(0n)
  }

  #push(value: bigint): void {
    if (this.#length + this.#words > this.#values.length) {
      const values = new BigInt64Array(2 * this.#values.length)
      values.set(this.#values)
      this.#values = values
    }
    // The array takes the lowest 64 bits of what it is given.
    this.#values[this.#length++] = value
    for (let word = 1, rest = value; word < this.#words; word++) {
      rest >>= 64n
      this.#values[this.#length++] = rest
    }
  }

  take(): object {
    const data = this.#values.slice(0, this.#length)
    this.#length = 0
    return { data: this.#words === 1 ? data : new Uint32Array(data.buffer) }
  }
}

const FIRST_LENGTH = 4_096

class Bools implements Values {
  readonly #values = new NumberList()

  add(row: RowReader): void {
    this.#values.push(row.value() === 'true' ? 1 : 0)
  }

  addEmpty(): void {
    this.#values.push(0)
  }

  take(): object {
    return { data: bitsOf(this.#values.take()) }
  }
}

/** Where each of some values begins, and the last ends, that stand one after the other. */
class Offsets {
  readonly #ends = new NumberList()
  #end = 0

  add(length: number): void {
    this.#end += length
    this.#ends.push(this.#end)
  }

  take(): Int32Array {
    this.#end = 0
    return new Int32Array([0, ...this.#ends.take()])
  }
}

class Texts implements Values {
  readonly #read: (cell: string) => string
  readonly #offsets = new Offsets()
  readonly #texts = new BodyPieces(Number.POSITIVE_INFINITY)

  constructor(read: (cell: string) => string) {
    this.#read = read
  }

  add(row: RowReader): void {
    const text = this.#read(row.value())
    this.#texts.add(text)
    this.#offsets.add(Buffer.byteLength(text))
  }

  addEmpty(): void {
    this.#offsets.add(0)
  }

  take(): object {
    return { valueOffsets: this.#offsets.take(), data: this.#texts.take() }
  }
}

class Blobs implements Values {
  readonly #offsets = new Offsets()
  #values: Buffer[] = []

  add(row: RowReader): void {
    const value = bytesOf(row.value())
    this.#values.push(value)
    this.#offsets.add(value.byteLength)
  }

  addEmpty(): void {
    this.#offsets.add(0)
  }

  take(): object {
    const data = Buffer.concat(this.#values)
    this.#values = []
    return { valueOffsets: this.#offsets.take(), data }
  }
}

class Lists implements Values {
  readonly #items: Column
  readonly #offsets = new Offsets()

  constructor(items: Column) {
    this.#items = items
  }

  add(row: RowReader): void {
    let count = 0
    for (; row.toItem(count); count++) this.#items.add(row)
    this.#offsets.add(count)
  }

  addEmpty(): void {
    this.#offsets.add(0)
  }

  take(): object {
    return { valueOffsets: this.#offsets.take(), child: this.#items.take() }
  }
}

class Structs implements Values {
  readonly #fields: readonly Column[]

  constructor(fields: readonly Column[]) {
    this.#fields = fields
  }

  add(row: RowReader): void {
    readMembers(row, this.#fields)
  }

  addEmpty(): void {
    for (const field of this.#fields) field.addWithoutParent()
  }

  take(): object {
    return { children: this.#fields.map(field => field.take()) }
  }
}

function bitsOf(flags: ArrayLike<number>): Uint8Array {
  const bits = new Uint8Array((flags.length + 7) >> 3)
  for (let i = 0; i < flags.length; i++) bits[i >> 3]! |= flags[i]! << (i & 7)
  return bits
}
