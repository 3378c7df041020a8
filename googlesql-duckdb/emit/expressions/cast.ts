/** CAST between types with BigQuery's conversions. Source: the language reference, "Conversion functions". */
import type { TypeParameters } from '../../../googlesql/plan/nodes.js'
import type { ScalarKind, StructType, Type } from '../../../googlesql/types/types.js'
import { keepNameOfTemplate } from '../keep-name.js'
import { quoteName, quoteText } from '../quote.js'
import { trySql } from '../try.js'
import { duckdbType, fieldNames } from '../type.js'

/**
 * @param sql an operand; it may be written several times.
 * @param to a type to which the language can cast `from`.
 */
export function castSql(sql: string, from: Type, to: Type, { isSafe }: { readonly isSafe?: boolean } = {}): string {
  const converted = convert(sql, from, to)
  return isSafe && converted !== sql ? trySql(converted) : converted
}

function convert(sql: string, from: Type, to: Type): string {
  if (duckdbType(from) === duckdbType(to)) return sql
  if (from.kind === 'ARRAY' && to.kind === 'ARRAY') {
    return eachElement(sql, element => convert(element, from.element, to.element))
  }
  if (from.kind === 'STRUCT' && to.kind === 'STRUCT') {
    return eachField(sql, from, to, (field, i) => convert(field, from.fields[i]!.type, to.fields[i]!.type))
  }
  return WRITERS[`${from.kind} ${to.kind}` as keyof typeof WRITERS]!(sql)
}

const eachElement = (sql: string, write: (element: string) => string): string =>
  `list_transform(${sql}, lambda element$: ${write('element$')})`

/** The struct with each field rewritten; NULL where the struct is NULL. */
function eachField(sql: string, from: StructType, to: StructType, write: (field: string, i: number) => string): string {
  const [fromNames, toNames] = [fieldNames(from), fieldNames(to)]
  const fields = toNames.map((name, i) => {
    const value = write(`struct_extract(${sql}, ${quoteText(fromNames[i]!)})`, i)
    return `${quoteName(name)} := ${keepNameOfTemplate(value)}`
  })
  return `(CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${fields.join(', ')}) END)`
}

const macro = (name: string) => (x: string) => `${name}(${x})`
const castTo = (type: string) => (x: string) => `CAST(${x} AS ${type})`
const fromUtc = (x: string): string => `make_timestamptz(epoch_us(${x}))`

const RANGE_WRITERS = Object.fromEntries(
  (['DATE', 'DATETIME', 'TIMESTAMP'] as const).flatMap(kind => {
    const name = kind.toLowerCase()
    return [
      [`STRING RANGE<${kind}>`, macro(`bq_text_to_${name}_range`)],
      [`RANGE<${kind}> STRING`, macro(`bq_${name}_range_text`)],
    ]
  }),
)

const WRITERS: Readonly<Partial<Record<`${ScalarKind} ${ScalarKind}`, (x: string) => string>>> = {
  'INT64 BOOL': x => `(${x} <> 0)`,
  'INT64 FLOAT64': castTo('DOUBLE'),
  'INT64 NUMERIC': castTo('DECIMAL(38,9)'),
  'INT64 BIGNUMERIC': macro('bq_int64_to_bignumeric'),
  'INT64 STRING': castTo('VARCHAR'),
  'NUMERIC INT64': macro('bq_numeric_to_int64'),
  'NUMERIC FLOAT64': macro('bq_numeric_to_float'),
  'NUMERIC STRING': macro('bq_numeric_text'),
  'NUMERIC BIGNUMERIC': macro('bq_numeric_to_bignumeric'),
  'BIGNUMERIC INT64': macro('bq_bignumeric_to_int64'),
  'BIGNUMERIC FLOAT64': macro('bq_bignumeric_to_float'),
  'BIGNUMERIC NUMERIC': x => `CAST(bq_bignumeric_to_numeric(${x}) AS DECIMAL(38,9))`,
  'BIGNUMERIC STRING': macro('bq_bignumeric_text'),
  'FLOAT64 INT64': macro('bq_float_to_int64'),
  'FLOAT64 NUMERIC': macro('bq_float_to_numeric'),
  'FLOAT64 BIGNUMERIC': macro('bq_bignumeric_of_float'),
  'FLOAT64 STRING': macro('bq_float_text'),
  'BOOL INT64': castTo('BIGINT'),
  'BOOL STRING': castTo('VARCHAR'),
  'STRING INT64': macro('bq_text_to_int64'),
  'STRING FLOAT64': macro('bq_text_to_float'),
  'STRING NUMERIC': macro('bq_text_to_numeric'),
  'STRING BIGNUMERIC': macro('bq_text_to_bignumeric'),
  'STRING BOOL': macro('bq_text_to_bool'),
  'STRING BYTES': macro('encode'),
  'STRING DATE': macro('bq_text_to_date'),
  'STRING TIME': macro('bq_text_to_time'),
  'STRING DATETIME': macro('bq_text_to_datetime'),
  'STRING TIMESTAMP': macro('bq_text_to_timestamp'),
  'STRING INTERVAL': x => `bq_interval_from_text(${x}, '', '')`,
  'BYTES STRING': macro('decode'),
  'DATE STRING': castTo('VARCHAR'),
  'DATE DATETIME': castTo('TIMESTAMP'),
  'DATE TIMESTAMP': x => fromUtc(`CAST(${x} AS TIMESTAMP)`),
  'DATETIME STRING': macro('bq_datetime_text'),
  'DATETIME DATE': castTo('DATE'),
  'DATETIME TIME': castTo('TIME'),
  'DATETIME TIMESTAMP': fromUtc,
  'TIME STRING': macro('bq_time_text'),
  'TIMESTAMP STRING': macro('bq_timestamp_text'),
  'TIMESTAMP DATE': x => `CAST(bq_utc(${x}) AS DATE)`,
  'TIMESTAMP TIME': x => `CAST(bq_utc(${x}) AS TIME)`,
  'TIMESTAMP DATETIME': macro('bq_utc'),
  'INTERVAL STRING': macro('bq_interval_to_text'),
  ...RANGE_WRITERS,
}

/**
 * Limits a value to the type's parameters: decimals are rounded, and a value that is too long or too large raises an error.
 *
 * @param sql an operand; it may be written several times.
 */
export function constrainSql(sql: string, type: Type, parameters: TypeParameters): string {
  const { numbers, parts } = parameters
  const constrainPart = (value: string, partType: Type, i: number): string => {
    const partParameters = parts[i]
    return partParameters ? constrainSql(value, partType, partParameters) : value
  }
  switch (type.kind) {
    case 'ARRAY':
      return eachElement(sql, element => constrainPart(element, type.element, 0))
    case 'STRUCT':
      return eachField(sql, type, type, (field, i) => constrainPart(field, type.fields[i]!.type, i))
    case 'STRING':
      return `bq_limited_text(${sql}, ${numbers[0]}::BIGINT)`
    case 'BYTES':
      return `bq_limited_bytes(${sql}, ${numbers[0]}::BIGINT)`
    default:
      return limitedDecimal(sql, type, numbers)
  }
}

function limitedDecimal(sql: string, type: Type, [precision, scale = 0]: readonly number[]): string {
  const whole = precision! - scale
  const fraction = scale > 0 ? `.${'9'.repeat(scale)}` : ''
  const most = `${'9'.repeat(whole) || '0'}${fraction}`
  const parameterText = scale > 0 ? `${precision}, ${scale}` : `${precision}`
  const message = `${type.kind}(${parameterText}) has precision ${precision} and scale ${scale} but got a value that is not in range of [-${most}, ${most}]`
  if (type.kind === 'BIGNUMERIC')
    return `bq_bignumeric_limited(${sql}, ${precision}::BIGINT, ${scale}::BIGINT, ${quoteText(message)})`
  const rounded = `CAST(round(${sql}, ${scale}) AS DECIMAL(38,9))`
  // A NUMERIC has at most 29 digits before the point, so every value is in range.
  if (whole >= 29) return rounded
  const limit = `'${most}'::DECIMAL(38,9)`
  return `bq_limited_numeric(${sql}, ${rounded}, ${limit}, ${quoteText(message)})`
}
