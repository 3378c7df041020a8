/** Turns the text of BigQuery's REST rows into bytes of JSON, by a tree compiled once from the columns' types. */
import { dateText, type ScalarKind, type Type } from '../../../../googlesql/index.js'
import type { ColumnPromise } from '../../../model/query.js'
import { objectKeys } from '../../../result/body.js'
import { nullInRequired } from '../../../result/broken-contract.js'
import { type ScalarOptions, type ScalarTexts, scalarTexts } from '../../../result/scalar-text.js'
import { type CellReader, F, V } from './cell-reader.js'
import { type JsonBytes, type Token, tokenOf } from './json-bytes.js'
import { CLOSE_LIST, LETTER_N, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-reader.js'
import type { ResultField } from './result-columns.js'
import { SHORT_INTEGER, scalarCell } from './scalar-cell.js'
import { unexpected, within } from './unexpected-cell.js'

/** Made once: whatever V8 learns of these functions holds for every result. */
const SCALAR_TEXTS = {
  iso8601: scalarTextsOf('iso8601'),
  unix_micros: scalarTextsOf('unix_micros'),
}

function scalarTextsOf(timestamps: Timestamps) {
  const of = (numbers: ColumnPromise['json']): ScalarTexts => scalarTexts({ timestamps, numbers })
  return { number: of('number'), string: of('string'), natural: of(null) }
}

type Timestamps = ScalarOptions['timestamps']

/** Writes the row that the reader is at, as a JSON object. */
export type WriteRow = (out: JsonBytes, reader: CellReader) => void

/** @throws, when it runs, UnexpectedCellError, JsonTextError and BrokenContractError. */
export function compileRowWriter(
  columns: readonly ResultField[],
  timestamps: Timestamps,
  contract: readonly ColumnPromise[],
): WriteRow {
  const row = objectFormat(columns, '', timestamps, contract)
  return (out, reader) => writeRecord(out, reader, row)
}

/** How a row or a STRUCT is written. Its own prefix is part of its first member's. */
interface RecordFormat {
  readonly members: readonly ValueFormat[]
  /** The prefix of each member that is a STRING; null for the others. */
  readonly stringPrefixes: readonly (Token | null)[]
  readonly end: Token
}

/** How a value is written. All have the same members, so that V8 sees one kind of object. */
interface ValueFormat {
  readonly name: string
  readonly kind: Type['kind']
  readonly isNullable: boolean
  /** The contract promises that it is never NULL. */
  readonly isRequired: boolean
  /** The contract asks for the column's numbers as JSON strings. */
  readonly hasTextNumbers: boolean
  /** The JSON before the value, with the opening quote of a STRING or bracket of an ARRAY. A STRUCT's first member writes it. */
  readonly prefix: Token
  /** The JSON before the value and `null`, or `[]` for an ARRAY. */
  readonly prefixedEmpty: Token
  readonly timestamps: Timestamps
  readonly texts: ScalarTexts
  /** The members of a STRUCT. */
  readonly record: RecordFormat
  /** How each element of an ARRAY is written, without the comma between two. */
  readonly element: ValueFormat | null
}

const recordFormat = (members: readonly ValueFormat[], end: string): RecordFormat => ({
  members,
  stringPrefixes: members.map(member => (member.kind === 'STRING' ? member.prefix : null)),
  end: tokenOf(end),
})

const NO_PROMISE: ColumnPromise = { required: false, json: null }
const NO_RECORD: RecordFormat = recordFormat([], '')
const BETWEEN_STRINGS = tokenOf('},{"v":"')
const BETWEEN_ELEMENTS = tokenOf(',')
const END_OF_ARRAY = tokenOf(']')
/** The characters that begin a value of these types, written as part of the prefix. */
const OPENING: Partial<Record<Type['kind'], string>> = { STRING: '"', ARRAY: '[' }

function objectFormat(
  fields: readonly ResultField[],
  prefix: string,
  timestamps: Timestamps,
  contract: readonly ColumnPromise[] = [],
): RecordFormat {
  if (fields.length === 0) return recordFormat([], `${prefix}{}`)
  const keys = objectKeys(fields.map(field => field.name))
  const members = fields.map((field, i) =>
    valueFormat(field, field.type, (i === 0 ? prefix : '') + keys[i]!, timestamps, contract[i]),
  )
  return recordFormat(members, '}')
}

/** @param type the field's type, or that of its elements */
function valueFormat(
  field: ResultField,
  type: Type,
  prefix: string,
  timestamps: Timestamps,
  promise: ColumnPromise = NO_PROMISE,
): ValueFormat {
  const { kind } = type
  const { required, json, fields } = promise
  return {
    name: field.name,
    kind,
    isNullable: field.isNullable,
    isRequired: required,
    hasTextNumbers: json === 'string',
    prefix: tokenOf(prefix + (OPENING[kind] ?? '')),
    prefixedEmpty: tokenOf(kind === 'ARRAY' ? `${prefix}[]` : `${prefix}null`),
    timestamps,
    texts: SCALAR_TEXTS[timestamps][json ?? 'natural'],
    record: kind === 'STRUCT' ? objectFormat(field.fields, prefix, timestamps, fields) : NO_RECORD,
    element:
      kind === 'ARRAY'
        ? valueFormat(field, type.element, '', timestamps, { ...NO_PROMISE, ...(fields && { fields }) })
        : null,
  }
}

function writeRecord(out: JsonBytes, reader: CellReader, record: RecordFormat): void {
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

function writeMembers(
  out: JsonBytes,
  reader: CellReader,
  { members, stringPrefixes }: RecordFormat,
  isAtValue: boolean,
): void {
  let i = 0
  try {
    while (i < members.length) {
      if (i > 0) {
        if (!reader.nextCell()) throw unexpected('a value')
      } else if (!isAtValue) {
        reader.enter(V)
      }
      const next =
        stringPrefixes[i] === null ? i : out.plainStrings(stringPrefixes, i, reader, reader.at, BETWEEN_STRINGS)
      if (next > i) reader.at = out.plainEnd
      else writeValue(out, reader, members[i]!)
      i = Math.max(next, i + 1)
    }
  } catch (error) {
    throw within(members[i]!.name, error)
  }
}

function writeValue(out: JsonBytes, reader: CellReader, value: ValueFormat): void {
  const first = reader.next()
  if (first === LETTER_N) writeNull(out, reader, value)
  else if (value.kind === 'STRING') writeString(out, reader, value)
  else if (value.kind === 'STRUCT') writeRecord(out, reader, value.record)
  else if (value.kind === 'ARRAY') writeArray(out, reader, value)
  else if (!writeCommonForm(out, reader, value)) writeText(out, reader, value)
}

function writeString(out: JsonBytes, reader: CellReader, { prefix }: ValueFormat): void {
  if (!reader.take(QUOTE)) throw unexpected('STRING')
  reader.at = out.tokenAndRestOfString(prefix, reader.view, reader.at)
}

function writeNull(
  out: JsonBytes,
  reader: CellReader,
  { kind, isNullable, isRequired, prefixedEmpty }: ValueFormat,
): void {
  if (!isNullable) throw unexpected(`${kind} that is not NULL`)
  if (isRequired) throw nullInRequired()
  reader.takeNull()
  out.token(prefixedEmpty)
}

/** BigQuery's results have no NULL arrays, only empty ones. */
function writeArray(out: JsonBytes, reader: CellReader, { prefix, element, prefixedEmpty }: ValueFormat): void {
  if (!reader.takeListStart()) {
    if (!reader.take(OPEN_LIST)) throw unexpected('ARRAY')
    if (reader.take(CLOSE_LIST)) {
      out.token(prefixedEmpty)
      return
    }
    reader.enter(V)
  }
  out.token(prefix)
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

/** Writes a scalar value of any form by way of a string. */
function writeText(out: JsonBytes, reader: CellReader, { kind, isRequired, prefix, texts }: ValueFormat): void {
  if (reader.next() !== QUOTE) throw unexpected(kind)
  const text = scalarCell(kind as ScalarKind, reader.text(), texts)
  // A JSON null is a NULL to the readers of every format.
  if (isRequired && text === 'null') throw nullInRequired()
  out.token(prefix)
  out.plain(text)
}

/** Writes the common forms of INT64, BOOL and TIMESTAMP without a string; returns false, and does nothing, for any other. */
function writeCommonForm(out: JsonBytes, reader: CellReader, value: ValueFormat): boolean {
  switch (value.kind) {
    case 'INT64':
      return !value.hasTextNumbers && writeShortInteger(out, reader, value)
    case 'BOOL':
      return writeBool(out, reader, value)
    case 'TIMESTAMP':
      return writeTimestamp(out, reader, value)
    default:
      return false
  }
}

function writeShortInteger(out: JsonBytes, reader: CellReader, { prefix }: ValueFormat): boolean {
  const end = reader.integerEnd(SHORT_INTEGER)
  if (end === 0) return false
  out.token(prefix)
  out.range(reader.view, reader.at + 1, end)
  reader.at = end + 1
  return true
}

const [TRUE_CELL, FALSE_CELL] = [Buffer.from('"true"'), Buffer.from('"false"')]
const [TRUE_TOKEN, FALSE_TOKEN] = [tokenOf('true'), tokenOf('false')]

function writeBool(out: JsonBytes, reader: CellReader, { prefix }: ValueFormat): boolean {
  const isTrue = reader.takeBytes(TRUE_CELL)
  if (!isTrue && !reader.takeBytes(FALSE_CELL)) return false
  out.token(prefix)
  out.token(isTrue ? TRUE_TOKEN : FALSE_TOKEN)
  return true
}

/** The number of digits that microseconds since 1970 have until 2255. */
const TIMESTAMP_DIGITS = 16

function writeTimestamp(out: JsonBytes, reader: CellReader, { prefix, timestamps }: ValueFormat): boolean {
  const end = reader.integerEnd(TIMESTAMP_DIGITS)
  const micros = end === 0 ? Number.NaN : reader.integer(end)
  if (!Number.isSafeInteger(micros)) return false
  out.token(prefix)
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

/** Writes what `scalarTexts` would, without a string for each value. */
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
