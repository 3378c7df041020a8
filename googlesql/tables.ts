/** Tables as the resolver sees them, and BigQuery's JSON table schemas as their types. */
import { arrayOf, type StructField, scalarType, structOf, type Type } from './types/types.js'

export interface TableDefinition {
  /** As the catalogue spells it: `logs.edge`. */
  readonly name: string
  readonly columns: readonly StructField[]
  /** Columns that the table has too, but that no query can read. */
  readonly unreadable?: readonly UnreadableColumn[]
  /** The column whose values tell the partition of a row; a filter on it spares an engine the others. */
  readonly partitionedBy?: string
}

export interface UnreadableColumn {
  readonly name: string
  /** Why, and what to do: it goes on after `Column x of table t cannot be read: `. */
  readonly reason: string
}

export interface TableCatalogue {
  /** The table of this name, dots included; names are matched exactly. */
  find(name: string): TableDefinition | undefined
  /** All names, for "did you mean". */
  names(): readonly string[]
  /** Why there is no such table, where more is known than that: it goes on after `Table not found: x; `. */
  absence(name: string): string | undefined
}

/** One field of a BigQuery JSON schema, as `bq show --schema --format=prettyjson` prints it. */
export interface SchemaField {
  readonly name: string
  readonly type: string
  readonly mode?: string
  readonly fields?: readonly SchemaField[]
  readonly description?: string
  /** Of NUMERIC(10, 2) and STRING(20); `bq show` prints them as texts. */
  readonly precision?: string | number
  readonly scale?: string | number
  readonly maxLength?: string | number
  readonly roundingMode?: string
  readonly collation?: string
  readonly defaultValueExpression?: string
  /** Who may read the column, by the names of the tags. */
  readonly policyTags?: { readonly names: readonly string[] }
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

/** The type's name in SQL, with its parameters, of one element: `NUMERIC(10, 2)`; `STRUCT` for any record. */
export function standardTypeName({ type, precision, scale, maxLength }: SchemaField): string {
  const upper = type.toUpperCase()
  if (upper === 'RECORD') return 'STRUCT'
  const name = Object.hasOwn(LEGACY_NAMES, upper) ? LEGACY_NAMES[upper]! : upper
  const parameters = [precision ?? maxLength, precision === undefined ? undefined : scale].filter(
    given => given !== undefined && given !== '',
  )
  return parameters.length === 0 ? name : `${name}(${parameters.join(', ')})`
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

/** What stands in front of a table's name where a query leaves it out. */
export interface TableNaming {
  /** `p`: there `p.dataset.table` and `dataset.table` are one table; null for none. */
  readonly project: string | null
  /** `dataset` or `project.dataset`, of tables that are named without one; null for none. */
  readonly defaultDataset: string | null
}

const AS_WRITTEN: TableNaming = { project: null, defaultDataset: null }

/**
 * A catalogue over these tables. A name means the table that is called so, and only then one that `naming` makes of it.
 *
 * @param absences why tables are not in it that an author may look for, by name
 */
export function tableCatalogue(
  tables: readonly TableDefinition[],
  naming: TableNaming = AS_WRITTEN,
  absences: ReadonlyMap<string, string> = new Map(),
): TableCatalogue {
  const byName = new Map(tables.map(table => [table.name, table]))
  return {
    find(name) {
      const table = byName.get(name)
      if (table) return table
      const other = otherNames(name, naming).find(known => byName.has(known))
      return other === undefined ? undefined : byName.get(other)
    },
    names: () => [...byName.keys()],
    absence(name) {
      const known = [name, ...otherNames(name, naming)].find(other => absences.has(other))
      return known === undefined ? undefined : absences.get(known)
    },
  }
}

function otherNames(name: string, { project, defaultDataset }: TableNaming): readonly string[] {
  if (!name.includes('.')) {
    if (defaultDataset === null) return []
    const full = `${defaultDataset}.${name}`
    return [full, ...otherNames(full, { project, defaultDataset: null })]
  }
  if (project === null) return []
  if (!name.startsWith(`${project}.`)) return isWithoutProject(name) ? [`${project}.${name}`] : []
  const rest = name.slice(project.length + 1)
  return isWithoutProject(rest) ? [rest] : []
}

const isWithoutProject = (name: string): boolean => /^[^.]+\.[^.]+$/.test(name)
