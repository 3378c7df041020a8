/** Writes the SQL of the views by which queries read tables. */
import {
  PARTITION_DATE,
  PARTITION_TIME,
  type PartitionUnit,
  type StructField,
  type TableDefinition,
} from '../../../../googlesql/data.js'
import {
  duckdbType,
  FROM_COLUMN,
  quoteName,
  quotePath,
  quoteText,
  UNTIL_COLUMN,
} from '../../../../googlesql-duckdb/names-and-types.js'
import { memo } from '../../../model/bounded-map.js'
import type { ImportedFiles } from './data-folder.js'
import type { KeyColumn } from './folder-keys.js'
import { PARTITION_KEY } from './imports-file.js'
import type { OpenFile } from './open-files.js'
import { type ParquetShape, parquetSource, selectFrom, selectKeyed } from './parquet-source.js'

/** A Parquet file, or the files of an import, which all have the same shape. */
export interface ParquetPart {
  /** Identifies the files in their state. */
  readonly key: string
  readonly open: readonly OpenFile[]
  /** The key of the TablePart of each file. */
  readonly partKeys: readonly string[]
  readonly shape: ParquetShape
  /** The columns that the names of the file's folders give. */
  readonly keys: readonly KeyColumn[]
  /** Null for a file that was not written by an import. */
  readonly imported: ImportedFiles | null
}

/** The sources of a table's view: DuckDB's tables with the rows of text files, and Parquet files, which are read in place. */
export interface TableParts {
  readonly tables: readonly string[]
  readonly parquet: readonly ParquetPart[]
}

/** The files that are read in place. */
export const openIn = ({ parquet }: TableParts): readonly OpenFile[] => parquet.flatMap(({ open }) => open)

/** The files that are read in place and may change: files of imports never do. */
export const changeableIn = ({ parquet }: TableParts): readonly OpenFile[] =>
  parquet.flatMap(({ imported, open }) => (imported === null ? open : []))

/**
 * The SQL of a table's view. A partitioned table has two hidden columns: the start and the end of the row's partition, or NULL if
 * they are not known. Filters on them keep DuckDB from opening files (scans/partition-filter.ts).
 */
export function viewOver(
  definition: TableDefinition,
  { tables, parquet }: TableParts,
  { isInferred, root }: { readonly isInferred: boolean; readonly root: string },
): string {
  const more = unknownColumns(definition)
  const names = definition.columns.map(column => quoteName(column.name)).join(', ')
  const unitOf = ({ imported }: ParquetPart): PartitionUnit | null => {
    const partition = imported?.partition
    return partition?.column === definition.partitionedBy ? (partition?.unit ?? null) : null
  }
  const selects = [
    ...tables.map(table => `SELECT ${names}${more} FROM ${quoteName(table)}`),
    ...scansOf(parquet, unitOf).map(({ shape, paths, keys, unit }) =>
      unit === null
        ? keys.length === 0
          ? selectFrom(parquetSource(paths), definition, shape, { more, isFiles: true, isInferred })
          : selectKeyed(paths, definition, shape, { keys, root, isInferred, more: () => more })
        : partitionedSelect(definition, shape, paths, unit),
    ),
  ]
  if (selects.length > 0) return selects.join(' UNION ALL ')
  const emptySql = emptySelect(definition.columns)
  return more === '' ? emptySql : `SELECT ${names}${more} FROM (${emptySql})`
}

/** A SELECT without rows that has these columns. */
export const emptySelect = (columns: readonly StructField[]): string =>
  `SELECT ${columns.map(({ name, type }) => `NULL::${duckdbType(type)} AS ${quoteName(name)}`).join(', ')} WHERE false`

/** SQL of the hidden columns of rows whose partition is not known, with a comma before each. */
export const unknownColumns = (table: TableDefinition): string => unknownBounds(table) + partitionDate(table)

/** The scans that read these parts: one for all files with the same columns, keys of folders, and unit of partitions. */
export function scansOf(
  parquet: readonly ParquetPart[],
  unitOf: (part: ParquetPart) => PartitionUnit | null = () => null,
) {
  const scans = new Map<string, Pick<ParquetPart, 'shape' | 'keys'> & { unit: PartitionUnit | null; paths: string[] }>()
  for (const part of parquet) {
    const { shape, keys, open } = part
    const unit = unitOf(part)
    const key = `${unit} ${keys.map(({ key: { name } }) => `${name}=`)} ${shape.key}`
    memo(scans, key, () => ({ shape, keys, unit, paths: [] })).paths.push(...open.map(({ path }) => path))
  }
  return [...scans.values()]
}

function partitionedSelect(
  table: TableDefinition,
  shape: ParquetShape,
  paths: readonly string[],
  unit: PartitionUnit,
): string {
  const source =
    `read_parquet([${paths.map(quotePath).join(', ')}], hive_partitioning = true, ` +
    `hive_types = {${quoteText(PARTITION_KEY)}: TIMESTAMP})`
  const isIngested = table.partitionedBy === PARTITION_TIME
  const type = duckdbType(table.columns.find(column => column.name === table.partitionedBy)!.type)
  const bounds = `, CAST(${PARTITION_KEY} AS ${type}) AS ${FROM_COLUMN}, CAST(${PARTITION_KEY} + INTERVAL 1 ${unit} AS ${type}) AS ${UNTIL_COLUMN}`
  if (!isIngested) return selectFrom(source, table, shape, { more: bounds, isFiles: true })
  const columns = table.columns.filter(({ name }) => name !== PARTITION_TIME)
  const time = `, CAST(${PARTITION_KEY} AS ${type}) AS ${quoteName(PARTITION_TIME)}`
  const more = time + bounds + partitionDate(table, PARTITION_KEY)
  return selectFrom(source, { ...table, columns }, shape, { more, isFiles: true })
}

/** SQL of the pseudo column with the date of the partition, with a comma before it; '' if the table has no such column. */
function partitionDate({ pseudoColumns = [] }: TableDefinition, time = PARTITION_TIME): string {
  const hasDate = pseudoColumns.some(({ name }) => name === PARTITION_DATE)
  return hasDate ? `, CAST(${quoteName(time)} AS DATE) AS ${quoteName(PARTITION_DATE)}` : ''
}

function unknownBounds(table: TableDefinition): string {
  const column = table.columns.find(({ name }) => name === table.partitionedBy)
  if (!column) return ''
  const type = duckdbType(column.type)
  return `, NULL::${type} AS ${FROM_COLUMN}, NULL::${type} AS ${UNTIL_COLUMN}`
}
