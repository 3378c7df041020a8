/** The partitioning and sort order of an import, from the table's resource, as DuckDB SQL. */
import type { PartitionUnit, TableDefinition } from '../../../googlesql/index.js'
import { quoteName, quoteText } from '../../../googlesql-duckdb/index.js'
import { stagedColumns } from '../../../runner/engines/duckdb/tables/convert.js'
import { TEXT_IN_FILES, withText } from '../../../runner/engines/duckdb/tables/file-column.js'
import { PARTITION_KEY } from '../../../runner/engines/duckdb/tables/imports-file.js'

/** `clustering` and `timePartitioning` of a table's resource. */
export interface ImportLayout {
  readonly clusteredBy: readonly string[]
  readonly partition: { readonly column: string; readonly unit: PartitionUnit } | null
  /** For a table that is partitioned by ingestion time: the time of the partition of all imported rows. */
  readonly ingestedAt?: Date
}

/** The column of a staged file that holds the partition of a row. */
export const PARTITION_COLUMN = '"~partition"'

const FORMATS: Readonly<Record<PartitionUnit, string>> = {
  HOUR: '%Y-%m-%d %H:00:00',
  DAY: '%Y-%m-%d',
  MONTH: '%Y-%m-01',
  YEAR: '%Y-01-01',
}

/** SQL of the partition's name; NULL for a row whose partitioning column is NULL. */
export function partitionSql({ partition, ingestedAt }: ImportLayout, table: TableDefinition): string {
  if (partition === null) return "''"
  if (ingestedAt)
    return `strftime(TIMESTAMP ${quoteText(ingestedAt.toISOString())}, ${quoteText(FORMATS[partition.unit])})`
  const type = table.columns.find(column => column.name === partition.column)!.type
  const column = quoteName(partition.column)
  const civil = type.kind === 'TIMESTAMP' ? `${column} AT TIME ZONE 'UTC'` : column
  return `strftime(${civil}, ${quoteText(FORMATS[partition.unit])})`
}

/** The ORDER BY clause for the rows of one partition; '' where the table has no order. */
export function orderSql({ clusteredBy, partition, ingestedAt }: ImportLayout): string {
  // Within a cluster, rows are ordered by the partitioning column: most queries filter or sort by this time.
  const columns = partition === null || ingestedAt ? clusteredBy : [...new Set([...clusteredBy, partition.column])]
  return columns.length === 0 ? '' : `ORDER BY ${columns.map(column => `${quoteName(column)} NULLS FIRST`).join(', ')}`
}

/** The hive-style folder of a partition, such as `_partition=2026-01-31`; '' without partitions. */
export function partitionFolder({ partition }: ImportLayout, value: string | null): string {
  if (partition === null) return ''
  const name = value === null ? '__HIVE_DEFAULT_PARTITION__' : encodeURIComponent(value).replaceAll('%20', ' ')
  return `${PARTITION_KEY}=${name}`
}

/** SQL that selects the table's columns from staged rows, with the types that its files have. */
export const finishedColumns = ({ columns }: TableDefinition): string =>
  stagedColumns(columns.map(({ name, type }) => ({ name, type: withText(type, TEXT_IN_FILES) })))
