/** The rows of INFORMATION_SCHEMA: the tables that exist when the query runs. */
import {
  type InformationSchemaView,
  informationSchemaColumns,
  informationSchemaName,
  PARTITION_TIME,
  type PartitionUnit,
  type StructField,
  type TableDefinition,
  type Type,
  typeName,
} from '../../../../googlesql/data.js'
import { duckdbType, quoteName, quoteText } from '../../../../googlesql-duckdb/names-and-types.js'

/**
 * The SQL of the view with this name over these tables. With null the view has no rows, for callers that need only its columns.
 */
export function informationSchemaSql(name: string, tables: readonly TableDefinition[] | null): string {
  const { dataset, view } = informationSchemaName(name)!
  const listed = tablesOf(dataset!, tables ?? [])
  const rows = listed.flatMap(table =>
    ROWS[view as InformationSchemaView](table).map((row): Row => ({ ...placeOf(table, dataset!), ...row })),
  )
  const columns = informationSchemaColumns(view as InformationSchemaView)
  const empty = `(${columns.map(({ type }) => `NULL::${duckdbType(type)}`).join(', ')})`
  const values = rows.map(row => `(${columns.map(column => valueSql(row[column.name] ?? null)).join(', ')})`)
  const names = columns.map(column => quoteName(column.name)).join(', ')
  const rowsSql = `SELECT * FROM (VALUES ${[empty, ...values].join(', ')}) AS v(${names}) WHERE table_schema IS NOT NULL`
  if (view !== 'PARTITIONS') return rowsSql
  return [rowsSql, ...listed.map(table => partitionsSql(table, placeOf(table, dataset!), columns))].join(' UNION ALL ')
}

/** The names of the tables whose rows the view with this name counts: only PARTITIONS counts rows. */
export function tablesCounted(name: string, tables: readonly TableDefinition[]): readonly string[] {
  const view = informationSchemaName(name)
  return view?.view === 'PARTITIONS' ? tablesOf(view.dataset!, tables).map(table => table.name) : []
}

const tablesOf = (dataset: string, tables: readonly TableDefinition[]): readonly TableDefinition[] =>
  tables.filter(({ name }) => name.startsWith(`${dataset}.`) && /^[^.*]+$/.test(name.slice(dataset.length + 1)))

/** The first columns of every view. */
const placeOf = ({ name }: TableDefinition, dataset: string): Row => ({
  table_catalog: dataset.includes('.') ? dataset.slice(0, dataset.lastIndexOf('.')) : null,
  table_schema: dataset.slice(dataset.lastIndexOf('.') + 1),
  table_name: name.slice(dataset.length + 1),
})

/** The format of BigQuery's partition ids: 20260131 for a day. */
const PARTITION_IDS: Readonly<Record<PartitionUnit, string>> = {
  HOUR: '%Y%m%d%H',
  DAY: '%Y%m%d',
  MONTH: '%Y%m',
  YEAR: '%Y',
}

/** SQL of one row per partition of the table; a table without partitions has one row without a partition id. */
function partitionsSql(table: TableDefinition, place: Row, columns: readonly StructField[]): string {
  const id = partitionIdSql(table)
  const values = columns.map(({ name, type }) => {
    const sql = name === 'partition_id' ? id : name === 'total_rows' ? 'count(*)' : valueSql(place[name] ?? null)
    return `CAST(${sql ?? 'NULL'} AS ${duckdbType(type)})`
  })
  return `SELECT ${values.join(', ')} FROM ${quoteName(table.name)}${id === null ? '' : ` GROUP BY ${id}`}`
}

/** SQL of the id of the partition that a row is in; null for a table without partitions. */
function partitionIdSql({ partitionedBy, partitionUnit, columns }: TableDefinition): string | null {
  const column = columns.find(({ name }) => name === partitionedBy)
  if (!column || !partitionUnit) return null
  const time =
    column.type.kind === 'TIMESTAMP' ? `${quoteName(column.name)} AT TIME ZONE 'UTC'` : quoteName(column.name)
  // In a table that is partitioned by ingestion time, a NULL means a row that is not in a partition yet; in other tables, a row
  // whose partitioning column is NULL.
  const idOfNull = column.name === PARTITION_TIME ? '__UNPARTITIONED__' : '__NULL__'
  return `coalesce(strftime(${time}, ${quoteText(PARTITION_IDS[partitionUnit])}), ${quoteText(idOfNull)})`
}

/** The values by column name; a column that is left out is NULL. */
type Row = Readonly<Record<string, string | number | null>>

/** The rows that are known without reading a table. */
const ROWS: Readonly<Record<InformationSchemaView, (table: TableDefinition) => readonly Row[]>> = {
  // The columns about clones, snapshots and replicas are left out, so they are NULL.
  TABLES: () => [
    {
      table_type: 'BASE TABLE',
      is_insertable_into: 'YES',
      is_fine_grained_mutations_enabled: 'NO',
      is_typed: 'NO',
      is_change_history_enabled: 'NO',
    },
  ],
  // According to BigQuery's documentation, generation_expression, is_stored and is_updatable are always NULL.
  COLUMNS: table =>
    columnsOf(table).map(({ name, type, position }) => ({
      column_name: name,
      ordinal_position: position,
      is_nullable: yesNo(type.kind !== 'ARRAY' && !table.required?.includes(name)),
      data_type: typeName(type),
      is_generated: 'NEVER',
      is_hidden: yesNo(position === null),
      is_system_defined: yesNo(position === null),
      is_partitioning_column: yesNo(name === table.partitionedBy),
      // From 1; NULL for the other columns.
      clustering_ordinal_position: (table.clusteredBy ?? []).indexOf(name) + 1 || null,
    })),
  COLUMN_FIELD_PATHS: table =>
    columnsOf(table)
      .filter(({ position }) => position !== null)
      .flatMap(({ name, type }) =>
        pathsOf(name, type).map(path => ({ column_name: name, field_path: path.name, data_type: typeName(path.type) })),
      ),
  PARTITIONS: () => [],
}

interface SchemaColumn extends StructField {
  /** Null for a pseudo column, which is hidden. */
  readonly position: number | null
}

function columnsOf({ columns, pseudoColumns = [] }: TableDefinition): readonly SchemaColumn[] {
  const pseudo = new Set(pseudoColumns.map(({ name }) => name))
  const own = columns.filter(({ name }) => !pseudo.has(name)).map((column, i) => ({ ...column, position: i + 1 }))
  return [...own, ...pseudoColumns.map(column => ({ ...column, position: null }))]
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
