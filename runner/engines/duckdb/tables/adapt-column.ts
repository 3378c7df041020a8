/** SQL that converts columns of Parquet files and databases to a table's types. */
import { DuckDBDecimalType, DuckDBStructType, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'
import { type StructField, structOf, type Type } from '../../../../googlesql/data.js'
import {
  BIGNUMERIC_SCALE,
  duckdbType,
  fieldNames,
  NATIVE_ERROR_MARK,
  quoteName,
  quoteText,
} from '../../../../googlesql-duckdb/names-and-types.js'
import { QueryFault } from '../../../model/query-fault.js'
import { emptyColumn } from './convert.js'
import { fromFileValue, placeInFile, textOfBytes, textOfDecimal, valueFault } from './file-column.js'
import { AS_TEXT, asList, googlesqlType, isNearlyExact, NARROWER, TOO_WIDE } from './file-types.js'
import { keysOfFields } from './rows/column-name.js'
import { isCut, isInt96, isTooWide, leavesOf, rowOfCut, withoutMark } from './stored-types.js'

export interface ColumnPlace {
  readonly table: string
  /** The path for messages: `logs.edge.metadata.request`. */
  readonly path: string
  /** Whether the types were inferred from the file. Then a value that the conversion would change is an error. */
  readonly isInferred: boolean
  /** SQL of the path of the file, for messages; null where the source is not a file. */
  readonly file: string | null
}

/**
 * SQL that converts a value of type `have` to `want`. If both types have the same representation, the result is `sql` itself, so
 * that filters are pushed down to the file. Missing fields are NULL, extra fields are dropped. A NULL array stays NULL; a query that
 * distinguishes it from an empty array handles it (scans/null-arrays.ts).
 */
export function adaptColumn(sql: string, have: DuckDBType, want: Type, place: ColumnPlace): string {
  const { path } = place
  const tooWide = want.kind === 'ARRAY' || want.kind === 'STRUCT' ? undefined : leavesOf(have).find(isTooWide)
  if (tooWide) throw new QueryFault(`${path} is ${tooWide} in the file, with ${TOO_WIDE}: ${NARROWER}`)
  if (isCut(have)) {
    const value = adaptColumn(sql, withoutMark(have), want, place)
    return isInt96(have) || !place.isInferred
      ? value
      : `CASE WHEN ${sql} IS NULL THEN ${value} ELSE ${cutFault(rowOfCut(have), want, place)} END`
  }
  if (want.kind === 'ARRAY') {
    const list = asList(have)
    if (!list) return mismatch(have, want, place)
    const item = `x${path.split('[]').length}`
    const inner = adaptColumn(item, list.valueType, want.element, { ...place, path: `${path}[]` })
    const entries = have.typeId === DuckDBTypeId.MAP ? `map_entries(${sql})` : sql
    if (inner !== item) return `list_transform(${entries}, lambda ${item}: ${inner})`
    return have.typeId === DuckDBTypeId.ARRAY ? `CAST(${sql} AS ${duckdbType(want)})` : entries
  }
  if (want.kind === 'STRUCT') {
    if (!(have instanceof DuckDBStructType)) return mismatch(have, want, place)
    return adaptStruct(sql, have, want.fields, place)
  }
  const target = duckdbType(want)
  const isJson = have.alias === 'JSON'
  if (sqlName(have) === target && want.kind !== 'BIGNUMERIC' && !isJson) return sql
  if (isJson && want.kind === 'JSON') return sql
  const fromText = (text: string): string => fromFileValue(want, text, { path, form: 'parquet', file: place.file })
  if (have.typeId === DuckDBTypeId.VARCHAR) return fromText(sql)
  if (want.kind === 'JSON' && googlesqlType(have) === undefined)
    return fromText(`CAST(CAST(${sql} AS JSON) AS VARCHAR)`)
  if (asList(have) || have instanceof DuckDBStructType) return mismatch(have, want, place)
  if (want.kind === 'TIMESTAMP' && EPOCHS.has(have.typeId)) return fromText(`CAST(${sql} AS VARCHAR)`)
  return adaptScalar(sql, have, want, place)
}

const sqlName = (type: DuckDBType): string => (type.typeId === DuckDBTypeId.TIMESTAMP_TZ ? 'TIMESTAMPTZ' : String(type))

const EPOCHS: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.BIGINT, DuckDBTypeId.INTEGER, DuckDBTypeId.UINTEGER])
/** The most digits of a NUMERIC before the point. */
const NUMERIC_WHOLE_DIGITS = 29
/** Integer types that can hold values beyond INT64. */
const LARGE: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.UBIGINT, DuckDBTypeId.HUGEINT, DuckDBTypeId.UHUGEINT])

function adaptScalar(sql: string, have: DuckDBType, want: Type, place: ColumnPlace): string {
  const ownKind = googlesqlType(have)?.kind
  const cast = (from: string): string => `CAST(${from} AS ${duckdbType(want)})`
  const isLarge = LARGE.has(have.typeId)
  const isDecimal = have instanceof DuckDBDecimalType
  if (want.kind === 'BIGNUMERIC' && (ownKind === 'INT64' || isLarge || isDecimal)) return exactBignumeric(sql, have)
  if (ownKind === 'BYTES' && want.kind === 'STRING') return textOfBytes(sql, place.path, place.file)
  // If the type was inferred, a value that would change is an error; if it was declared, values may be cut or rounded.
  const isOwn = want.kind === ownKind && isNearlyExact(have) && (place.isInferred || ownKind === 'TIME')
  const isRounding = place.isInferred && ownKind !== undefined && ROUNDING[ownKind]?.includes(want.kind)
  const isWhole =
    isLarge && (want.kind === 'INT64' || (want.kind === 'NUMERIC' && have.typeId !== DuckDBTypeId.UBIGINT))
  if (isOwn || isWhole || isRounding) return exactCast(sql, have, want, place)
  if (have.typeId === DuckDBTypeId.TIMESTAMP_NS && (want.kind === 'DATETIME' || want.kind === 'TIMESTAMP'))
    return cast(microsecondsOf(sql))
  if (isDecimal && want.kind === 'STRING') return textOfDecimal(sql, have)
  if (isDecimal && want.kind === 'NUMERIC' && have.width - have.scale > NUMERIC_WHOLE_DIGITS) {
    const fault = valueFault(`${place.path} has a value that is not NUMERIC`, sql, place.file)
    return `CASE WHEN ${sql} IS NULL THEN NULL ELSE coalesce(TRY_CAST(${sql} AS ${duckdbType(want)}), ${fault}) END`
  }
  const isWider = ownKind !== undefined && (ownKind === want.kind || WIDER[ownKind]?.includes(want.kind))
  const isText = want.kind === 'STRING' && (isLarge || AS_TEXT.has(have.typeId))
  return isWider || isText ? cast(sql) : mismatch(have, want, place)
}

/** A whole or decimal number as a BIGNUMERIC, which DuckDB holds as a whole number of units of 1e-38. */
function exactBignumeric(sql: string, have: DuckDBType): string {
  const scale = have instanceof DuckDBDecimalType ? have.scale : 0
  return `CAST(replace(CAST(${sql} AS VARCHAR), '.', '') || '${'0'.repeat(BIGNUMERIC_SCALE - scale)}' AS BIGNUM)`
}

/** Rounds down to microseconds; a cast would round towards 1970. */
const microsecondsOf = (sql: string): string =>
  `make_timestamp((epoch_ns(${sql}) - (epoch_ns(${sql}) % 1000 + 1000) % 1000) // 1000)`

/** SQL of a cast that raises an error for a value that the type cannot hold. */
function exactCast(sql: string, have: DuckDBType, want: Type, { table, path, isInferred, file }: ColumnPlace): string {
  const cast = `TRY_CAST(${sql} AS ${duckdbType(want)})`
  const declared = isInferred ? declarableType(have) : null
  const advice = declared === null ? '' : ` (a table schema, ${table}.json, that declares it as ${declared})`
  return (
    `CASE WHEN ${sql} IS NULL THEN NULL WHEN TRY_CAST(${cast} AS ${have}) = ${sql} THEN ${cast} ` +
    `ELSE ${valueFault(`${path} has a value that is not ${want.kind}${advice}`, sql, file)} END`
  )
}

/** SQL of the error for a time whose last digits DuckDB has cut. @param row the first row with such a time; '' where it is not known */
function cutFault(row: string, want: Type, { table, path, file }: ColumnPlace): string {
  const what = row === '' ? 'may have' : 'has'
  const message = `${path} ${what} digits beyond microseconds (a table schema, ${table}.json, that declares it as ${want.kind} cuts them)`
  return `error(${quoteText(NATIVE_ERROR_MARK + message)}${placeInFile(file, row === '' ? "'1 or later'" : quoteText(row))})`
}

/** For messages: the type with which a table schema makes such a column readable, and what the type does to the values. */
function declarableType(have: DuckDBType): string | null {
  if (have.typeId === DuckDBTypeId.TIMESTAMP_NS) return 'DATETIME or TIMESTAMP cuts what is below a microsecond'
  return LARGE.has(have.typeId) ? 'STRING keeps it whole' : null
}

/** For each type, the types to which a cast may round. */
const ROUNDING: Readonly<Partial<Record<Type['kind'], readonly Type['kind'][]>>> = {
  INT64: ['FLOAT64'],
  NUMERIC: ['FLOAT64'],
  BIGNUMERIC: ['FLOAT64', 'NUMERIC'],
}

/**
 * For each type in a file, the other types that a table schema may declare for the column. A cast to FLOAT64 or NUMERIC may round; a time
 * without a zone is in UTC.
 */
const WIDER: Readonly<Partial<Record<Type['kind'], readonly Type['kind'][]>>> = {
  INT64: ['FLOAT64', 'NUMERIC', 'STRING'],
  NUMERIC: ['FLOAT64'],
  BIGNUMERIC: ['FLOAT64', 'NUMERIC'],
  DATE: ['DATETIME', 'TIMESTAMP'],
  DATETIME: ['TIMESTAMP'],
  TIMESTAMP: ['DATETIME'],
}

function adaptStruct(sql: string, have: DuckDBStructType, fields: readonly StructField[], place: ColumnPlace): string {
  const names = fieldNames(structOf(fields))
  const { keyOf, duplicate: twice } = keysOfFields(fields, have.entryNames)
  if (twice !== null) throw new QueryFault(`${place.path}.${twice}`)
  let isSame = have.entryNames.length === fields.length
  const entries = fields.map((field, i) => {
    const { type } = field
    const name = names[i]!
    const key = keyOf.get(field)
    const at = key === undefined ? -1 : have.entryNames.indexOf(key)
    if (at !== i || key !== name) isSame = false
    if (key === undefined) return `${quoteName(name)} := ${emptyColumn(type)}`
    const member = `struct_extract(${sql}, ${quoteText(key)})`
    const value = adaptColumn(member, have.entryTypes[at]!, type, { ...place, path: `${place.path}.${name}` })
    if (value !== member) isSame = false
    return `${quoteName(name)} := ${value}`
  })
  return isSame ? sql : `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${entries.join(', ')}) END`
}

function mismatch(have: DuckDBType, want: Type, { path, isInferred }: ColumnPlace): never {
  throw new QueryFault(
    isInferred
      ? `${path} is ${want.kind} in one of its files, but ${have} in another: write them alike, or give the table a schema`
      : `${path} is ${want.kind} by its schema, but the file has ${have}: write it with that type, or import the rows again with --replace`,
  )
}
