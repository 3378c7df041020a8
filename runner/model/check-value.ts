/** Checks bound values against the types of their parameters. Each engine writes the checked values in its own form. */
import {
  distinctNames,
  elementOfRange,
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
  /** Its text is `1-2 3 4:5:6.5`: years and months, days, time. */
  readonly INTERVAL: NonNullable<ReturnType<typeof intervalOf>>
  /** The text of a JSON value. The bound value is this text, or the JSON value itself if that is not a string. */
  readonly JSON: string
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
      return areDefined(items) ? writer.array(items) : undefined
    }
    case 'STRUCT': {
      if (typeof value !== 'object') return undefined
      const names = distinctNames(type.fields.map(({ name }) => name))
      const items = Array.isArray(value) ? value : names.map(name => (value as Readonly<Record<string, unknown>>)[name])
      if (items.length !== names.length) return undefined
      const fields = type.fields.map((field, i) => checkValue(field.type, items[i], writer))
      return areDefined(fields) ? writer.struct(type, fields) : undefined
    }
    default: {
      const exact = READERS[type.kind](value)
      return exact === undefined ? undefined : (writer.scalars[type.kind] as (value: unknown) => T | undefined)(exact)
    }
  }
}

const areDefined = <T>(values: readonly (T | undefined)[]): values is readonly T[] => !values.includes(undefined)

const NOT_FINITE: ReadonlyMap<unknown, number> = new Map(
  [Number.NaN, Infinity, -Infinity].map(number => [String(number), number]),
)

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const digitsOf = (value: unknown): string | undefined =>
  typeof value === 'number' || typeof value === 'bigint' ? String(value) : textOf(value)

type Reader<K extends ScalarKind> = (value: unknown) => ExactValues[K] | undefined

const READERS: { readonly [K in ScalarKind]: Reader<K> } = {
  // A number beyond the safe integers may not be the one that its writer meant.
  INT64: value =>
    typeof value === 'number' && !Number.isSafeInteger(value) ? undefined : read('int64', digitsOf(value)),
  FLOAT64: value => (typeof value === 'number' ? value : (NOT_FINITE.get(value) ?? read('float64', digitsOf(value)))),
  NUMERIC: value => numericLiteral(digitsOf(value) ?? '', 'NUMERIC') ?? undefined,
  BIGNUMERIC: value => numericLiteral(digitsOf(value) ?? '', 'BIGNUMERIC') ?? undefined,
  BOOL: value => (typeof value === 'boolean' ? value : undefined),
  STRING: textOf,
  BYTES: value => (value instanceof Uint8Array ? value : bytesOf(value)),
  DATE: value => read('date', textOf(value)),
  DATETIME: value => read('datetime', textOf(value)),
  TIME: value => read('time', textOf(value)),
  TIMESTAMP: value => read('timestamp', textOf(value)),
  INTERVAL: value => intervalOf(textOf(value) ?? ''),
  JSON: value => textOf(value) ?? JSON.stringify(value),
  'RANGE<DATE>': value => rangeOf('RANGE<DATE>', value),
  'RANGE<DATETIME>': value => rangeOf('RANGE<DATETIME>', value),
  'RANGE<TIMESTAMP>': value => rangeOf('RANGE<TIMESTAMP>', value),
}

function rangeOf(kind: RangeKind, value: unknown): RangeBounds | undefined {
  const bounds = typeof value === 'string' ? readRange(value, elementOfRange(kind)) : ''
  return typeof bounds === 'string' ? undefined : bounds
}

function read(type: 'float64', text: string | undefined): number | undefined
function read(type: 'int64' | 'date' | 'time' | 'datetime' | 'timestamp', text: string | undefined): string | undefined
function read(type: Parameters<typeof typeScalar>[0], text: string | undefined): unknown {
  const value = text === undefined ? null : typeScalar(type, text)
  return value?.ok ? value.value : undefined
}

function bytesOf(value: unknown): Uint8Array | undefined {
  const isBase64 = typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value)
  return isBase64 ? Buffer.from(value, 'base64') : undefined
}

function intervalOf(text: string) {
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
