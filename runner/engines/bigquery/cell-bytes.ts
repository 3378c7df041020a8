/** Turns the text of BigQuery's REST rows into bytes of JSON, by a tree compiled once from the columns' types. */
import { type JsonBytes, type Token, tokenOf } from '../../encode/json-bytes.js'
import { objectKeys } from '../../encode/row-writer.js'
import { type ScalarOptions, type ScalarTexts, scalarTexts } from '../../encode/scalar-text.js'
import type { ScalarKind, Type } from '../../googlesql/types.js'
import type { ResultFormat } from '../../model/query.js'
import { CLOSE_LIST, F, type JsonReader, LETTER_N, OPEN_LIST, OPEN_OBJECT, QUOTE, V } from './json-reader.js'
import type { ResultField } from './result-columns.js'
import { SHORT_INTEGER, scalarCell } from './scalar-cell.js'
import { unexpected, within } from './unexpected-cell.js'

/** Made once: whatever V8 learns of these functions holds for every result. */
const TEXTS = {
  iso8601: scalarTexts({ style: 'json', timestamps: 'iso8601' }),
  unix_micros: scalarTexts({ style: 'json', timestamps: 'unix_micros' }),
}

type Timestamps = ScalarOptions['timestamps']

/** Writes the row that the reader is at, with what its format puts around it, save the separator. */
export type RowBytes = (out: JsonBytes, reader: JsonReader) => void

/** @throws, when it runs, UnexpectedCellError and JsonTextError. */
export function compileRowBytes(
  columns: readonly ResultField[],
  format: Exclude<ResultFormat, 'csv'>,
  timestamps: Timestamps,
): RowBytes {
  const row = rowBytes(columns, format, TEXTS[timestamps])
  return (out, reader) => writeRecord(out, reader, row)
}

function rowBytes(
  columns: readonly ResultField[],
  format: Exclude<ResultFormat, 'csv'>,
  texts: ScalarTexts,
): RecordBytes {
  if (format !== 'arrays') return objectBytes(columns, '', format === 'ndjson' ? '}\n' : '}', texts)
  const members = columns.map((column, i) => valueBytes(column, column.type, i === 0 ? '[' : ',', texts))
  return { members, end: tokenOf(columns.length === 0 ? '[]' : ']') }
}

/** A row or a STRUCT. What stands before it is written by its first member. */
interface RecordBytes {
  readonly members: readonly ValueBytes[]
  readonly end: Token
}

/** How a value is written. All have the same members, so that V8 sees one kind of object. */
interface ValueBytes {
  readonly name: string
  readonly kind: Type['kind']
  readonly isNullable: boolean
  /** What stands before it, and an opening quote of a STRING or a bracket of an ARRAY. A STRUCT's members write it. */
  readonly before: Token
  /** With what is before it; null, or an array without elements. */
  readonly empty: Token
  readonly texts: ScalarTexts
  /** Of a STRUCT. */
  readonly record: RecordBytes
  /** Of an ARRAY: each of its elements, the comma between two apart. */
  readonly element: ValueBytes | null
}

const NO_RECORD: RecordBytes = { members: [], end: tokenOf('') }
const BETWEEN_ELEMENTS = tokenOf(',')
const END_OF_ARRAY = tokenOf(']')
/** What a value opens with by itself. */
const OPENING: Partial<Record<Type['kind'], string>> = { STRING: '"', ARRAY: '[' }

function objectBytes(fields: readonly ResultField[], before: string, end: string, texts: ScalarTexts): RecordBytes {
  if (fields.length === 0) return { members: [], end: tokenOf(`${before}{${end}`) }
  const keys = objectKeys(fields.map(field => field.name))
  const members = fields.map((field, i) => valueBytes(field, field.type, (i === 0 ? before : '') + keys[i]!, texts))
  return { members, end: tokenOf(end) }
}

/** `type`: the field's, or of its elements. */
function valueBytes(field: ResultField, type: Type, before: string, texts: ScalarTexts): ValueBytes {
  const { kind } = type
  return {
    name: field.name,
    kind,
    isNullable: field.isNullable,
    before: tokenOf(before + (OPENING[kind] ?? '')),
    empty: tokenOf(kind === 'ARRAY' ? `${before}[]` : `${before}null`),
    texts,
    record: kind === 'STRUCT' ? objectBytes(field.fields, before, '}', texts) : NO_RECORD,
    element: kind === 'ARRAY' ? valueBytes(field, type.element, '', texts) : null,
  }
}

function writeRecord(out: JsonBytes, reader: JsonReader, { members, end }: RecordBytes): void {
  if (reader.next() !== OPEN_OBJECT) throw unexpected('STRUCT')
  reader.enter(F)
  reader.expect(OPEN_LIST)
  let i = 0
  try {
    for (; i < members.length; i++) {
      if (i === 0) reader.enter(V)
      else if (!reader.nextCell()) throw unexpected('a value')
      writeValue(out, reader, members[i]!)
    }
  } catch (error) {
    throw within(members[i]!.name, error)
  }
  if (members.length > 0 && reader.nextCell()) throw unexpected('no further value')
  reader.expect(CLOSE_LIST)
  reader.leave(F)
  out.token(end)
}

function writeValue(out: JsonBytes, reader: JsonReader, value: ValueBytes): void {
  const first = reader.next()
  if (first === LETTER_N) writeNull(out, reader, value)
  else if (value.kind === 'STRING') writeString(out, reader, value)
  else if (value.kind === 'STRUCT') writeRecord(out, reader, value.record)
  else if (value.kind === 'ARRAY') writeArray(out, reader, value)
  else if (!writeUsual(out, reader, value)) writeText(out, reader, value)
}

function writeString(out: JsonBytes, reader: JsonReader, { before }: ValueBytes): void {
  if (!reader.take(QUOTE)) throw unexpected('STRING')
  reader.at = out.tokenAndRestOfString(before, reader.view, reader.at)
}

function writeNull(out: JsonBytes, reader: JsonReader, { kind, isNullable, empty }: ValueBytes): void {
  if (!isNullable) throw unexpected(`${kind} that is not NULL`)
  reader.takeNull()
  out.token(empty)
}

/** A NULL array is an empty one in results already. */
function writeArray(out: JsonBytes, reader: JsonReader, { before, element, empty }: ValueBytes): void {
  if (!reader.take(OPEN_LIST)) throw unexpected('ARRAY')
  if (reader.take(CLOSE_LIST)) {
    out.token(empty)
    return
  }
  out.token(before)
  reader.enter(V)
  writeValue(out, reader, element!)
  while (reader.nextCell()) {
    out.token(BETWEEN_ELEMENTS)
    writeValue(out, reader, element!)
  }
  reader.expect(CLOSE_LIST)
  out.token(END_OF_ARRAY)
}

/** Any form that a scalar may have, by way of its text, as in CSV. */
function writeText(out: JsonBytes, reader: JsonReader, { kind, before, texts }: ValueBytes): void {
  if (reader.next() !== QUOTE) throw unexpected(kind)
  const text = scalarCell(kind as ScalarKind, reader.text(), texts)
  out.token(before)
  out.plain(text)
}

/** The usual forms of numbers and truth values, without a string between; false, and nothing is done, for any other. */
function writeUsual(out: JsonBytes, reader: JsonReader, value: ValueBytes): boolean {
  switch (value.kind) {
    case 'INT64':
      return writeShortInteger(out, reader, value)
    case 'BOOL':
      return writeBool(out, reader, value)
    case 'TIMESTAMP':
      return writeTimestamp(out, reader, value)
    default:
      return false
  }
}

function writeShortInteger(out: JsonBytes, reader: JsonReader, { before }: ValueBytes): boolean {
  const end = reader.integerEnd(SHORT_INTEGER)
  if (end === 0) return false
  out.token(before)
  out.range(reader.view, reader.at + 1, end)
  reader.at = end + 1
  return true
}

const [TRUE, FALSE] = [Buffer.from('"true"'), Buffer.from('"false"')]
const [WRITTEN_TRUE, WRITTEN_FALSE] = [tokenOf('true'), tokenOf('false')]

function writeBool(out: JsonBytes, reader: JsonReader, { before }: ValueBytes): boolean {
  const isTrue = reader.takeBytes(TRUE)
  if (!isTrue && !reader.takeBytes(FALSE)) return false
  out.token(before)
  out.token(isTrue ? WRITTEN_TRUE : WRITTEN_FALSE)
  return true
}

/** Of microseconds since 1970 up to 2255. */
const TIMESTAMP_DIGITS = 16

function writeTimestamp(out: JsonBytes, reader: JsonReader, { before, texts }: ValueBytes): boolean {
  const end = reader.integerEnd(TIMESTAMP_DIGITS)
  const micros = end === 0 ? Number.NaN : reader.integer(end)
  if (!Number.isSafeInteger(micros)) return false
  out.token(before)
  out.plain(texts.timestamp(micros))
  reader.at = end + 1
  return true
}
