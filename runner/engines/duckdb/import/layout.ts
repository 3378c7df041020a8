/** Where rows go: the order and the partitions that a table's resource asks for, as DuckDB SQL. */
import type { TableDefinition, Type } from '../../../../googlesql/index.js'
import { duckdbType, quoteName, quoteText } from '../../../../googlesql-duckdb/index.js'
import { PARTITION_KEY, type PartitionUnit } from '../tables/imports-file.js'

/** What a table's resource says of `clustering` and `timePartitioning`. */
export interface ImportLayout {
  readonly clusteredBy: readonly string[]
  readonly partition: { readonly column: string; readonly unit: PartitionUnit } | null
}

/** The column of an unfinished file that says which partition a row is of. */
export const PARTITION_COLUMN = '"~partition"'

const FORMATS: Readonly<Record<PartitionUnit, string>> = {
  HOUR: '%Y-%m-%d %H:00:00',
  DAY: '%Y-%m-%d',
  MONTH: '%Y-%m-01',
  YEAR: '%Y-01-01',
}

/** SQL of the partition's name; NULL for a row whose column is. */
export function partitionSql({ partition }: ImportLayout, table: TableDefinition): string {
  if (partition === null) return "''"
  const type = table.columns.find(column => column.name === partition.column)!.type
  const column = quoteName(partition.column)
  const civil = type.kind === 'TIMESTAMP' ? `${column} AT TIME ZONE 'UTC'` : column
  return `strftime(${civil}, ${quoteText(FORMATS[partition.unit])})`
}

/** `ORDER BY` and the columns that rows of one partition are sorted by; '' for none. */
export function orderSql({ clusteredBy, partition }: ImportLayout): string {
  // Rows of one cluster lie in the order of time, which most queries ask for.
  const columns = partition === null ? clusteredBy : [...new Set([...clusteredBy, partition.column])]
  return columns.length === 0 ? '' : `ORDER BY ${columns.map(column => `${quoteName(column)} NULLS FIRST`).join(', ')}`
}

/** `_partition=2026-01-31`, as DuckDB and others write hive-style folders. '' without partitions. */
export function partitionFolder({ partition }: ImportLayout, value: string | null): string {
  if (partition === null) return ''
  const name = value === null ? '__HIVE_DEFAULT_PARTITION__' : encodeURIComponent(value).replaceAll('%20', ' ')
  return `${PARTITION_KEY}=${name}`
}

/**
 * The type that unfinished rows have in DuckDB. JSON and BYTES are texts there: DuckDB's reader would change
 * the numbers of one, and take the other's escapes for bytes.
 */
export function stagedType(type: Type): string {
  return duckdbType(asTexts(type))
}

function asTexts(type: Type): Type {
  switch (type.kind) {
    case 'ARRAY':
      return { kind: 'ARRAY', element: asTexts(type.element) }
    case 'STRUCT':
      return { kind: 'STRUCT', fields: type.fields.map(field => ({ name: field.name, type: asTexts(field.type) })) }
    case 'JSON':
    case 'BYTES':
      return { kind: 'STRING' }
    default:
      return type
  }
}

/** The table's columns from unfinished rows. */
export function finishedColumns(table: TableDefinition): string {
  return table.columns
    .map(({ name, type }) => {
      const staged = stagedType(type)
      const finished = duckdbType(type)
      return staged === finished ? quoteName(name) : `CAST(${quoteName(name)} AS ${finished}) AS ${quoteName(name)}`
    })
    .join(', ')
}
