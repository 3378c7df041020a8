/** Finds the files that a query would open, without opening any of them. */
import { isWildcard, type PartitionUnit, type TableDefinition } from '../../../../googlesql/data.js'
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
import { isInformationSchema } from './information-schema.js'
import type { ShardStore } from './shard-store.js'
import type { TableStore } from './table-store.js'

/** A file of an import; all its rows are in one partition. */
interface PartitionFile {
  readonly path: string
  /** The partition, such as `2026-01-31`; null if the partitioning column of the rows is NULL. */
  readonly partition: string | null
  readonly unit: PartitionUnit
}

/** A table with the paths of the files that the query would open; null if the table is in the attached database. */
interface Found extends Omit<TableReads, 'files' | 'bytes'> {
  readonly paths: readonly string[] | null
}

/** What chooses and finds the files of tables. */
interface Stores {
  readonly tables: TableStore
  readonly shards: ShardStore
}

/** @throws QueryFault for a data folder or an import that cannot be read. */
export async function findReads(stores: Stores, request: ReadsRequest, deps: ChooseDeps): Promise<FileReads> {
  const found: Found[] = []
  for (const name of request.tables.filter(table => !isInformationSchema(table)))
    found.push(await (isWildcard(name) ? readsOfShards : readsOfTable)(stores, name, request, deps))
  const sizes = new Map(found.flatMap(({ paths }) => paths ?? []).map(path => [path, sizeOf(path)]))
  const sum = (paths: Iterable<string>): number => [...paths].reduce((total, path) => total + sizes.get(path)!, 0)
  return {
    tables: found.map(({ table, paths, parts }) => ({
      table,
      files: paths?.length ?? null,
      bytes: paths && sum(paths),
      parts,
    })),
    files: sizes.size,
    bytes: sum(sizes.keys()),
  }
}

async function readsOfTable({ tables }: Stores, name: string, request: ReadsRequest, deps: ChooseDeps): Promise<Found> {
  const contents = tables.contents(name)
  if (contents === null) return { table: name, paths: null, parts: null }
  const reads = request.partitionReads.filter(({ table }) => table === name)
  const definition = tables.definitions().find(table => table.name === name)
  const { always, partitioned } = byPartition(contents, definition)
  if (reads.length === 0 || !definition || partitioned.length === 0)
    return { table: name, paths: pathsOf(contents), parts: null }
  const chosen = new Set<PartitionFile>()
  for (const { conditions } of reads) {
    for (const unit of new Set(partitioned.map(file => file.unit))) {
      const all = partitioned.filter(file => file.unit === unit)
      const rowsOf = (files: readonly PartitionFile[]): string => rowsOfPartitions(files, unit, definition)
      for (const file of await chooseParts({ all, keyOf: ({ path }) => path, rowsOf }, conditions, deps))
        chosen.add(file)
    }
  }
  const parts = { kind: 'partitions', read: countOf([...chosen]), of: countOf(partitioned) } as const
  return { table: name, paths: [...always, ...[...chosen].map(({ path }) => path)], parts }
}

async function readsOfShards(
  { tables, shards }: Stores,
  name: string,
  request: ReadsRequest,
  deps: ChooseDeps,
): Promise<Found> {
  const all = new Set<string>()
  const chosen = new Set<string>()
  for (const read of request.shardReads.filter(({ table }) => table === name)) {
    const choice = await shards.select(read, deps)
    for (const { table } of choice.all) all.add(table)
    for (const { table } of choice.chosen) chosen.add(table)
  }
  const contents = [...chosen].map(table => tables.contents(table))
  const paths = contents.includes(null) ? null : contents.flatMap(shard => pathsOf(shard!))
  return { table: name, paths, parts: { kind: 'shards', read: chosen.size, of: all.size } }
}

const sizeOf = (path: string): number => Number(statFile(path)?.size ?? 0n)

const pathsOf = ({ files, imports }: TableContents): readonly string[] => [
  ...files.map(({ path }) => path),
  ...imports.flatMap(one => one.files),
]

/** Separates the files that conditions can leave out from those that every query of the table opens. */
function byPartition({ files, imports }: TableContents, definition: TableDefinition | undefined) {
  const [always, partitioned] = [files.map(({ path }) => path), [] as PartitionFile[]]
  for (const { files: paths, partition } of imports)
    if (partition?.column === definition?.partitionedBy && partition)
      partitioned.push(...paths.map(path => ({ path, partition: partitionOf(path), unit: partition.unit })))
    else always.push(...paths)
  return { always, partitioned }
}

/**
 * The partition in a path, such as 2026-01-31 in `_partition=2026-01-31`; null for the folder of rows whose partitioning column
 * is NULL.
 */
function partitionOf(path: string): string | null {
  const text = decodeURIComponent(new RegExp(`/${PARTITION_KEY}=([^/]*)/[^/]*$`).exec(path)?.[1] ?? '')
  return text === '' || text === '__HIVE_DEFAULT_PARTITION__' ? null : text
}

const countOf = (files: readonly PartitionFile[]): number => new Set(files.map(({ partition }) => partition)).size

/**
 * SQL that returns one row per file: its path, and the hidden columns with the bounds of its partition (see table-view.ts).
 */
function rowsOfPartitions(files: readonly PartitionFile[], unit: PartitionUnit, table: TableDefinition): string {
  const type = duckdbType(table.columns.find(({ name }) => name === table.partitionedBy)!.type)
  const paths = files.map(({ path }) => quoteText(path)).join(', ')
  const times = files.map(({ partition }) => (partition === null ? 'NULL' : quoteText(partition))).join(', ')
  return (
    `SELECT path FROM (SELECT path, CAST(begin_at AS ${type}) AS ${FROM_COLUMN}, ` +
    `CAST(begin_at + INTERVAL 1 ${unit} AS ${type}) AS ${UNTIL_COLUMN} FROM ` +
    `(SELECT unnest([${paths}]) AS path, CAST(unnest([${times}]) AS TIMESTAMP) AS begin_at)) AS ${PARTITION_ALIAS}`
  )
}
