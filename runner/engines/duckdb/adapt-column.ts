/** From DuckDB's own types, as Parquet files and databases have them, to the types of GoogleSQL and back. */
import { DuckDBDecimalType, DuckDBListType, DuckDBStructType, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'
import { arrayOf, type ScalarKind, type StructField, structOf, type Type } from '../../googlesql/types.js'
import { quoteName, quoteText } from './generate/quote.js'
import { duckdbType, fieldNames } from './generate/type.js'
import { AS_DECLARED, fromWire } from './wire-column.js'

const SCALARS: Readonly<Partial<Record<DuckDBTypeId, ScalarKind>>> = {
  [DuckDBTypeId.BOOLEAN]: 'BOOL',
  [DuckDBTypeId.TINYINT]: 'INT64',
  [DuckDBTypeId.SMALLINT]: 'INT64',
  [DuckDBTypeId.INTEGER]: 'INT64',
  [DuckDBTypeId.BIGINT]: 'INT64',
  [DuckDBTypeId.UTINYINT]: 'INT64',
  [DuckDBTypeId.USMALLINT]: 'INT64',
  [DuckDBTypeId.UINTEGER]: 'INT64',
  [DuckDBTypeId.FLOAT]: 'FLOAT64',
  [DuckDBTypeId.DOUBLE]: 'FLOAT64',
  [DuckDBTypeId.VARCHAR]: 'STRING',
  [DuckDBTypeId.UUID]: 'STRING',
  [DuckDBTypeId.ENUM]: 'STRING',
  [DuckDBTypeId.BLOB]: 'BYTES',
  [DuckDBTypeId.DATE]: 'DATE',
  [DuckDBTypeId.TIME]: 'TIME',
  [DuckDBTypeId.TIMESTAMP]: 'DATETIME',
  [DuckDBTypeId.TIMESTAMP_S]: 'DATETIME',
  [DuckDBTypeId.TIMESTAMP_MS]: 'DATETIME',
  [DuckDBTypeId.TIMESTAMP_TZ]: 'TIMESTAMP',
  [DuckDBTypeId.INTERVAL]: 'INTERVAL',
}

/** The type whose values hold all of this type's exactly; undefined when there is none. */
export function googlesqlType(type: DuckDBType): Type | undefined {
  if (type instanceof DuckDBListType) {
    const element = googlesqlType(type.valueType)
    return element && element.kind !== 'ARRAY' ? arrayOf(element) : undefined
  }
  if (type instanceof DuckDBStructType) {
    const fields: StructField[] = []
    for (const [i, name] of type.entryNames.entries()) {
      const field = googlesqlType(type.entryTypes[i]!)
      if (!field) return undefined
      fields.push({ name, type: field })
    }
    return structOf(fields)
  }
  if (type instanceof DuckDBDecimalType) {
    return type.scale <= 9 && type.width - type.scale <= 29 ? { kind: 'NUMERIC' } : undefined
  }
  if (type.alias === 'JSON') return { kind: 'JSON' }
  const kind = SCALARS[type.typeId]
  return kind && { kind }
}

/**
 * SQL of a value of type `have` as one of `want`. Where the two are carried alike it is `sql` itself, so that filters
 * reach the file. Fields that are missing are NULL, others are left out. A NULL array
 * stays one: the queries that could tell see to it (generate/stored-arrays.ts).
 */
export function adaptColumn(sql: string, have: DuckDBType, want: Type, path: string): string {
  if (want.kind === 'ARRAY') {
    if (!(have instanceof DuckDBListType)) return mismatch(have, want, path)
    const item = `x${path.split('[]').length}`
    const inner = adaptColumn(item, have.valueType, want.element, `${path}[]`)
    return inner === item ? sql : `list_transform(${sql}, lambda ${item}: ${inner})`
  }
  if (want.kind === 'STRUCT') {
    if (!(have instanceof DuckDBStructType)) return mismatch(have, want, path)
    return adaptStruct(sql, have, want.fields, path)
  }
  const target = duckdbType(want)
  const isJson = have.alias === 'JSON'
  if (sqlName(have) === target && !isJson) return sql
  if (isJson && want.kind === 'JSON') return sql
  if (have.typeId === DuckDBTypeId.VARCHAR) {
    return fromWire(want, sql, { path, form: 'text', rowNumber: null, spelling: AS_DECLARED })
  }
  if (have instanceof DuckDBListType || have instanceof DuckDBStructType) return mismatch(have, want, path)
  if (want.kind === 'TIMESTAMP' && INTEGERS.has(have.typeId)) {
    return fromWire(want, `CAST(${sql} AS VARCHAR)`, { path, form: 'text', rowNumber: null, spelling: AS_DECLARED })
  }
  const own = googlesqlType(have)
  if (own?.kind !== want.kind && !isWidening(own?.kind, want.kind)) return mismatch(have, want, path)
  return `CAST(${sql} AS ${target})`
}

const sqlName = (type: DuckDBType): string => (type.typeId === DuckDBTypeId.TIMESTAMP_TZ ? 'TIMESTAMPTZ' : String(type))

const INTEGERS: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.BIGINT, DuckDBTypeId.INTEGER, DuckDBTypeId.UINTEGER])

/** Casts that lose nothing, or that a table's schema asks for knowingly: zone-less times are UTC. */
function isWidening(from: Type['kind'] | undefined, to: Type['kind']): boolean {
  switch (from) {
    case 'INT64':
      return to === 'FLOAT64' || to === 'NUMERIC' || to === 'BIGNUMERIC' || to === 'STRING'
    case 'NUMERIC':
      return to === 'FLOAT64' || to === 'BIGNUMERIC'
    case 'DATETIME':
      return to === 'TIMESTAMP'
    case 'TIMESTAMP':
      return to === 'DATETIME'
    default:
      return false
  }
}

function adaptStruct(sql: string, have: DuckDBStructType, fields: readonly StructField[], path: string): string {
  const names = fieldNames(structOf(fields))
  let isSame = have.entryNames.length === fields.length
  const entries = fields.map(({ type }, i) => {
    const name = names[i]!
    const exact = have.entryNames.indexOf(name)
    const at = exact >= 0 ? exact : have.entryNames.findIndex(entry => entry.toLowerCase() === name.toLowerCase())
    if (at !== i || have.entryNames[at] !== name) isSame = false
    if (at < 0) return `${quoteName(name)} := ${type.kind === 'ARRAY' ? '[]' : 'NULL'}::${duckdbType(type)}`
    const field = `struct_extract(${sql}, ${quoteText(have.entryNames[at]!)})`
    const value = adaptColumn(field, have.entryTypes[at]!, type, `${path}.${name}`)
    if (value !== field) isSame = false
    return `${quoteName(name)} := ${value}`
  })
  return isSame ? sql : `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${entries.join(', ')}) END`
}

/** A column's type in a file is none that the table's schema could mean. */
export class ColumnTypeError extends Error {
  override readonly name = 'ColumnTypeError'
}

function mismatch(have: DuckDBType, want: Type, path: string): never {
  throw new ColumnTypeError(`${path} is ${want.kind} by its schema, but the file has ${have}`)
}
