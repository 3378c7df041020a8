/** Binds values to DuckDB statements exactly: no value passes through a type that could round it. */
import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  DuckDBBlobValue,
  type DuckDBConnection,
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
  decimalUnits,
  type RangeBounds,
  type ScalarKind,
  type Type,
  typeName,
} from '../../../../googlesql/data.js'
import { bignumericUnits, fieldNames } from '../../../../googlesql-duckdb/names-and-types.js'
import { checkValue, type ValueWriter } from '../../../model/check-value.js'
import type { WireParameter } from '../process/messages.js'

/** Thrown for a value that does not fit the type of its parameter. The message never quotes the value. */
export class BindError extends Error {
  override readonly name = 'BindError'
  readonly parameter: string

  constructor(parameter: string, detail: string) {
    super(detail)
    this.parameter = parameter
  }
}

/** Calls `use` with a statement that has $1, $2, … bound in order, and destroys the statement after it. @throws BindError */
export async function withStatement<T>(
  connection: DuckDBConnection,
  sql: string,
  parameters: readonly WireParameter[],
  use: (statement: DuckDBPreparedStatement) => T | Promise<T>,
): Promise<T> {
  const statement = await connection.prepare(sql)
  try {
    for (const [index, { name, type, value: argument }] of parameters.entries()) {
      const value = checkValue(type, argument, WRITER)
      if (value === undefined) throw new BindError(name, `is not a value of type ${typeName(type)}`)
      if (value === null) statement.bindNull(index + 1)
      else statement.bindValue(index + 1, value, valueType(type))
    }
    return await use(statement)
  } finally {
    statement.destroySync()
  }
}

const NUMERIC = DECIMAL(38, 9)

const TYPES: Readonly<Record<ScalarKind, DuckDBType>> = {
  INT64: BIGINT,
  FLOAT64: DOUBLE,
  NUMERIC,
  // The driver encodes a zero as a BIGNUM without bytes, which DuckDB cannot read. So the digits are bound as text, which the
  // SQL casts.
  BIGNUMERIC: VARCHAR,
  BOOL: BOOLEAN,
  STRING: VARCHAR,
  BYTES: BLOB,
  DATE,
  DATETIME: TIMESTAMP,
  TIME,
  TIMESTAMP: TIMESTAMPTZ,
  INTERVAL,
  JSON: VARCHAR,
  'RANGE<DATE>': STRUCT({ s: DATE, e: DATE }),
  'RANGE<DATETIME>': STRUCT({ s: TIMESTAMP, e: TIMESTAMP }),
  'RANGE<TIMESTAMP>': STRUCT({ s: TIMESTAMPTZ, e: TIMESTAMPTZ }),
}

function valueType(type: Type): DuckDBType {
  if (type.kind === 'ARRAY') return LIST(valueType(type.element))
  if (type.kind !== 'STRUCT') return TYPES[type.kind]
  return STRUCT(Object.fromEntries(fieldNames(type).map((name, i) => [name, valueType(type.fields[i]!.type)])))
}

const dateOf = (text: string): DuckDBValue => new DuckDBDateValue(Number(microsOf(`${text}T00:00:00`) / MICROS_PER_DAY))
const datetimeOf = (text: string): DuckDBValue => new DuckDBTimestampValue(microsOf(text))
const timestampOf = (text: string): DuckDBValue => new DuckDBTimestampTZValue(microsOf(text))

const WRITER: ValueWriter<DuckDBValue> = {
  absent: null,
  scalars: {
    INT64: BigInt,
    FLOAT64: number => number,
    NUMERIC: digits => new DuckDBDecimalValue(decimalUnits(digits, NUMERIC.scale), NUMERIC.width, NUMERIC.scale),
    BIGNUMERIC: digits => String(bignumericUnits(digits)),
    BOOL: value => value,
    STRING: text => text,
    BYTES: bytes => new DuckDBBlobValue(bytes),
    JSON: jsonText,
    DATE: dateOf,
    DATETIME: datetimeOf,
    TIME: text => new DuckDBTimeValue(microsOf(`1970-01-01T${text}`)),
    TIMESTAMP: timestampOf,
    INTERVAL: ({ months, days, micros }) => new DuckDBIntervalValue(months, days, micros),
    'RANGE<DATE>': bounds => rangeOf(DuckDBDateValue, bounds, dateOf),
    'RANGE<DATETIME>': bounds => rangeOf(DuckDBTimestampValue, bounds, datetimeOf),
    'RANGE<TIMESTAMP>': bounds => rangeOf(DuckDBTimestampTZValue, bounds, timestampOf),
  },
  array: listValue,
  struct: (type, fields) => structValue(Object.fromEntries(fieldNames(type).map((name, i) => [name, fields[i]!]))),
}

function jsonText(text: string): string | undefined {
  const canonical = canonicalJson(text, 'round')
  return 'text' in canonical ? canonical.text : undefined
}

const MICROS_PER_DAY = 86_400_000_000n

/** Microseconds since 1970 of a canonical time. Date holds whole seconds of all years exactly. */
function microsOf(text: string): bigint {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? ''
  return BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1_000n + BigInt(fraction.padEnd(6, '0') || 0)
}

/** The DuckDB struct of a range; where the range is unbounded, its bound is an infinity. */
function rangeOf(
  { PosInf, NegInf }: { readonly PosInf: DuckDBValue; readonly NegInf: DuckDBValue },
  { start, end }: RangeBounds,
  write: (text: string) => DuckDBValue,
): DuckDBValue {
  const bound = (text: string | null, unbounded: DuckDBValue): DuckDBValue =>
    text === null ? unbounded : write(text.replace(' ', 'T'))
  return structValue({ s: bound(start, NegInf), e: bound(end, PosInf) })
}
