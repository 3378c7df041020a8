/** Writes values of DuckDB's column vectors as text, with functions compiled once per column type. */
import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
  DuckDBListVector,
  DuckDBStructValue,
  DuckDBStructVector,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBValue,
  type DuckDBVector,
} from '@duckdb/node-api'
import {
  dateText,
  datetimeText,
  decimalText,
  intervalText,
  type RangeKind,
  type StructField,
  type Type,
} from '../../../../googlesql/data.js'
import { bignumericText, fieldNames, isInBignumeric } from '../../../../googlesql-duckdb/names-and-types.js'
import type { ColumnPromise } from '../../../model/query.js'
import { BodyTooLargeError, objectKeys } from '../../../result/body.js'
import { NO_PROMISE, nullInRequired } from '../../../result/broken-contract.js'
import { rangeResultText, type ScalarTexts, scalarTexts, ValueError } from '../../../result/scalar-text.js'
import type { RunRequest } from '../process/messages.js'

/** The JSON text of one cell. */
export type CellWriter = (vector: DuckDBVector, row: number) => string

/** `maxBytes`: the longest text of an array; a longer one fails the result before it uses all memory. */
export type CellOptions = Pick<RunRequest, 'timestamps' | 'maxBytes'>

/**
 * Compiles the writer of a column. The writer throws BrokenContractError for a value that the promise excludes, ValueError for
 * a value that BigQuery cannot hold or write (a NULL inside an array), BodyTooLargeError for a text that is too long, and
 * UnexpectedValueError when DuckDB returns another type than the column's.
 */
export function compileCellWriter(
  { name, type }: StructField,
  promise: ColumnPromise,
  options: CellOptions,
): CellWriter {
  const write = jsonWriter(type, name, promise, options)
  if (!promise.required || type.kind === 'ARRAY') return write
  return (vector, row) => {
    const text = write(vector, row)
    // Readers of every format treat a JSON null as a NULL.
    if (text === 'null') throw nullInRequired()
    return text
  }
}

/** Thrown where DuckDB returns a value of another type than the translation declares: a bug. */
export class UnexpectedValueError extends Error {
  override readonly name = 'UnexpectedValueError'
}

const isNull = (vector: DuckDBVector, row: number): boolean =>
  vector instanceof DuckDBStructVector ? !vector.isItemValid(row) : vector.getItem(row) === null

function jsonWriter(type: Type, name: string, promise: ColumnPromise, options: CellOptions): CellWriter {
  if (type.kind === 'ARRAY') return arrayWriter(type.element, name, promise, options)
  if (type.kind === 'STRUCT') return structWriter(type.fields, promise, options)
  const textOf = SCALARS[type.kind](scalarTexts({ timestamps: options.timestamps, numbers: promise.json }))
  return (vector, row) => {
    const value = vector.getItem(row)
    if (value === null) return 'null'
    const text = textOf(value)
    if (text === undefined) throw unexpectedValue(vector, type.kind)
    return text
  }
}

function arrayWriter(element: Type, name: string, { fields }: ColumnPromise, options: CellOptions): CellWriter {
  const write = jsonWriter(element, name, { ...NO_PROMISE, ...(fields && { fields }) }, options)
  const { maxBytes } = options
  // A result with a NULL in an array fails in BigQuery. A JSON null is a value, not a NULL, so it is allowed.
  const refuse = (): never => {
    throw new ValueError(`Array cannot have a null element; error in writing field ${name}`)
  }
  return (vector, row) => {
    if (!(vector instanceof DuckDBListVector)) throw unexpectedValue(vector, 'ARRAY')
    const items = vector.getItemVector(row)
    if (items === null) return '[]'
    let text = '['
    for (let i = 0; i < items.itemCount; i++) {
      const item = write(items, i)
      if (item === 'null' && isNull(items, i)) refuse()
      text += i === 0 ? item : `,${item}`
      if (text.length > maxBytes) throw new BodyTooLargeError(maxBytes)
    }
    return `${text}]`
  }
}

function structWriter(fields: readonly StructField[], promise: ColumnPromise, options: CellOptions): CellWriter {
  const keys = objectKeys(fieldNames({ kind: 'STRUCT', fields }))
  const writers = fields.map(({ name, type }, i) => {
    const field = { name: name === '' ? `_field_${i + 1}` : name, type }
    return compileCellWriter(field, promise.fields?.[i] ?? NO_PROMISE, options)
  })
  return (vector, row) => {
    if (!(vector instanceof DuckDBStructVector)) throw unexpectedValue(vector, 'STRUCT')
    if (!vector.isItemValid(row)) return 'null'
    if (keys.length === 0) return '{}'
    let text = ''
    for (let i = 0; i < keys.length; i++) text += keys[i]! + writers[i]!(vector.entryVectorAt(i), row)
    return `${text}}`
  }
}

function unexpectedValue(vector: DuckDBVector, expected: string): UnexpectedValueError {
  return new UnexpectedValueError(`${expected} expected, DuckDB gave ${vector.type}`)
}

type ScalarKind = Exclude<Type['kind'], 'ARRAY' | 'STRUCT'>

/** Writes a value that is not NULL as text; undefined for a value of another type. */
type ScalarWriter = (texts: ScalarTexts) => (value: DuckDBValue) => string | undefined

const rangeWriter =
  (kind: RangeKind): ScalarWriter =>
  texts =>
  value =>
    value instanceof DuckDBStructValue ? texts.interval(rangeOf(kind, value)) : undefined

/** Each type has a function of its own, so that V8 can optimize it for that type. */
const SCALARS: Readonly<Record<ScalarKind, ScalarWriter>> = {
  INT64: texts => value =>
    typeof value === 'bigint' ? texts.int64(value) : typeof value === 'number' ? texts.int64(BigInt(value)) : undefined,
  FLOAT64: texts => value => (typeof value === 'number' ? texts.float64(value) : undefined),
  NUMERIC: texts => value =>
    value instanceof DuckDBDecimalValue ? texts.numeric(decimalText(value.value, value.scale)) : undefined,
  BIGNUMERIC: texts => value => (typeof value === 'bigint' ? texts.numeric(bignumericTextOf(value)) : undefined),
  BOOL: texts => value => (typeof value === 'boolean' ? texts.bool(value) : undefined),
  STRING: texts => value => (typeof value === 'string' ? texts.string(value) : undefined),
  BYTES: texts => value => (value instanceof DuckDBBlobValue ? texts.bytes(value.bytes) : undefined),
  DATE: texts => value => (value instanceof DuckDBDateValue ? texts.date(value.days) : undefined),
  TIME: texts => value => (value instanceof DuckDBTimeValue ? texts.time(Number(value.micros)) : undefined),
  DATETIME: texts => value => (value instanceof DuckDBTimestampValue ? texts.datetime(value.micros) : undefined),
  TIMESTAMP: texts => value => (value instanceof DuckDBTimestampTZValue ? texts.timestamp(value.micros) : undefined),
  INTERVAL: texts => value =>
    value instanceof DuckDBIntervalValue
      ? texts.interval(intervalText(value.months, value.days, value.micros))
      : undefined,
  'RANGE<DATE>': rangeWriter('RANGE<DATE>'),
  'RANGE<DATETIME>': rangeWriter('RANGE<DATETIME>'),
  'RANGE<TIMESTAMP>': rangeWriter('RANGE<TIMESTAMP>'),
  JSON: texts => value => (typeof value === 'string' ? texts.json(value) : undefined),
}

function rangeOf(kind: RangeKind, { entries }: DuckDBStructValue): string {
  return rangeResultText(kind, [entries['s'], entries['e']].map(boundText))
}

function orFail(text: string | undefined): string {
  if (text === undefined) throw new ValueError('A bound of a range is out of the years 1 to 9999')
  return text
}

/** The text of a range's bound; null if the range is unbounded there. */
function boundText(value: DuckDBValue | undefined): string | null {
  if (value instanceof DuckDBDateValue) return value.isFinite ? orFail(dateText(value.days)) : null
  if (value instanceof DuckDBTimestampValue) return value.isFinite ? orFail(datetimeText(value.micros)) : null
  if (value instanceof DuckDBTimestampTZValue) return value.isFinite ? `${orFail(datetimeText(value.micros))}Z` : null
  throw new UnexpectedValueError(`a bound of a range expected, DuckDB gave ${typeof value}`)
}

/** @throws ValueError for a value beyond BIGNUMERIC, which no GoogleSQL function should return */
function bignumericTextOf(units: bigint): string {
  if (!isInBignumeric(units)) throw new ValueError('BIGNUMERIC overflow')
  return bignumericText(units)
}
