/** Checks bound values against the types of their parameters, for every engine: each writes what was checked in its own form. */
import {
  distinctNames,
  elementOfRange,
  isRangeKind,
  numericLiteral,
  type RangeBounds,
  type RangeKind,
  readRange,
  type ScalarKind,
  type Type,
} from '../../googlesql/data.js'
import { typeScalar } from './typed-value.js'

/** A value of each scalar type in one exact form; NUMERIC and BIGNUMERIC as plain digits, times in `typeScalar`'s form. */
export interface ExactValues extends Readonly<Record<RangeKind, RangeBounds>> {
  readonly INT64: string
  readonly FLOAT64: number
  readonly NUMERIC: string
  readonly BIGNUMERIC: string
  readonly BOOL: boolean
  readonly STRING: string
  readonly BYTES: Uint8Array
  readonly DATE: string
  readonly DATETIME: string
  readonly TIME: string
  readonly TIMESTAMP: string
  readonly INTERVAL: Interval
  /** A plain JSON value. */
  readonly JSON: unknown
}

export interface Interval {
  /** `1-2 3 4:5:6.5`: years and months, days, time. */
  readonly text: string
  readonly months: number
  readonly days: number
  readonly micros: bigint
}

/** Writes checked values; undefined for a value that the engine cannot take. */
export interface ValueWriter<T> {
  readonly absent: T
  readonly scalars: { readonly [K in ScalarKind]: (value: ExactValues[K]) => T | undefined }
  readonly array: (items: readonly T[]) => T
  /** The values of the fields, in their order. */
  readonly struct: (type: Type & { readonly kind: 'STRUCT' }, fields: readonly T[]) => T
}

/**
 * The value as the writer gives it; undefined for one that does not fit the type. A STRUCT is an object by the field names that
 * results use, or an array by position.
 */
export function checkValue<T>(type: Type, value: unknown, writer: ValueWriter<T>): T | undefined {
  if (value === null || value === undefined) return writer.absent
  switch (type.kind) {
    case 'ARRAY': {
      const items = Array.isArray(value) ? value.map(item => checkValue(type.element, item, writer)) : [undefined]
      return isWhole(items) ? writer.array(items) : undefined
    }
    case 'STRUCT': {
      if (typeof value !== 'object') return undefined
      const names = distinctNames(type.fields.map(({ name }) => name))
      const given = Array.isArray(value) ? value : names.map(name => (value as Readonly<Record<string, unknown>>)[name])
      if (given.length !== names.length) return undefined
      const fields = type.fields.map((field, i) => checkValue(field.type, given[i], writer))
      return isWhole(fields) ? writer.struct(type, fields) : undefined
    }
    default: {
      const exact = exactValue(type.kind, value)
      return exact === undefined ? undefined : (writer.scalars[type.kind] as (value: unknown) => T | undefined)(exact)
    }
  }
}

const isWhole = <T>(values: readonly (T | undefined)[]): values is readonly T[] => !values.includes(undefined)

function exactValue(kind: ScalarKind, value: unknown): ExactValues[ScalarKind] | undefined {
  switch (kind) {
    case 'INT64':
      // A number beyond these is another one than its writer meant.
      return typeof value === 'number' && !Number.isSafeInteger(value) ? undefined : typed('int64', digitsOf(value))
    case 'FLOAT64':
      return typeof value === 'number' ? value : (NOT_FINITE.get(value) ?? typed('float64', digitsOf(value)))
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return numericLiteral(digitsOf(value) ?? '', kind) ?? undefined
    case 'BOOL':
      return typeof value === 'boolean' ? value : undefined
    case 'STRING':
      return typeof value === 'string' ? value : undefined
    case 'BYTES':
      return value instanceof Uint8Array ? value : bytesOf(value)
    case 'DATE':
      return typed('date', textOf(value))
    case 'DATETIME':
      return typed('datetime', textOf(value))
    case 'TIME':
      return typed('datetime', typeof value === 'string' ? `1970-01-01T${value}` : undefined)?.slice(11)
    case 'TIMESTAMP':
      return typed('timestamp', textOf(value))
    case 'INTERVAL':
      return intervalOf(textOf(value) ?? '')
    case 'JSON':
      return value
    default: {
      const bounds = isRangeKind(kind) && typeof value === 'string' ? readRange(value, elementOfRange(kind)) : ''
      return typeof bounds === 'string' ? undefined : bounds
    }
  }
}

const NOT_FINITE: ReadonlyMap<unknown, number> = new Map(
  [Number.NaN, Infinity, -Infinity].map(number => [String(number), number]),
)

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const digitsOf = (value: unknown): string | undefined =>
  typeof value === 'number' || typeof value === 'bigint' ? String(value) : textOf(value)

function typed(type: 'float64', text: string | undefined): number | undefined
function typed(type: 'int64' | 'date' | 'datetime' | 'timestamp', text: string | undefined): string | undefined
function typed(type: Parameters<typeof typeScalar>[0], text: string | undefined): unknown {
  const value = text === undefined ? null : typeScalar(type, text)
  return value?.ok ? value.value : undefined
}

function bytesOf(value: unknown): Uint8Array | undefined {
  const isBase64 = typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value)
  return isBase64 ? Buffer.from(value, 'base64') : undefined
}

function intervalOf(text: string): Interval | undefined {
  const parts = /^(-?)(\d+)-(\d+) (-?\d+) (-?)(\d+):(\d+):(\d+)(?:\.(\d{1,6}))?$/.exec(text)
  if (!parts) return undefined
  const months = Number(parts[2]) * 12 + Number(parts[3])
  const seconds = BigInt(parts[6]!) * 3_600n + BigInt(parts[7]!) * 60n + BigInt(parts[8]!)
  const micros = seconds * 1_000_000n + BigInt((parts[9] ?? '').padEnd(6, '0'))
  return {
    text,
    months: parts[1] === '-' ? -months : months,
    days: Number(parts[4]),
    micros: parts[5] === '-' ? -micros : micros,
  }
}
