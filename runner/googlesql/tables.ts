/** Tables as the resolver sees them, and BigQuery's JSON table schemas as their types. */
import { arrayOf, type StructField, scalarType, structOf, type Type } from './types.js'

export interface TableDefinition {
  /** As the catalogue spells it: `logs.edge`. */
  readonly name: string
  readonly columns: readonly StructField[]
}

export interface TableCatalogue {
  /** The table of this name, dots included; names are matched exactly. */
  find(name: string): TableDefinition | undefined
  /** All names, for "did you mean". */
  names(): readonly string[]
}

/** One field of a BigQuery JSON schema, as `bq show --schema --format=prettyjson` prints it. */
export interface SchemaField {
  readonly name: string
  readonly type: string
  readonly mode?: string
  readonly fields?: readonly SchemaField[]
  readonly description?: string
}

/** The JSON schema's own words for types. */
const LEGACY_NAMES: Readonly<Record<string, string>> = { INTEGER: 'INT64', FLOAT: 'FLOAT64', BOOLEAN: 'BOOL' }

/** The type of a field, or undefined when its type's name is not one of BigQuery's that this project knows. */
export function fieldType(field: SchemaField): Type | undefined {
  const upper = field.type.toUpperCase()
  let type: Type | undefined
  if (upper === 'RECORD' || upper === 'STRUCT') {
    const fields = fieldsToColumns(field.fields ?? [])
    type = fields && structOf(fields)
  } else {
    type = scalarType(Object.hasOwn(LEGACY_NAMES, upper) ? LEGACY_NAMES[upper]! : upper)
  }
  return type && (field.mode?.toUpperCase() === 'REPEATED' ? arrayOf(type) : type)
}

/** Undefined when a type is unknown. */
export function fieldsToColumns(fields: readonly SchemaField[]): readonly StructField[] | undefined {
  const columns: StructField[] = []
  for (const field of fields) {
    const type = fieldType(field)
    if (!type) return undefined
    columns.push({ name: field.name, type })
  }
  return columns
}

/** A catalogue over these tables. */
export function tableCatalogue(tables: readonly TableDefinition[]): TableCatalogue {
  const byName = new Map(tables.map(table => [table.name, table]))
  return { find: name => byName.get(name), names: () => [...byName.keys()] }
}
