/** Finds the files that a query would open, without opening any of them. */
import { isComputedView, isWildcard, type PartitionUnit, type TableDefinition } from '../../../../googlesql/data.js'
import {
  duckdbType,
  FROM_COLUMN,
  PARTITION_ALIAS,
  quoteText,
  UNTIL_COLUMN,
} from '../../../../googlesql-duckdb/names-and-types.js'
import type { FileReads, TableReads } from '../../../model/query.js'
import type { ReadsRequest } from '../process/messages.js'
import { type ChooseDeps, chooseParts } from './choose-parts.js'
import { statFile, type TableContents } from './data-folder.js'
import { PARTITION_KEY } from './imports-file.js'
import type { ShardStore } from './shard-store.js'
import type { TableStore } from './table-store.js'

/** A file of an import; all its rows are in one partition. */
interface PartitionFile {
  readonly path: string
  /** The partition, such as `2026-01-31`; null if the partitioning column of the rows is NULL. */
  readonly partition: string | null
  readonly unit: PartitionUnit
}

/** The stores in which the files of tables and shards are found. */
interface Stores {
  readonly tables: TableStore
  readonly shards: ShardStore
}

/** @throws QueryFault for a data folder or an import that cannot be read. */
export async function findReads(stores: Stores, request: ReadsRequest, deps: ChooseDeps): Promise<FileReads> {
  const sizes = new Map<string, number>()
  const sum = (paths: Iterable<string>): number => [...paths].reduce((total, path) => total + sizes.get(path)!, 0)
  const tables: TableReads[] = []
  for (const table of request.tables.filter(name => !isComputedView(name))) {
    const { paths, parts } = await (isWildcard(table) ? readsOfShards : readsOfTable)(stores, table, request, deps)
    for (const path of paths ?? []) sizes.set(path, Number(statFile(path)?.size ?? 0n))
    tables.push({ table, files: paths?.length ?? null, bytes: paths && sum(paths), parts })
  }
  return { tables, files: sizes.size, bytes: sum(sizes.keys()) }
}

/** The files of a table that the query would open; the paths are null if the table is in the attached database. */
async function readsOfTable({ tables }: Stores, name: string, request: ReadsRequest, deps: ChooseDeps) {
  const contents = tables.contents(name)
  if (contents === null) return { paths: null, parts: null }
  const reads = request.partitionReads.filter(({ table }) => table === name)
  const definition = tables.definitions().find(table => table.name === name)
  const { unpartitioned, partitioned } = splitByPartition(contents, definition)
  if (reads.length === 0 || !definition || partitioned.length === 0) return { paths: pathsOf(contents), parts: null }
  const all = { all: partitioned, keyOf: pathOf, rowsOf: rowsOfPartitions(definition) }
  const chosen = new Set<PartitionFile>()
  for (const { conditions } of reads) for (const file of await chooseParts(all, conditions, deps)) chosen.add(file)
  const parts = { kind: 'partitions', read: partitionCount([...chosen]), of: partitionCount(partitioned) } as const
  return { paths: [...unpartitioned, ...[...chosen].map(pathOf)], parts }
}

async function readsOfShards({ tables, shards }: Stores, name: string, request: ReadsRequest, deps: ChooseDeps) {
  const all = new Set<string>()
  const chosen = new Set<string>()
  for (const read of request.shardReads.filter(({ table }) => table === name)) {
    const choice = await shards.choose(read, deps)
    for (const { table } of choice.all) all.add(table)
    for (const { table } of choice.chosen) chosen.add(table)
  }
  const contents = [...chosen].map(table => tables.contents(table))
  const paths = contents.includes(null) ? null : contents.flatMap(shard => pathsOf(shard!))
  return { paths, parts: { kind: 'shards', read: chosen.size, of: all.size } as const }
}

const pathOf = ({ path }: { readonly path: string }): string => path

const pathsOf = ({ files, imports }: TableContents): readonly string[] => [
  ...files.map(pathOf),
  ...imports.flatMap(part => part.files),
]

/** Separates the files that conditions can leave out from those that every query of the table opens. */
function splitByPartition({ files, imports }: TableContents, definition: TableDefinition | undefined) {
  const [unpartitioned, partitioned] = [files.map(pathOf), [] as PartitionFile[]]
  for (const { files: paths, partition: partitioning } of imports)
    if (partitioning?.column === definition?.partitionedBy && partitioning)
      partitioned.push(...paths.map(path => ({ path, partition: partitionOf(path), unit: partitioning.unit })))
    else unpartitioned.push(...paths)
  return { unpartitioned, partitioned }
}

/**
 * The partition in a path, such as 2026-01-31 in `_partition=2026-01-31`; null for the folder of rows whose partitioning column
 * is NULL.
 */
function partitionOf(path: string): string | null {
  const text = decodeURIComponent(new RegExp(`/${PARTITION_KEY}=([^/]*)/[^/]*$`).exec(path)?.[1] ?? '')
  return text === '' || text === '__HIVE_DEFAULT_PARTITION__' ? null : text
}

const partitionCount = (files: readonly PartitionFile[]): number =>
  new Set(files.map(({ partition }) => partition)).size

/**
 * SQL that returns one row per file: its path, and the hidden columns with the bounds of its partition (see table-view.ts).
 */
function rowsOfPartitions({ columns, partitionedBy }: TableDefinition): (files: readonly PartitionFile[]) => string {
  const type = duckdbType(columns.find(({ name }) => name === partitionedBy)!.type)
  const rowOf = ({ path, partition, unit }: PartitionFile): string => {
    const begin = `CAST(${partition === null ? 'NULL' : quoteText(partition)} AS TIMESTAMP)`
    return `(${quoteText(path)}, CAST(${begin} AS ${type}), CAST(${begin} + INTERVAL 1 ${unit} AS ${type}))`
  }
  return files =>
    `SELECT path FROM (VALUES ${files.map(rowOf).join(', ')}) AS ${PARTITION_ALIAS}(path, ${FROM_COLUMN}, ${UNTIL_COLUMN})`
}
