/** The rows of INFORMATION_SCHEMA: the tables that there are when the query runs. */
import {
  type InformationSchemaView,
  informationSchemaColumns,
  informationSchemaName,
  type StructField,
  type TableDefinition,
  type Type,
  typeName,
} from '../../../../googlesql/data.js'
import { duckdbType, quoteName, quoteText } from '../../../../googlesql-duckdb/data.js'

/** Whether the name is that of a view of INFORMATION_SCHEMA. */
export const isInformationSchema = (name: string): boolean => informationSchemaName(name) !== null

/** The SQL of the view with this name over these tables. With null it has no rows, where only its columns matter. */
export function informationSchemaSql(name: string, tables: readonly TableDefinition[] | null): string {
  const { dataset, view } = informationSchemaName(name)!
  const schema = dataset!.slice(dataset!.lastIndexOf('.') + 1)
  const catalog = dataset!.includes('.') ? dataset!.slice(0, dataset!.lastIndexOf('.')) : null
  const rows = (tables ?? []).flatMap(table => {
    const rest = table.name.startsWith(`${dataset}.`) ? table.name.slice(dataset!.length + 1) : ''
    if (rest === '' || /[.*]/.test(rest)) return []
    const first = { table_catalog: catalog, table_schema: schema, table_name: rest }
    return ROWS[view as InformationSchemaView](table).map((row): Row => ({ ...first, ...row }))
  })
  const columns = informationSchemaColumns(view as InformationSchemaView)
  const empty = `(${columns.map(({ type }) => `NULL::${duckdbType(type)}`).join(', ')})`
  const values = rows.map(row => `(${columns.map(column => valueSql(row[column.name] ?? null)).join(', ')})`)
  const names = columns.map(column => quoteName(column.name)).join(', ')
  return `SELECT * FROM (VALUES ${[empty, ...values].join(', ')}) AS v(${names}) WHERE table_schema IS NOT NULL`
}

/** Values by the name of the column; those that are left out are NULL. */
type Row = Readonly<Record<string, string | number | null>>

const ROWS: Readonly<Record<InformationSchemaView, (table: TableDefinition) => readonly Row[]>> = {
  // What is left out says of what the table is a clone, a snapshot or a replica.
  TABLES: () => [
    {
      table_type: 'BASE TABLE',
      is_insertable_into: 'YES',
      is_fine_grained_mutations_enabled: 'NO',
      is_typed: 'NO',
      is_change_history_enabled: 'NO',
    },
  ],
  // BigQuery's documentation: generation_expression, is_stored and is_updatable are always NULL.
  COLUMNS: table =>
    columnsOf(table).map(({ name, type, position, isHidden }) => ({
      column_name: name,
      ordinal_position: position,
      is_nullable: yesNo(type.kind !== 'ARRAY' && !table.required?.includes(name)),
      data_type: typeName(type),
      is_generated: 'NEVER',
      is_hidden: yesNo(isHidden),
      is_system_defined: yesNo(isHidden),
      is_partitioning_column: yesNo(name === table.partitionedBy),
      clustering_ordinal_position: clusteringPosition(table, name),
    })),
  COLUMN_FIELD_PATHS: table =>
    columnsOf(table)
      .filter(({ isHidden }) => !isHidden)
      .flatMap(({ name, type }) =>
        pathsOf(name, type).map(path => ({ column_name: name, field_path: path.name, data_type: typeName(path.type) })),
      ),
}

/** The place of the column among those by which the table is clustered, from 1; null for any other column. */
function clusteringPosition({ clusteredBy = [] }: TableDefinition, column: string): number | null {
  const place = clusteredBy.indexOf(column)
  return place < 0 ? null : place + 1
}

interface SchemaColumn extends StructField {
  /** Null for a pseudo column. */
  readonly position: number | null
  readonly isHidden: boolean
}

function columnsOf({ columns, pseudoColumns = [] }: TableDefinition): readonly SchemaColumn[] {
  const pseudo = new Set(pseudoColumns.map(({ name }) => name))
  const own = columns.filter(({ name }) => !pseudo.has(name))
  return [
    ...own.map((column, i) => ({ ...column, position: i + 1, isHidden: false })),
    ...pseudoColumns.map(column => ({ ...column, position: null, isHidden: true })),
  ]
}

/** The column and the fields within it, each with its path. */
function pathsOf(name: string, type: Type): readonly StructField[] {
  const element = type.kind === 'ARRAY' ? type.element : type
  if (element.kind !== 'STRUCT') return [{ name, type }]
  return [{ name, type }, ...element.fields.flatMap(field => pathsOf(`${name}.${field.name}`, field.type))]
}

const yesNo = (is: boolean): string => (is ? 'YES' : 'NO')

const valueSql = (value: string | number | null): string =>
  typeof value === 'string' ? quoteText(value) : value === null ? 'NULL' : `${value}`
