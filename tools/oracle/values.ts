/** Converts values and types between the reference implementation's messages and the JSON values of cases. */

import {
  arrayOf,
  elementOfRange,
  isRangeKind,
  type RangeKind,
  scalarType,
  structOf,
  type Type,
  typeName,
} from '../../googlesql/types/types.js'
import { dateText, datetimeText, timeText } from '../../googlesql/values/civil-text.js'
import { intervalText } from '../../googlesql/values/interval-text.js'
import { readRange } from '../../googlesql/values/ranges.js'

/** The message zetasql.TypeProto, for the types that BigQuery has. */
export interface TypeMessage {
  readonly typeKind: string
  readonly arrayType?: { readonly elementType: TypeMessage } | null
  readonly rangeType?: { readonly elementType: TypeMessage } | null
  readonly structType?: {
    readonly field?: readonly { readonly fieldName?: string; readonly fieldType: TypeMessage }[]
  } | null
}

/** The message zetasql.ValueProto: one key with the value, or no key for NULL. */
export interface ValueMessage {
  readonly int64Value?: string
  readonly boolValue?: boolean
  readonly doubleValue?: number
  readonly stringValue?: string
  readonly bytesValue?: Uint8Array
  readonly dateValue?: number
  readonly arrayValue?: { readonly element?: readonly ValueMessage[] }
  readonly structValue?: { readonly field?: readonly ValueMessage[] }
  readonly timestampValue?: { readonly seconds?: string; readonly nanos?: number }
  readonly datetimeValue?: { readonly bitFieldDatetimeSeconds?: string; readonly nanos?: number }
  readonly timeValue?: string
  readonly numericValue?: Uint8Array
  readonly bignumericValue?: Uint8Array
  readonly jsonValue?: string
  readonly intervalValue?: Uint8Array
  readonly rangeValue?: RangeMessage
}

interface RangeMessage {
  readonly start: ValueMessage
  readonly end: ValueMessage
}

/** A value or type that cannot be converted between the reference and BigQuery's types. */
export class UnknownValueError extends Error {
  override readonly name = 'UnknownValueError'
}

const SCALE = { NUMERIC: 9, BIGNUMERIC: 38 }
/** The kinds of types that are not `TYPE_` followed by the type's name. */
const KIND_OF: Readonly<Record<string, string>> = { FLOAT64: 'TYPE_DOUBLE' }

/** The reference's message for a type. */
export function typeMessage(type: Type): TypeMessage {
  switch (type.kind) {
    case 'ARRAY':
      return { typeKind: 'TYPE_ARRAY', arrayType: { elementType: typeMessage(type.element) } }
    case 'STRUCT': {
      const field = type.fields.map(({ name, type }) => ({ fieldName: name, fieldType: typeMessage(type) }))
      return { typeKind: 'TYPE_STRUCT', structType: { field } }
    }
    default:
      if (isRangeKind(type.kind)) {
        return { typeKind: 'TYPE_RANGE', rangeType: { elementType: typeMessage({ kind: elementOfRange(type.kind) }) } }
      }
      return { typeKind: KIND_OF[type.kind] ?? `TYPE_${type.kind}` }
  }
}

/** The type of a reference's message. @throws UnknownValueError for a type that BigQuery does not have */
export function typeOfMessage(message: TypeMessage): Type {
  if (message.arrayType) return arrayOf(typeOfMessage(message.arrayType.elementType))
  if (message.structType) {
    const fields = message.structType.field ?? []
    return structOf(fields.map(field => ({ name: field.fieldName ?? '', type: typeOfMessage(field.fieldType) })))
  }
  if (message.rangeType) return scalarType(`RANGE<${typeName(typeOfMessage(message.rangeType.elementType))}>`)!
  const kind = message.typeKind === 'TYPE_DOUBLE' ? 'FLOAT64' : message.typeKind.replace('TYPE_', '')
  const type = scalarType(kind)
  if (!type) throw new UnknownValueError(`${message.typeKind} is not a type of BigQuery's`)
  return type
}

/** The reference's message for a JSON value of a case. */
export function valueMessage(value: unknown, type: Type): ValueMessage {
  if (value === null || value === undefined) return {}
  const text = String(value)
  switch (type.kind) {
    case 'ARRAY':
      return { arrayValue: { element: (value as unknown[]).map(element => valueMessage(element, type.element)) } }
    case 'STRUCT': {
      const of = value as Readonly<Record<string, unknown>>
      return { structValue: { field: type.fields.map(({ name, type }) => valueMessage(of[name], type)) } }
    }
    case 'INT64':
      return { int64Value: text }
    case 'FLOAT64':
      return { doubleValue: Number(text) }
    case 'BOOL':
      return { boolValue: text === 'true' }
    case 'STRING':
      return { stringValue: text }
    case 'BYTES':
      return { bytesValue: Buffer.from(text, 'base64') }
    case 'NUMERIC':
      return { numericValue: decimalBytes(text, SCALE.NUMERIC) }
    case 'BIGNUMERIC':
      return { bignumericValue: decimalBytes(text, SCALE.BIGNUMERIC) }
    case 'DATE':
      return { dateValue: daysOf(text) }
    case 'TIME':
      return { timeValue: timeBits(text).toString() }
    case 'DATETIME':
      return { datetimeValue: datetimeMessage(text) }
    case 'TIMESTAMP':
      return { timestampValue: timestampMessage(text) }
    case 'INTERVAL':
      return { intervalValue: intervalBytes(text) }
    case 'JSON':
      return { jsonValue: JSON.stringify(value) }
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      return { rangeValue: rangeMessage(text, type.kind) }
    default:
      return type satisfies never
  }
}

/** The JSON value of a reference's message, as in a case; a FLOAT64 is a number even where it is NaN or infinite. */
export function valueOfMessage(message: ValueMessage | null, type: Type): unknown {
  if (message === null || Object.values(message).every(value => value === undefined || value === null)) {
    // BigQuery returns a NULL array as an empty one.
    return type.kind === 'ARRAY' ? [] : null
  }
  switch (type.kind) {
    case 'ARRAY':
      return (message.arrayValue?.element ?? []).map(element => valueOfMessage(element, type.element))
    case 'STRUCT':
      return (message.structValue?.field ?? []).map((field, i) => valueOfMessage(field, type.fields[i]!.type))
    case 'INT64':
      return message.int64Value
    case 'FLOAT64':
      return message.doubleValue
    case 'BOOL':
      return message.boolValue
    case 'STRING':
      return message.stringValue
    case 'BYTES':
      return Buffer.from(message.bytesValue!).toString('base64')
    case 'NUMERIC':
      return decimalText(message.numericValue!, SCALE.NUMERIC)
    case 'BIGNUMERIC':
      return decimalText(message.bignumericValue!, SCALE.BIGNUMERIC)
    case 'DATE':
      return dateText(message.dateValue!)
    case 'TIME':
      return timeOfBits(BigInt(message.timeValue!))
    case 'DATETIME':
      return datetimeOf(message.datetimeValue!)
    case 'TIMESTAMP': {
      const { seconds = '0', nanos = 0 } = message.timestampValue!
      return `${datetimeText(BigInt(seconds) * 1_000_000n + BigInt(nanos / 1_000))}Z`
    }
    case 'INTERVAL':
      return intervalOf(Buffer.from(message.intervalValue!))
    case 'JSON':
      return JSON.parse(message.jsonValue!)
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      return rangeOf(message.rangeValue!, type.kind)
    default:
      return type satisfies never
  }
}

function rangeMessage(text: string, kind: RangeKind): RangeMessage {
  const bounds = readRange(text, elementOfRange(kind))
  if (typeof bounds === 'string') throw new UnknownValueError(bounds)
  const bound = (value: string | null): ValueMessage => valueMessage(value, { kind: elementOfRange(kind) })
  return { start: bound(bounds.start), end: bound(bounds.end) }
}

function rangeOf({ start, end }: RangeMessage, kind: RangeKind): string {
  const bound = (message: ValueMessage): string =>
    (valueOfMessage(message, { kind: elementOfRange(kind) }) as string | null) ?? 'UNBOUNDED'
  return `[${bound(start)}, ${bound(end)})`
}

// NumericValue::SerializeAsProtoBytes: the value without its point in two's complement, with the smallest number of bytes
// that holds it, the lowest byte first.

function decimalBytes(text: string, scale: number): Uint8Array {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (!match || (match[3]?.length ?? 0) > scale)
    throw new UnknownValueError(`${text} is not a decimal of scale ${scale}`)
  const digits = BigInt(match[2]! + (match[3] ?? '').padEnd(scale, '0'))
  let rest = match[1] ? -digits : digits
  const bytes: number[] = []
  for (;;) {
    const byte = Number(BigInt.asUintN(8, rest))
    bytes.push(byte)
    rest >>= 8n
    if ((rest === 0n && byte < 128) || (rest === -1n && byte >= 128)) return Uint8Array.from(bytes)
  }
}

function decimalText(bytes: Uint8Array, scale: number): string {
  const unsigned = bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n)
  const value = BigInt.asIntN(8 * bytes.length, unsigned)
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0')
  const fraction = digits.slice(-scale).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}${fraction && `.${fraction}`}`
}

// Civil times are bit fields (civil_time.h), from the lowest bit: seconds in 6 bits, minutes in 6, hours in 5, and for a
// datetime days in 5, months in 4 and years in 14. For a time, 30 bits of nanoseconds come below the seconds.

const DAY_MS = 86_400_000
const daysOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS
const nanosOf = (text: string): number => Number((/\.(\d+)/.exec(text)?.[1] ?? '').padEnd(9, '0'))

function clockBits(text: string): bigint {
  const [hours, minutes, seconds] = text.split(':')
  return (BigInt(hours!) << 12n) | (BigInt(minutes!) << 6n) | BigInt(seconds!.slice(0, 2))
}

const timeBits = (text: string): bigint => (clockBits(text) << 30n) | BigInt(nanosOf(text))

function datetimeMessage(text: string): NonNullable<ValueMessage['datetimeValue']> {
  const [year, month, day] = text.slice(0, 10).split('-')
  const date = (BigInt(year!) << 26n) | (BigInt(month!) << 22n) | (BigInt(day!) << 17n)
  return { bitFieldDatetimeSeconds: (date | clockBits(text.slice(11))).toString(), nanos: nanosOf(text) }
}

function timestampMessage(text: string): NonNullable<ValueMessage['timestampValue']> {
  return { seconds: String(Date.parse(text.replace(/\.\d+/, '')) / 1_000), nanos: nanosOf(text) }
}

const bits = (field: bigint, from: bigint, count: bigint): number =>
  Number(BigInt.asUintN(Number(count), field >> from))

const clockMicros = (clock: bigint): number =>
  (bits(clock, 12n, 5n) * 3_600 + bits(clock, 6n, 6n) * 60 + bits(clock, 0n, 6n)) * 1_000_000

const timeOfBits = (field: bigint): string => timeText(clockMicros(field >> 30n) + bits(field, 0n, 30n) / 1_000)

function datetimeOf({ bitFieldDatetimeSeconds = '0', nanos = 0 }: NonNullable<ValueMessage['datetimeValue']>): string {
  const field = BigInt(bitFieldDatetimeSeconds)
  const pad = (value: number, width: number): string => String(value).padStart(width, '0')
  const date = `${pad(bits(field, 26n, 14n), 4)}-${pad(bits(field, 22n, 4n), 2)}-${pad(bits(field, 17n, 5n), 2)}`
  return `${date}T${timeText(clockMicros(field) + nanos / 1_000)}`
}

// IntervalValue::SerializeAsBytes: 8 bytes of microseconds, 4 of days, and 4 with the months, shifted by 13 bits, and a sign
// bit.

function intervalOf(bytes: Buffer): string {
  const packed = bytes.readUInt32LE(12)
  const months = (packed & 0x7fff_ffff) >>> 13
  return intervalText(packed & 0x8000_0000 ? -months : months, bytes.readInt32LE(8), bytes.readBigInt64LE(0))
}

function intervalBytes(text: string): Uint8Array {
  const match = /^(-?)(\d+)-(\d+) (-?\d+) (-?)(\d+):(\d+):(\d+)(?:\.(\d+))?$/.exec(text)
  if (!match) throw new UnknownValueError(`${text} is not an interval`)
  const [, monthSign, years, months, days, clockSign, hours, minutes, seconds, fraction = ''] = match
  const micros =
    BigInt(Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000_000n +
    BigInt(fraction.padEnd(6, '0'))
  const bytes = Buffer.alloc(16)
  bytes.writeBigInt64LE(clockSign ? -micros : micros, 0)
  bytes.writeInt32LE(Number(days), 8)
  bytes.writeUInt32LE((Number(years) * 12 + Number(months)) * 2 ** 13 + (monthSign ? 2 ** 31 : 0), 12)
  return bytes
}
