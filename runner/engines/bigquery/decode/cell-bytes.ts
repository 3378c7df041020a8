/** Turns the text of BigQuery's REST rows into bytes of JSON, by a tree compiled once from the columns' types. */
import { dateText, type ScalarKind, type Type } from '../../../../googlesql/index.js'
import { nullInRequired } from '../../../encode/broken-contract.js'
import { type JsonBytes, type Token, tokenOf } from '../../../encode/json-bytes.js'
import { CLOSE_LIST, LETTER_N, OPEN_LIST, OPEN_OBJECT, QUOTE } from '../../../encode/json-reader.js'
import { objectKeys } from '../../../encode/row-writer.js'
import { type ScalarOptions, type ScalarTexts, scalarTexts } from '../../../encode/scalar-text.js'
import type { ColumnPromise } from '../../../model/query.js'
import { type CellReader, F, V } from './cell-reader.js'
import type { ResultField } from './result-columns.js'
import { SHORT_INTEGER, scalarCell } from './scalar-cell.js'
import { unexpected, within } from './unexpected-cell.js'

/** Made once: whatever V8 learns of these functions holds for every result. */
const TEXTS = {
  iso8601: textsOf('iso8601'),
  unix_micros: textsOf('unix_micros'),
}

function textsOf(timestamps: Timestamps) {
  const of = (numbers: ColumnPromise['json']): ScalarTexts => scalarTexts({ timestamps, numbers })
  return { number: of('number'), string: of('string'), usual: of(null) }
}

type Timestamps = ScalarOptions['timestamps']

/** Writes the row that the reader is at, as a JSON object. */
export type RowBytes = (out: JsonBytes, reader: CellReader) => void

/** @throws, when it runs, UnexpectedCellError, JsonTextError and BrokenContractError. */
export function compileRowBytes(
  columns: readonly ResultField[],
  timestamps: Timestamps,
  contract: readonly ColumnPromise[],
): RowBytes {
  const row = objectBytes(columns, '', timestamps, contract)
  return (out, reader) => writeRecord(out, reader, row)
}

/** A row or a STRUCT. What stands before it is written by its first member. */
interface RecordBytes {
  readonly members: readonly ValueBytes[]
  /** What stands before each of them that is a STRING. */
  readonly strings: readonly (Token | null)[]
  readonly end: Token
}

/** How a value is written. All have the same members, so that V8 sees one kind of object. */
interface ValueBytes {
  readonly name: string
  readonly kind: Type['kind']
  readonly isNullable: boolean
  /** Promised to be never NULL. */
  readonly isRequired: boolean
  /** Every number of the column is a string in JSON. */
  readonly isText: boolean
  /** What stands before it, and an opening quote of a STRING or a bracket of an ARRAY. A STRUCT's members write it. */
  readonly before: Token
  /** With what is before it; null, or an array without elements. */
  readonly empty: Token
  readonly timestamps: Timestamps
  readonly texts: ScalarTexts
  /** The members of a STRUCT. */
  readonly record: RecordBytes
  /** How each element of an ARRAY is written, without the comma between two. */
  readonly element: ValueBytes | null
}

const recordBytes = (members: readonly ValueBytes[], end: string): RecordBytes => ({
  members,
  strings: members.map(member => (member.kind === 'STRING' ? member.before : null)),
  end: tokenOf(end),
})

const NO_PROMISE: ColumnPromise = { required: false, json: null }
const NO_RECORD: RecordBytes = recordBytes([], '')
const BETWEEN_STRINGS = tokenOf('},{"v":"')
const BETWEEN_ELEMENTS = tokenOf(',')
const END_OF_ARRAY = tokenOf(']')
/** What a value opens with by itself. */
const OPENING: Partial<Record<Type['kind'], string>> = { STRING: '"', ARRAY: '[' }

function objectBytes(
  fields: readonly ResultField[],
  before: string,
  timestamps: Timestamps,
  contract: readonly ColumnPromise[] = [],
): RecordBytes {
  if (fields.length === 0) return recordBytes([], `${before}{}`)
  const keys = objectKeys(fields.map(field => field.name))
  const members = fields.map((field, i) =>
    valueBytes(field, field.type, (i === 0 ? before : '') + keys[i]!, timestamps, contract[i]),
  )
  return recordBytes(members, '}')
}

/** `type`: the field's, or of its elements. */
function valueBytes(
  field: ResultField,
  type: Type,
  before: string,
  timestamps: Timestamps,
  promise: ColumnPromise = NO_PROMISE,
): ValueBytes {
  const { kind } = type
  const { required, json, fields } = promise
  return {
    name: field.name,
    kind,
    isNullable: field.isNullable,
    isRequired: required,
    isText: json === 'string',
    before: tokenOf(before + (OPENING[kind] ?? '')),
    empty: tokenOf(kind === 'ARRAY' ? `${before}[]` : `${before}null`),
    timestamps,
    texts: TEXTS[timestamps][json ?? 'usual'],
    record: kind === 'STRUCT' ? objectBytes(field.fields, before, timestamps, fields) : NO_RECORD,
    element:
      kind === 'ARRAY'
        ? valueBytes(field, type.element, '', timestamps, { ...NO_PROMISE, ...(fields && { fields }) })
        : null,
  }
}

function writeRecord(out: JsonBytes, reader: CellReader, record: RecordBytes): void {
  const hasMembers = record.members.length > 0
  const isAtValue = hasMembers && reader.takeRecordStart()
  if (!isAtValue) {
    if (reader.next() !== OPEN_OBJECT) throw unexpected('STRUCT')
    reader.enter(F)
    reader.expect(OPEN_LIST)
  }
  writeMembers(out, reader, record, isAtValue)
  if (!hasMembers || !reader.takeRecordEnd()) {
    if (hasMembers && reader.nextCell()) throw unexpected('no further value')
    reader.expect(CLOSE_LIST)
    reader.leave(F)
  }
  out.token(record.end)
}

function writeMembers(out: JsonBytes, reader: CellReader, { members, strings }: RecordBytes, isAtValue: boolean): void {
  let i = 0
  try {
    while (i < members.length) {
      if (i > 0) {
        if (!reader.nextCell()) throw unexpected('a value')
      } else if (!isAtValue) {
        reader.enter(V)
      }
      const next = strings[i] === null ? i : out.plainStrings(strings, i, reader, reader.at, BETWEEN_STRINGS)
      if (next > i) reader.at = out.plainEnd
      else writeValue(out, reader, members[i]!)
      i = Math.max(next, i + 1)
    }
  } catch (error) {
    throw within(members[i]!.name, error)
  }
}

function writeValue(out: JsonBytes, reader: CellReader, value: ValueBytes): void {
  const first = reader.next()
  if (first === LETTER_N) writeNull(out, reader, value)
  else if (value.kind === 'STRING') writeString(out, reader, value)
  else if (value.kind === 'STRUCT') writeRecord(out, reader, value.record)
  else if (value.kind === 'ARRAY') writeArray(out, reader, value)
  else if (!writeUsual(out, reader, value)) writeText(out, reader, value)
}

function writeString(out: JsonBytes, reader: CellReader, { before }: ValueBytes): void {
  if (!reader.take(QUOTE)) throw unexpected('STRING')
  reader.at = out.tokenAndRestOfString(before, reader.view, reader.at)
}

function writeNull(out: JsonBytes, reader: CellReader, { kind, isNullable, isRequired, empty }: ValueBytes): void {
  if (!isNullable) throw unexpected(`${kind} that is not NULL`)
  if (isRequired) throw nullInRequired()
  reader.takeNull()
  out.token(empty)
}

/** A NULL array is an empty one in results already. */
function writeArray(out: JsonBytes, reader: CellReader, { before, element, empty }: ValueBytes): void {
  if (!reader.takeListStart()) {
    if (!reader.take(OPEN_LIST)) throw unexpected('ARRAY')
    if (reader.take(CLOSE_LIST)) {
      out.token(empty)
      return
    }
    reader.enter(V)
  }
  out.token(before)
  writeValue(out, reader, element!)
  while (!reader.takeListEnd()) {
    if (!reader.nextCell()) {
      reader.expect(CLOSE_LIST)
      break
    }
    out.token(BETWEEN_ELEMENTS)
    writeValue(out, reader, element!)
  }
  out.token(END_OF_ARRAY)
}

/** Any form that a scalar may have, by way of its text. */
function writeText(out: JsonBytes, reader: CellReader, { kind, isRequired, before, texts }: ValueBytes): void {
  if (reader.next() !== QUOTE) throw unexpected(kind)
  const text = scalarCell(kind as ScalarKind, reader.text(), texts)
  // A JSON null is a NULL to the readers of every format.
  if (isRequired && text === 'null') throw nullInRequired()
  out.token(before)
  out.plain(text)
}

/** The usual forms of numbers and truth values, without a string between; false, and nothing is done, for any other. */
function writeUsual(out: JsonBytes, reader: CellReader, value: ValueBytes): boolean {
  switch (value.kind) {
    case 'INT64':
      return !value.isText && writeShortInteger(out, reader, value)
    case 'BOOL':
      return writeBool(out, reader, value)
    case 'TIMESTAMP':
      return writeTimestamp(out, reader, value)
    default:
      return false
  }
}

function writeShortInteger(out: JsonBytes, reader: CellReader, { before }: ValueBytes): boolean {
  const end = reader.integerEnd(SHORT_INTEGER)
  if (end === 0) return false
  out.token(before)
  out.range(reader.view, reader.at + 1, end)
  reader.at = end + 1
  return true
}

const [TRUE, FALSE] = [Buffer.from('"true"'), Buffer.from('"false"')]
const [WRITTEN_TRUE, WRITTEN_FALSE] = [tokenOf('true'), tokenOf('false')]

function writeBool(out: JsonBytes, reader: CellReader, { before }: ValueBytes): boolean {
  const isTrue = reader.takeBytes(TRUE)
  if (!isTrue && !reader.takeBytes(FALSE)) return false
  out.token(before)
  out.token(isTrue ? WRITTEN_TRUE : WRITTEN_FALSE)
  return true
}

/** The number of digits that microseconds since 1970 have until 2255. */
const TIMESTAMP_DIGITS = 16

function writeTimestamp(out: JsonBytes, reader: CellReader, { before, timestamps }: ValueBytes): boolean {
  const end = reader.integerEnd(TIMESTAMP_DIGITS)
  const micros = end === 0 ? Number.NaN : reader.integer(end)
  if (!Number.isSafeInteger(micros)) return false
  out.token(before)
  if (timestamps === 'iso8601') writeTime(out, micros)
  else out.range(reader.view, reader.at + 1, end)
  reader.at = end + 1
  return true
}

const MICROS_PER_DAY = 86_400_000_000
// Rows of one result mostly fall on the same day.
let lastDay = Number.NaN
let dayToken = tokenOf('')
const TIME_END = tokenOf('Z"')

/** As `scalarTexts` does, without a string for each. */
function writeTime(out: JsonBytes, micros: number): void {
  const days = Math.floor(micros / MICROS_PER_DAY)
  if (days !== lastDay) {
    lastDay = days
    dayToken = tokenOf(`"${dateText(days)}`)
  }
  out.token(dayToken)
  out.clock(micros - days * MICROS_PER_DAY)
  out.token(TIME_END)
}
