/** Binds values to DuckDB statements exactly: no value passes through a type that could round it. */
import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
  type DuckDBPreparedStatement,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBType,
  type DuckDBValue,
  INTERVAL,
  LIST,
  listValue,
  STRUCT,
  structValue,
  TIME,
  TIMESTAMP,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api'
import {
  canonicalJson,
  elementOfRange,
  isRangeKind,
  numericLiteral,
  type RangeElementKind,
  readRange,
  type StructType,
  type Type,
  typeName,
} from '../../../../googlesql/data.js'
import { bignumericUnits, fieldNames } from '../../../../googlesql-duckdb/data.js'
import { typeScalar } from '../../../model/typed-value.js'
import type { WireParameter } from '../process/messages.js'

/** A bound value does not fit the type of its parameter. `detail` never quotes the value. */
export class BindError extends Error {
  override readonly name = 'BindError'
  readonly parameter: string

  constructor(parameter: string, detail: string) {
    super(detail)
    this.parameter = parameter
  }
}

/** Binds $1, $2, … in order. @throws BindError */
export function bindParameters(prepared: DuckDBPreparedStatement, parameters: readonly WireParameter[]): void {
  parameters.forEach((parameter, index) => {
    const refuse = (detail?: string): never => {
      throw new BindError(parameter.name, detail ?? `is not a value of type ${typeName(parameter.type)}`)
    }
    const value = duckdbValue(parameter.type, parameter.value, refuse)
    if (value === null) prepared.bindNull(index + 1)
    else prepared.bindValue(index + 1, value, valueType(parameter.type))
  })
}

/** @param detail what is wrong; by default that the value is not of its type */
type Refuse = (detail?: string) => never

const NUMERIC = DECIMAL(38, 9)
const NUMERIC_SCALE = 9
const MAX_NUMERIC = 10n ** 38n

function valueType(type: Type): DuckDBType {
  switch (type.kind) {
    case 'INT64':
      return BIGINT
    case 'FLOAT64':
      return DOUBLE
    case 'NUMERIC':
      return NUMERIC
    case 'BOOL':
      return BOOLEAN
    case 'STRING':
    case 'JSON':
    // The driver encodes a zero as a BIGNUM without bytes, which DuckDB cannot read. So the digits are bound as text, which the
    // SQL casts.
    case 'BIGNUMERIC':
      return VARCHAR
    case 'BYTES':
      return BLOB
    case 'DATE':
      return DATE
    case 'DATETIME':
      return TIMESTAMP
    case 'TIME':
      return TIME
    case 'TIMESTAMP':
      return TIMESTAMPTZ
    case 'INTERVAL':
      return INTERVAL
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      return STRUCT({ s: valueType(elementOf(type)), e: valueType(elementOf(type)) })
    case 'ARRAY':
      return LIST(valueType(type.element))
    case 'STRUCT': {
      const names = fieldNames(type)
      return STRUCT(Object.fromEntries(type.fields.map((field, i) => [names[i]!, valueType(field.type)])))
    }
    default:
      return type satisfies never
  }
}

function duckdbValue(type: Type, value: unknown, refuse: Refuse): DuckDBValue {
  if (value === null || value === undefined) return null
  switch (type.kind) {
    case 'INT64':
      return int64(value) ?? refuse()
    case 'FLOAT64':
      return float64(value) ?? refuse()
    case 'NUMERIC':
      return numeric(value) ?? refuse()
    case 'BIGNUMERIC':
      return bignumeric(value) ?? refuse()
    case 'BOOL':
      return typeof value === 'boolean' ? value : refuse()
    case 'STRING':
      return typeof value === 'string' ? value : refuse()
    case 'BYTES':
      return bytes(value) ?? refuse()
    case 'JSON':
      return jsonText(value) ?? refuse()
    case 'DATE': {
      const micros = civilMicros('date', value)
      return micros === undefined ? refuse() : new DuckDBDateValue(Number(micros / MICROS_PER_DAY))
    }
    case 'DATETIME': {
      const micros = civilMicros('datetime', value)
      return micros === undefined ? refuse() : new DuckDBTimestampValue(micros)
    }
    case 'TIMESTAMP': {
      const micros = civilMicros('timestamp', value)
      return micros === undefined ? refuse() : new DuckDBTimestampTZValue(micros)
    }
    case 'TIME': {
      const micros = civilMicros('datetime', `1970-01-01T${value}`)
      return micros === undefined ? refuse() : new DuckDBTimeValue(micros)
    }
    case 'INTERVAL':
      return interval(value) ?? refuse()
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      return range(elementOfRange(type.kind), value, refuse)
    case 'ARRAY':
      return Array.isArray(value) ? listValue(value.map(item => duckdbValue(type.element, item, refuse))) : refuse()
    case 'STRUCT':
      return structFrom(type, value, refuse)
    default:
      return type satisfies never
  }
}

function int64(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  const typed = typeof value === 'bigint' || typeof value === 'string' ? typeScalar('int64', String(value)) : undefined
  return typed?.ok ? BigInt(typed.value as string) : undefined
}

const SPECIAL_FLOATS: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity: Infinity, '-Infinity': -Infinity }

function float64(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && Object.hasOwn(SPECIAL_FLOATS, value) ? SPECIAL_FLOATS[value] : undefined
}

function numeric(value: unknown): DuckDBDecimalValue | undefined {
  const parts = /^([+-]?)(\d+)(?:\.(\d{1,9}))?$/.exec(typeof value === 'string' ? value : String(value))
  if (!parts) return undefined
  const unscaled = BigInt(parts[2]! + (parts[3] ?? '').padEnd(NUMERIC_SCALE, '0'))
  if (unscaled >= MAX_NUMERIC) return undefined
  return new DuckDBDecimalValue(parts[1] === '-' ? -unscaled : unscaled, 38, NUMERIC_SCALE)
}

/** The digits of the number of units of a BIGNUMERIC; undefined for an invalid value. */
function bignumeric(value: unknown): string | undefined {
  const text = String(value)
  const plain = /^[+-]?\d+(?:\.\d+)?$/.test(text) ? numericLiteral(text, 'BIGNUMERIC') : null
  return plain === null ? undefined : String(bignumericUnits(plain))
}

function bytes(value: unknown): DuckDBBlobValue | undefined {
  if (value instanceof Uint8Array) return new DuckDBBlobValue(value)
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 !== 0) return undefined
  return new DuckDBBlobValue(Buffer.from(value, 'base64'))
}

function jsonText(value: unknown): string | undefined {
  const text: string | undefined = JSON.stringify(value)
  const canonical = text === undefined ? undefined : canonicalJson(text, 'round')
  return canonical && 'text' in canonical ? canonical.text : undefined
}

const MICROS_PER_DAY = 86_400_000_000n

/** Microseconds since 1970 of an accepted text. Date holds whole seconds of all years exactly. */
function civilMicros(type: 'date' | 'datetime' | 'timestamp', value: unknown): bigint | undefined {
  const typed = typeof value === 'string' ? typeScalar(type, value) : undefined
  if (!typed?.ok) return undefined
  const text = typed.value as string
  const seconds = type === 'date' ? Date.parse(`${text}T00:00:00Z`) : Date.parse(`${text.slice(0, 19)}Z`)
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? ''
  return BigInt(seconds) * 1_000n + BigInt(fraction.padEnd(6, '0') || 0)
}

const elementOf = (type: Type): Type => ({ kind: isRangeKind(type.kind) ? elementOfRange(type.kind) : 'DATE' })

const INFINITE = { DATE: DuckDBDateValue, DATETIME: DuckDBTimestampValue, TIMESTAMP: DuckDBTimestampTZValue } as const

/** The DuckDB struct of a range. */
function range(kind: RangeElementKind, value: unknown, refuse: Refuse): DuckDBValue {
  const bounds = typeof value === 'string' ? readRange(value, kind) : ''
  if (typeof bounds === 'string') return refuse()
  const bound = (text: string | null, unbounded: DuckDBValue): DuckDBValue =>
    text === null ? unbounded : duckdbValue({ kind }, text.replace(' ', 'T').replace(/\+00$/, 'Z'), refuse)
  const { PosInf, NegInf } = INFINITE[kind]
  return structValue({ s: bound(bounds.start, NegInf), e: bound(bounds.end, PosInf) })
}

function interval(value: unknown): DuckDBIntervalValue | undefined {
  const parts = /^(-?)(\d+)-(\d+) (-?\d+) (-?)(\d+):(\d+):(\d+)(?:\.(\d{1,6}))?$/.exec(String(value))
  if (!parts) return undefined
  const months = Number(parts[2]) * 12 + Number(parts[3])
  const seconds = BigInt(parts[6]!) * 3_600n + BigInt(parts[7]!) * 60n + BigInt(parts[8]!)
  const micros = seconds * 1_000_000n + BigInt((parts[9] ?? '').padEnd(6, '0'))
  return new DuckDBIntervalValue(
    parts[1] === '-' ? -months : months,
    Number(parts[4]),
    parts[5] === '-' ? -micros : micros,
  )
}

/** A STRUCT from an object by the field names that results use, or from an array by position. */
function structFrom(type: StructType, value: unknown, refuse: Refuse): DuckDBValue {
  if (typeof value !== 'object' || value === null) return refuse()
  const names = fieldNames(type)
  const given = Array.isArray(value) ? value : names.map(name => (value as Readonly<Record<string, unknown>>)[name])
  if (given.length !== names.length) return refuse()
  return structValue(
    Object.fromEntries(type.fields.map((field, i) => [names[i]!, duckdbValue(field.type, given[i], refuse)])),
  )
}
