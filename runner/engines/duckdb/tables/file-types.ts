/**
 * Maps DuckDB's types of Parquet files and databases to GoogleSQL types, and says what to do about types without an
 * equivalent.
 */
import {
  DuckDBArrayType,
  DuckDBDecimalType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
} from '@duckdb/node-api'
import { arrayOf, type ScalarKind, type StructField, structOf, type Type } from '../../../../googlesql/data.js'
import { columnName } from './rows/column-name.js'
import { durationUnit, isInt96, isTooWide } from './stored-types.js'

const EXACT_TYPES: Readonly<Partial<Record<DuckDBTypeId, ScalarKind>>> = {
  [DuckDBTypeId.BOOLEAN]: 'BOOL',
  [DuckDBTypeId.TINYINT]: 'INT64',
  [DuckDBTypeId.SMALLINT]: 'INT64',
  [DuckDBTypeId.INTEGER]: 'INT64',
  [DuckDBTypeId.BIGINT]: 'INT64',
  [DuckDBTypeId.UTINYINT]: 'INT64',
  [DuckDBTypeId.USMALLINT]: 'INT64',
  [DuckDBTypeId.UINTEGER]: 'INT64',
  [DuckDBTypeId.UBIGINT]: 'NUMERIC',
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

/** Types whose GoogleSQL type holds nearly all values that files have. A query that reads any other value fails. */
const NEARLY_EXACT_TYPES: Readonly<Partial<Record<DuckDBTypeId, ScalarKind>>> = {
  [DuckDBTypeId.HUGEINT]: 'NUMERIC',
  [DuckDBTypeId.UHUGEINT]: 'NUMERIC',
  [DuckDBTypeId.TIMESTAMP_NS]: 'DATETIME',
  [DuckDBTypeId.TIME_NS]: 'TIME',
  [DuckDBTypeId.TIME_TZ]: 'TIME',
}

/**
 * The GoogleSQL type that holds all values of this type exactly, or nearly all (see isNearlyExact); undefined if there is no
 * such type.
 */
export function googlesqlType(type: DuckDBType): Type | undefined {
  const list = asList(type)
  if (list) {
    const element = googlesqlType(list.valueType)
    return element && element.kind !== 'ARRAY' ? arrayOf(element) : undefined
  }
  if (type instanceof DuckDBStructType) {
    const fields: StructField[] = []
    for (const [i, name] of type.entryNames.entries()) {
      const field = googlesqlType(type.entryTypes[i]!)
      if (!field) return undefined
      fields.push({ name: columnName(name), type: field })
    }
    // A STRUCT with two fields of one name cannot be read by name.
    const names = new Set(fields.map(({ name }) => name.toLowerCase()))
    return names.size === fields.length ? structOf(fields) : undefined
  }
  if (isInt96(type)) return { kind: 'TIMESTAMP' }
  if (isTooWide(type) || durationUnit(type) !== null) return undefined
  if (type instanceof DuckDBDecimalType) return { kind: isNearlyExact(type) ? 'BIGNUMERIC' : 'NUMERIC' }
  if (type.alias === 'JSON') return { kind: 'JSON' }
  const kind = EXACT_TYPES[type.typeId] ?? NEARLY_EXACT_TYPES[type.typeId]
  return kind && { kind }
}

/** Whether the result of `googlesqlType` cannot hold some values of this type. */
export function isNearlyExact(type: DuckDBType): boolean {
  if (type instanceof DuckDBDecimalType) return type.scale > 9 || type.width - type.scale > 29
  return NEARLY_EXACT_TYPES[type.typeId] !== undefined
}

/**
 * The list type for a list, for an array of fixed length, and for a map (the list of its entries, as BigQuery loads maps); null
 * for other types.
 */
export function asList(type: DuckDBType): DuckDBListType | null {
  if (type instanceof DuckDBListType) return type
  if (type instanceof DuckDBArrayType) return new DuckDBListType(type.valueType)
  if (!(type instanceof DuckDBMapType)) return null
  return new DuckDBListType(new DuckDBStructType(['key', 'value'], [type.keyType, type.valueType]))
}

/** Types without an equivalent that a table schema may declare as STRING. */
export const AS_TEXT: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BIT,
  DuckDBTypeId.BIGNUM,
  DuckDBTypeId.GEOMETRY,
])

export const TOO_WIDE = 'more than 38 digits, which the embedded engine reads as other numbers'
export const NARROWER = 'write the file with at most 38 digits, or with the numbers as text'

/** Why a column cannot be read, and what to do: `its type VARIANT has no equivalent in GoogleSQL; …`. */
export function whyUnreadable(table: string, column: string, type: DuckDBType): string {
  const { path, type: culprit } = culpritOf(column, type)
  const without = `leave it out (SELECT * EXCEPT (${column}))`
  const schema = (kind: string): string =>
    `${without}, or give the table a schema, ${table}.json, that declares ${path} as ${kind}`
  const isWhole = path === column
  if (isTooWide(culprit))
    return `${isWhole ? `its type ${culprit}` : `the type ${culprit} of its field ${path}`} has ${TOO_WIDE}; ${without}, or ${NARROWER}`
  const unit = durationUnit(culprit)
  if (unit !== null)
    return `${isWhole ? 'it has' : `its field ${path} has`} durations, which are whole ${unit} in the file; ${schema('INTEGER')}`
  const what = isWhole ? `its type ${culprit} has` : `its field ${path} has the type ${culprit}, which has`
  return `${what} no equivalent in GoogleSQL; ${schema(AS_TEXT.has(culprit.typeId) ? 'STRING' : 'JSON')}`
}

/** The innermost part of the type that has no equivalent. */
function culpritOf(path: string, type: DuckDBType): { readonly path: string; readonly type: DuckDBType } {
  if (type instanceof DuckDBStructType) {
    const i = type.entryTypes.findIndex(entry => googlesqlType(entry) === undefined)
    if (i >= 0) return culpritOf(`${path}.${columnName(type.entryNames[i]!)}`, type.entryTypes[i]!)
  }
  const element = asList(type)?.valueType
  return element && googlesqlType(element) === undefined ? culpritOf(path, element) : { path, type }
}
