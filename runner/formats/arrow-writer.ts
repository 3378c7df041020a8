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
import { BodyPieces, BodyTooLargeError, joined } from '../result/body.js'
import type { RowWriter } from '../result/row-writer.js'
import type { RowFacts } from './format.js'
import { itemsOf, membersOf, stringOf } from './rows.js'
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

/** The bytes that the library writes. */
class Sink extends AsyncByteQueue {
  #written: Uint8Array[] = []
  /** The number of bytes that were not taken. */
  length = 0

  override write(bytes: Uint8Array): void {
    this.#written.push(bytes)
    this.length += bytes.byteLength
  }

  /** The bytes since the last call, alone in their buffer. */
  take(): Uint8Array {
    const taken = joined(this.#written)
    this.#written = []
    this.length = 0
    return taken
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

  /** @throws JsonTextError, also for NULL in what is required. */
  add(cells: readonly string[]): void {
    for (let i = 0; i < this.#columns.length; i++) this.#columns[i]!.add(cells[i]!)
    this.#rows += 1
    if (this.#rows === BATCH_ROWS) this.#writeBatch()
  }

  takePart(): Uint8Array | null {
    return this.#sink.length === 0 ? null : this.#sink.take()
  }

  finish(): Uint8Array {
    if (this.#rows > 0) this.#writeBatch()
    this.#writer.finish()
    return this.#sink.take()
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

const text = (): Values => texts(stringOf)

const SCALARS: Readonly<Record<ScalarKind, () => Values>> = {
  INT64: () => integers(new Int64(), 1, integerOf),
  FLOAT64: () => numbers(new Float64(), doubleOf, length => new Float64Array(length)),
  NUMERIC: () => integers(new Decimal(9, 38, 128), 2, cell => decimalOf(cell, 9, 128)),
  BIGNUMERIC: () => integers(new Decimal(38, 76, 256), 4, cell => decimalOf(cell, 38, 256)),
  BOOL: () => numbers(new Bool(), bitOf, length => new Uint8Array(length), bitsOf),
  STRING: text,
  BYTES: blobs,
  DATE: () => numbers(new DateDay(), daysOf, length => new Int32Array(length)),
  TIME: () => integers(new TimeMicrosecond(), 1, timeOf),
  DATETIME: () => integers(new TimestampMicrosecond(), 1, microsOf),
  TIMESTAMP: () => integers(new TimestampMicrosecond('UTC'), 1, timestampOf),
  JSON: () => texts(cell => cell),
  INTERVAL: text,
  'RANGE<DATE>': text,
  'RANGE<DATETIME>': text,
  'RANGE<TIMESTAMP>': text,
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
  readonly #values: Values
  /** 1 for each value, 0 for each null. */
  readonly #flags = new Items<number>(length => new Uint8Array(length))
  #nullCount = 0

  constructor(typed: TypedField) {
    const extension = EXTENSIONS[typed.type.kind]
    const metadata = new Map(extension === undefined ? [] : [['ARROW:extension:name', extension]])
    this.#isArray = typed.type.kind === 'ARRAY'
    this.#values = valuesOf(typed)
    this.field = new Field(typed.name, this.#values.type, isNullable(typed), metadata)
  }

  /** Adds the value with this JSON text. @throws JsonTextError, also for NULL in what is required. */
  add(cell: string): void {
    if (cell !== 'null') {
      this.#values.add(cell)
      this.#flags.push(1)
    } else if (this.field.nullable || this.#isArray) this.addPlaceholder()
    else throw nullInRequired(this.field.name)
  }

  /** Adds a placeholder for a field whose STRUCT is NULL, which no reader sees, or a null. */
  addPlaceholder(): void {
    this.#values.addEmpty()
    this.#flags.push(this.field.nullable ? 0 : 1)
    if (this.field.nullable) this.#nullCount += 1
  }

  /** The values added since the last call. */
  take(): Data {
    const [flags, nullCount] = [this.#flags.take(), this.#nullCount]
    this.#nullCount = 0
    const nullBitmap = nullCount === 0 ? undefined : bitsOf(flags)
    // The library types the argument for each DataType by itself; this value is for any of them.
    const data = { type: this.#values.type, length: flags.length, nullCount, nullBitmap, ...this.#values.take() }
    return makeData(data as never)
  }
}

/** The values of a column in the form that Arrow stores. */
interface Values {
  readonly type: DataType
  add(cell: string): void
  /** Adds what stands where no value is. */
  addEmpty(): void
  /** What makeData takes for this type besides the column's length and nulls, of the values added since the last call. */
  take(): object
}

function valuesOf({ type, requirement }: TypedField): Values {
  if (type.kind === 'ARRAY') return lists(new Column(typedElement('item', type.element, requirement)))
  if (type.kind === 'STRUCT') return structs(typedFields(type.fields, requirement).map(field => new Column(field)))
  return SCALARS[type.kind]()
}

const bitOf = (cell: string): number => (cell === 'true' ? 1 : 0)

/** A typed array of the language. */
interface TypedArray<T> {
  [index: number]: T
  readonly length: number
  readonly buffer: ArrayBufferLike
  set(items: TypedArray<T>): void
  slice(start: number, end: number): TypedArray<T>
}

/** Numbers in one typed array, which grows: V8 would copy a young list of them at each of its collections. */
class Items<T extends number | bigint> {
  readonly #create: (length: number) => TypedArray<T>
  #items: TypedArray<T>
  #length = 0

  constructor(create: (length: number) => TypedArray<T>) {
    this.#create = create
    this.#items = create(FIRST_LENGTH)
  }

  push(item: T): void {
    if (this.#length === this.#items.length) {
      const larger = this.#create(2 * this.#length)
      larger.set(this.#items)
      this.#items = larger
    }
    this.#items[this.#length++] = item
  }

  /** The numbers since the last call. */
  take(): TypedArray<T> {
    const taken = this.#items.slice(0, this.#length)
    this.#length = 0
    return taken
  }
}

const FIRST_LENGTH = 4_096

function numbers(
  type: DataType,
  read: (cell: string) => number,
  create: (length: number) => TypedArray<number>,
  pack: (items: TypedArray<number>) => object = items => items,
): Values {
  const items = new Items(create)
  return {
    type,
    add: cell => items.push(read(cell)),
    addEmpty: () => items.push(0),
    take: () => ({ data: pack(items.take()) }),
  }
}

/** Integers of so many times 64 bits in two's complement, the lowest 64 first. */
function integers(type: DataType, words: number, read: (cell: string) => bigint): Values {
  const items = new Items<bigint>(length => new BigInt64Array(length))
  // The array takes the lowest 64 bits of what it is given.
  const push = (value: bigint): void => {
    items.push(value)
    for (let word = 1, rest = value; word < words; word++) {
      rest >>= 64n
      items.push(rest)
    }
  }
  return {
    type,
    add: cell => push(read(cell)),
    addEmpty: () => push(0n),
    take() {
      const data = items.take()
      return { data: words === 1 ? data : new Uint32Array(data.buffer) }
    },
  }
}

/** Values of any length, one after the other. `add` adds one and returns its length; `take` takes all of them. */
function sized(type: DataType, add: (cell: string) => number, take: () => object): Values {
  /** Where each begins, and the last ends. */
  const offsets = new Items<number>(length => new Int32Array(length))
  let end = 0
  const push = (length: number): void => {
    end += length
    offsets.push(end)
  }
  push(0)
  return {
    type,
    add: cell => push(add(cell)),
    addEmpty: () => push(0),
    take() {
      const valueOffsets = offsets.take()
      end = 0
      push(0)
      return { valueOffsets, ...take() }
    },
  }
}

function texts(read: (cell: string) => string): Values {
  const pieces = new BodyPieces()
  const add = (cell: string): number => {
    const text = read(cell)
    pieces.add(text)
    return Buffer.byteLength(text)
  }
  return sized(new Utf8(), add, () => ({ data: pieces.take() }))
}

function blobs(): Values {
  const values: Buffer[] = []
  const add = (cell: string): number => values[values.push(bytesOf(cell)) - 1]!.byteLength
  return sized(new Binary(), add, () => ({ data: Buffer.concat(values.splice(0)) }))
}

function lists(items: Column): Values {
  const add = (cell: string): number => {
    const cells = itemsOf(cell)
    for (const item of cells) items.add(item)
    return cells.length
  }
  return sized(new List(items.field), add, () => ({ child: items.take() }))
}

const structs = (fields: readonly Column[]): Values => ({
  type: new Struct(fields.map(({ field }) => field)),
  add(cell) {
    for (const [i, member] of membersOf(cell, fields.length).entries()) fields[i]!.add(member)
  },
  addEmpty() {
    for (const field of fields) field.addPlaceholder()
  },
  take: () => ({ children: fields.map(field => field.take()) }),
})

function bitsOf(flags: TypedArray<number>): Uint8Array {
  const bits = new Uint8Array((flags.length + 7) >> 3)
  for (let i = 0; i < flags.length; i++) bits[i >> 3]! |= flags[i]! << (i & 7)
  return bits
}
