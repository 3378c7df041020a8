/** Collects the cells of a column in the buffers of an Arrow array. */
import { type Data, type DataType, type Field, makeData } from 'apache-arrow'
import type { Type } from '../../../googlesql/index.js'
import { CLOSE_LIST, COMMA, OPEN_LIST } from '../json-reader.js'
import {
  doubleAt,
  type WriteInteger,
  writeBignumeric,
  writeDays,
  writeInteger,
  writeMicrosOfDay,
  writeMicrosSince1970,
  writeNumeric,
  writeTimestamp,
} from './arrow-values.js'
import { ByteWriter } from './byte-writer.js'
import { nullInColumn } from './facts.js'
import type { ResultReader } from './result-reader.js'
import { Words } from './words.js'

const FIRST_ROWS = 1_024
const LETTER_T = 0x74

/** A column, the items of an ARRAY, or a field of a STRUCT. */
export interface ArrowColumn {
  /** Reads the next value; null becomes a null. */
  readonly read: (reader: ResultReader) => void
  readonly addNull: () => void
  /** Adds a value for a STRUCT that is NULL: no reader sees it. Where it is required, it is one of zeros. */
  readonly addWithoutParent: () => void
  /** Returns the values read since the last call. */
  readonly take: () => Data
}

/** The collector of a column. @param field what `arrowField` returned for the same type. */
export function arrowColumn(field: Field, type: Type): ArrowColumn {
  const arrow = field.type
  const { nullable, name } = field
  switch (type.kind) {
    case 'ARRAY':
      return new ListColumn(arrow, arrowColumn(arrow.children[0]!, type.element))
    case 'STRUCT':
      return new StructColumn(
        arrow,
        name,
        nullable,
        type.fields.map((each, i) => arrowColumn(arrow.children[i]!, each.type)),
      )
    case 'STRING':
      return new StringColumn(arrow, name, nullable)
    case 'BYTES':
      return new BytesColumn(arrow, name, nullable)
    case 'INTERVAL':
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      return new StringColumn(arrow, name, nullable)
    case 'JSON':
      return new JsonColumn(arrow, name, nullable)
    case 'BOOL':
      return new BoolColumn(arrow, name, nullable)
    case 'FLOAT64':
      return new DoubleColumn(arrow, name, nullable)
    case 'INT64':
      return new IntegerColumn(arrow, name, nullable, 2, writeInteger)
    case 'NUMERIC':
      return new IntegerColumn(arrow, name, nullable, 4, writeNumeric)
    case 'BIGNUMERIC':
      return new IntegerColumn(arrow, name, nullable, 8, writeBignumeric)
    case 'DATE':
      return new IntegerColumn(arrow, name, nullable, 1, writeDays)
    case 'TIME':
      return new IntegerColumn(arrow, name, nullable, 2, writeMicrosOfDay)
    case 'DATETIME':
      return new IntegerColumn(arrow, name, nullable, 2, writeMicrosSince1970)
    case 'TIMESTAMP':
      return new IntegerColumn(arrow, name, nullable, 2, writeTimestamp)
    default:
      return type satisfies never
  }
}

abstract class Column implements ArrowColumn {
  protected length = 0
  protected nulls = 0
  /** The number of values that fit into the buffers. */
  protected room = FIRST_ROWS
  readonly #type: DataType
  readonly #name: string
  readonly #isNullable: boolean
  /** A bit for each value, set for those that are not null. */
  #validity = new Uint8Array(FIRST_ROWS >> 3)

  constructor(type: DataType, name: string, isNullable: boolean) {
    this.#type = type
    this.#name = name
    this.#isNullable = isNullable
  }

  read(reader: ResultReader): void {
    if (reader.takeNull()) {
      this.addNull()
      return
    }
    const { length } = this
    if (length === this.room) this.#growAll()
    this.readValue(reader, length)
    this.#validity[length >> 3]! |= 1 << (length & 7)
    this.length = length + 1
  }

  addNull(): void {
    if (!this.#isNullable) throw nullInColumn(this.#name)
    this.#addEmpty()
    this.nulls += 1
  }

  addWithoutParent(): void {
    const index = this.#addEmpty()
    if (this.#isNullable) this.nulls += 1
    else this.#validity[index >> 3]! |= 1 << (index & 7)
  }

  /** Adds a value of zeros that is not valid, and returns its index. */
  #addEmpty(): number {
    const { length } = this
    if (length === this.room) this.#growAll()
    this.nullAt(length)
    this.length = length + 1
    return length
  }

  take(): Data {
    const { length, nulls } = this
    const buffers = this.buffers(length)
    const nullBitmap = nulls === 0 ? undefined : this.#validity.slice(0, (length + 7) >> 3)
    this.#validity.fill(0)
    this.length = 0
    this.nulls = 0
    // The library types the argument for each DataType by itself; this value is for any of them.
    return makeData({ type: this.#type, length, nullCount: nulls, nullBitmap, ...buffers } as never)
  }

  #growAll(): void {
    this.room *= 2
    const validity = new Uint8Array(this.room >> 3)
    validity.set(this.#validity)
    this.#validity = validity
    this.grow(this.room)
  }

  /** Reads a value that is not null into this index; the buffers have room for it. */
  protected abstract readValue(reader: ResultReader, index: number): void
  protected abstract nullAt(index: number): void
  /** Grows the buffers to this number of values. */
  protected abstract grow(room: number): void
  /** The buffers of the first `length` values, as makeData takes them for this type. The values are then dropped. */
  protected abstract buffers(length: number): object
}

/** Integers of 1, 2, 4 or 8 words of 32 bits, in two's complement. */
class IntegerColumn extends Column {
  readonly #write: WriteInteger
  readonly #words: Words

  constructor(type: DataType, name: string, isNullable: boolean, words: number, write: WriteInteger) {
    super(type, name, isNullable)
    this.#write = write
    this.#words = new Words(words, new Uint32Array(this.room * words))
  }

  protected override readValue(reader: ResultReader, index: number): void {
    const end = reader.readWord()
    const words = this.#words
    words.first = index * words.count
    this.#write(reader.bytes, reader.at, end, words)
    reader.endWord(end)
  }

  protected override nullAt(index: number): void {
    const { values, count } = this.#words
    values.fill(0, index * count, (index + 1) * count)
  }

  protected override grow(room: number): void {
    const words = this.#words
    const values = new Uint32Array(room * words.count)
    values.set(words.values)
    words.values = values
  }

  protected override buffers(length: number): object {
    const { values, count } = this.#words
    const data = values.slice(0, length * count)
    if (count === 1) return { data: new Int32Array(data.buffer) }
    return { data: count === 2 ? new BigInt64Array(data.buffer) : data }
  }
}

class DoubleColumn extends Column {
  #values = new Float64Array(this.room)

  protected override readValue(reader: ResultReader, index: number): void {
    const end = reader.readWord()
    this.#values[index] = doubleAt(reader.bytes, reader.at, end)
    reader.endWord(end)
  }

  protected override nullAt(index: number): void {
    this.#values[index] = 0
  }

  protected override grow(room: number): void {
    const values = new Float64Array(room)
    values.set(this.#values)
    this.#values = values
  }

  protected override buffers(length: number): object {
    return { data: this.#values.slice(0, length) }
  }
}

class BoolColumn extends Column {
  #values = new Uint8Array(this.room >> 3)

  protected override readValue(reader: ResultReader, index: number): void {
    const end = reader.readWord()
    if (reader.bytes[reader.at] === LETTER_T) this.#values[index >> 3]! |= 1 << (index & 7)
    reader.endWord(end)
  }

  protected override nullAt(): void {}

  protected override grow(room: number): void {
    const values = new Uint8Array(room >> 3)
    values.set(this.#values)
    this.#values = values
  }

  protected override buffers(length: number): object {
    const data = this.#values.slice(0, (length + 7) >> 3)
    this.#values.fill(0)
    return { data }
  }
}

/** Values of any length, one after the other. */
abstract class VariableColumn extends Column {
  protected readonly out = new ByteWriter(0)
  #offsets = new Int32Array(this.room + 1)

  protected override readValue(reader: ResultReader, index: number): void {
    this.write(reader, this.out)
    this.#offsets[index + 1] = this.out.length
  }

  protected abstract write(reader: ResultReader, out: ByteWriter): void

  protected override nullAt(index: number): void {
    this.#offsets[index + 1] = this.out.length
  }

  protected override grow(room: number): void {
    const offsets = new Int32Array(room + 1)
    offsets.set(this.#offsets)
    this.#offsets = offsets
  }

  protected override buffers(length: number): object {
    return { valueOffsets: this.#offsets.slice(0, length + 1), data: this.out.take() }
  }
}

class StringColumn extends VariableColumn {
  protected override write(reader: ResultReader, out: ByteWriter): void {
    reader.readString()
    out.range(reader.source, reader.sourceStart, reader.sourceEnd)
  }
}

class BytesColumn extends VariableColumn {
  protected override write(reader: ResultReader, out: ByteWriter): void {
    const end = reader.readWord()
    const base64 = reader.bytes.toString('latin1', reader.at, end)
    out.reserve(base64.length)
    out.length += out.bytes.write(base64, out.length, 'base64')
    reader.endWord(end)
  }
}

/** JSON columns: the text of a value, unchanged. */
class JsonColumn extends VariableColumn {
  protected override write(reader: ResultReader, out: ByteWriter): void {
    reader.next()
    const start = reader.at
    reader.skipValue()
    out.range(reader.bytes, start, reader.at)
  }
}

class StructColumn extends Column {
  readonly #fields: readonly ArrowColumn[]

  constructor(type: DataType, name: string, isNullable: boolean, fields: readonly ArrowColumn[]) {
    super(type, name, isNullable)
    this.#fields = fields
  }

  protected override readValue(reader: ResultReader): void {
    const fields = this.#fields
    for (let i = 0; i < fields.length; i++) {
      reader.toMember(i)
      fields[i]!.read(reader)
    }
    reader.closeObject(fields.length)
  }

  protected override nullAt(): void {
    for (const field of this.#fields) field.addWithoutParent()
  }

  protected override grow(): void {}

  protected override buffers(): object {
    return { children: this.#fields.map(field => field.take()) }
  }
}

/** ARRAY columns. They have no nulls: a NULL is an empty list. */
class ListColumn implements ArrowColumn {
  readonly #type: DataType
  readonly #items: ArrowColumn
  #offsets = new Int32Array(FIRST_ROWS + 1)
  #length = 0
  #itemCount = 0

  constructor(type: DataType, items: ArrowColumn) {
    this.#type = type
    this.#items = items
  }

  read(reader: ResultReader): void {
    if (!reader.takeNull()) {
      reader.expect(OPEN_LIST)
      if (!reader.take(CLOSE_LIST)) {
        do {
          this.#items.read(reader)
          this.#itemCount += 1
        } while (reader.take(COMMA))
        reader.expect(CLOSE_LIST)
      }
    }
    this.addNull()
  }

  addWithoutParent(): void {
    this.addNull()
  }

  addNull(): void {
    this.#length += 1
    if (this.#length === this.#offsets.length) {
      const offsets = new Int32Array(2 * this.#length)
      offsets.set(this.#offsets)
      this.#offsets = offsets
    }
    this.#offsets[this.#length] = this.#itemCount
  }

  take(): Data {
    const length = this.#length
    const valueOffsets = this.#offsets.slice(0, length + 1)
    this.#length = 0
    this.#itemCount = 0
    return makeData({ type: this.#type, length, nullCount: 0, valueOffsets, child: this.#items.take() } as never)
  }
}
