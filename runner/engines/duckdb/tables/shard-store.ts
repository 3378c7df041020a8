/**
 * The shards of wildcard tables. A query reads them through temporary views of its connection, which are made for each run:
 * only shards whose suffix meets the query's conditions are opened or loaded.
 */
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import {
  declaringOf,
  isShardOf,
  isWildcard,
  prefixOf,
  type Shard,
  type StructField,
  TABLE_SUFFIX,
  type TableDefinition,
} from '../../../../googlesql/data.js'
import { quoteName, quotePath, quoteText, SHARD_SUFFIX, type ShardRead } from '../../../../googlesql-duckdb/data.js'
import { QueryFault } from '../../../model/query-fault.js'
import type { WireParameter } from '../process/messages.js'
import { chooseParts, type Evaluate, type Guard } from './choose-parts.js'
import { FolderReader, type Listing, newListing, shardsInFolder, type TableContents } from './data-folder.js'
import type { OpenFile, OpenFiles } from './open-files.js'
import { type ParquetShape, selectFrom, shapeKey, shapeOf, shapeOfFile } from './parquet-source.js'
import type { TableRead, TableStore } from './table-store.js'
import { emptySelect, inScans } from './table-view.js'

export interface ChosenShards {
  /** The SQL of the views, by name. */
  readonly views: ReadonlyMap<string, string>
  /** How many shards are read, as texts for people: `logs.events_*: 3 of 1000 shards`. */
  readonly summary: readonly string[]
  readonly reads: readonly TableRead[]
  /** The files that are read in place. */
  readonly files: readonly OpenFile[]
}

export const NO_SHARDS: ChosenShards = {
  views: new Map(),
  summary: [],
  reads: [],
  files: [],
}

/** The shards of a read. */
export interface ShardChoice {
  readonly all: readonly Shard[]
  readonly chosen: readonly Shard[]
}

/** Creates the views on this connection, and replaces the views of earlier queries. */
export async function makeViews(connection: DuckDBConnection, { views }: ChosenShards): Promise<void> {
  for (const [name, select] of views)
    await connection.run(`CREATE OR REPLACE TEMP VIEW ${quoteName(name)} AS ${select}`)
}

/** Views without rows, which are enough to compile a query. */
export const emptyShards = (reads: readonly ShardRead[]): ChosenShards => ({
  ...NO_SHARDS,
  views: new Map(reads.map(({ view, columns }) => [view, emptySelect(withSuffix(columns))])),
})

export interface ShardStoreOptions {
  readonly tables: TableStore
  readonly openFiles: OpenFiles
  readonly dataDir: string | null
  /** The definitions of wildcard tables. */
  readonly declared: readonly TableDefinition[]
  /** Throws if the translator could not have written this SQL. */
  readonly guard: Guard
}

/** Parquet files of a shard that have the same shape. */
interface InPlace {
  readonly key: string
  readonly shape: ParquetShape
  readonly paths: readonly string[]
}

export class ShardStore {
  readonly #options: ShardStoreOptions
  readonly #folder: FolderReader | null
  readonly #shapes = shapeReader()
  readonly #files: ShardFiles

  constructor(options: ShardStoreOptions) {
    this.#options = options
    this.#folder = options.dataDir === null ? null : new FolderReader(options.dataDir)
    this.#files = new ShardFiles(options.openFiles)
  }

  /** Declares each of these tables that is a shard of a wildcard definition. */
  declare(names: readonly string[]): void {
    for (const name of names) if (!isWildcard(name)) this.#declareShard(name)
  }

  /** The definitions of all shards in the data folder that belong to a wildcard definition. */
  definitions(): readonly TableDefinition[] {
    const { tables, declared, dataDir } = this.#options
    if (dataDir === null) return []
    return declared.flatMap(definition =>
      shardsInFolder(dataDir, prefixOf(definition.name))
        .filter(name => !tables.has(name) && declaringOf(declared, name) === definition)
        .map(name => ({ ...definition, name })),
    )
  }

  /**
   * Chooses the shards of a read without opening them: those whose suffix meets all conditions. A condition that fails excludes
   * no shards: the query itself decides.
   */
  async select(
    connection: DuckDBConnection,
    read: ShardRead,
    parameters: readonly WireParameter[],
    evaluate: Evaluate,
  ): Promise<ShardChoice> {
    const all = this.#shardsOf(read)
    const rowsOf = (shards: readonly Shard[]): string =>
      `SELECT ${SHARD_SUFFIX} FROM (SELECT unnest([${shards.map(({ suffix }) => quoteText(suffix)).join(', ')}]) AS ${SHARD_SUFFIX}) AS s`
    const parts = { all, keyOf: ({ suffix }: Shard) => suffix, rowsOf }
    const { guard } = this.#options
    return { all, chosen: await chooseParts(parts, read.conditions, { connection, parameters, guard, evaluate }) }
  }

  /**
   * Chooses the shards of each read. Brings the chosen shards that are loaded into DuckDB up to date with their files.
   * @throws QueryFault for a shard that cannot be read.
   */
  async choose(
    connection: DuckDBConnection,
    reads: readonly ShardRead[],
    parameters: readonly WireParameter[],
    evaluate: Evaluate,
  ): Promise<ChosenShards> {
    const views = new Map<string, string>()
    const summary: string[] = []
    const done: TableRead[] = []
    const files: OpenFile[] = []
    for (const read of reads) {
      const { all, chosen } = await this.select(connection, read, parameters, evaluate)
      const one = await this.#readOne(connection, read, chosen)
      views.set(read.view, one.select)
      summary.push(`${read.table}: ${chosen.length} of ${all.length} shards`)
      done.push(...one.reads)
      files.push(...one.files)
    }
    return { views, summary, reads: done, files }
  }

  #declareShard(name: string): boolean {
    const { tables, declared } = this.#options
    if (tables.has(name)) return true
    const definition = declaringOf(declared, name)
    if (definition) tables.declare({ definition: { ...definition, name }, origin: { kind: 'data-folder' } })
    return definition !== undefined
  }

  #shardsOf({ prefix, shards }: ShardRead): readonly Shard[] {
    if (shards !== null) return shards
    const { tables, dataDir } = this.#options
    const names = new Set(tables.givenNames().filter(name => isShardOf(name, prefix)))
    if (dataDir !== null) for (const name of shardsInFolder(dataDir, prefix)) names.add(name)
    return [...names].sort().map(table => ({ table, suffix: table.slice(prefix.length) }))
  }

  /**
   * The files of a shard in the data folder, if all of them are Parquet; null for a shard that is read through its own view.
   */
  #filesInPlace(name: string, listing: Listing): TableContents | null {
    if (this.#folder === null || this.#options.tables.has(name, 'given')) return null
    const contents = this.#folder.contents(name, listing)
    const text = contents.files.find(({ format }) => format !== 'parquet')
    if (!text) return contents
    if (this.#declareShard(name)) return null
    throw new QueryFault(`${name} has no schema, so its ${text.format} files cannot be read`)
  }

  async #readOne(connection: DuckDBConnection, read: ShardRead, chosen: readonly Shard[]) {
    const { tables, openFiles, declared } = this.#options
    const listing = newListing()
    const inPlace: InPlace[] = []
    const files: OpenFile[] = []
    const loaded: Shard[] = []
    const isInferred = declaringOf(declared, read.prefix) === undefined
    const definition = { name: read.table, columns: read.columns }
    for (const shard of chosen) {
      const contents = this.#filesInPlace(shard.table, listing)
      if (contents === null) {
        loaded.push(shard)
        continue
      }
      const imported = contents.imports.map(({ path, files: paths }) => ({ stamp: null, key: path, paths }))
      const loose = contents.files.map(({ path, stamp }) => ({ stamp, key: stamp, paths: [path] }))
      for (const { stamp, key, paths } of [...loose, ...imported]) {
        const open = paths.map(path => this.#files.open(path, stamp))
        const shape = await this.#shapes(connection, open[0]!, key)
        inPlace.push({ ...shape, paths: open.map(file => file.path) })
        files.push(...open)
      }
    }
    const names = loaded.map(({ table }) => table)
    const reads = await tables.refresh(names)
    files.push(...tables.filesInPlace(names))
    const more = suffixOfFile(openFiles.root, read.prefix)
    const selects = inScans(inPlace).map(({ shape, paths }) =>
      selectFrom(parquetWithNames(paths), definition, shape, { more, isInferred }),
    )
    for (const { table, suffix } of loaded) {
      const shape = await shapeOf(connection, quoteName(table))
      const own = `, ${quoteText(suffix)} AS ${quoteName(TABLE_SUFFIX)}`
      selects.push(selectFrom(quoteName(table), definition, shape, { more: own, isInferred }))
    }
    const select = selects.length === 0 ? emptySelect(withSuffix(read.columns)) : selects.join(' UNION ALL ')
    return { select, reads, files }
  }
}

const withSuffix = (columns: readonly StructField[]): readonly StructField[] => [
  ...columns,
  { name: TABLE_SUFFIX, type: { kind: 'STRING' } },
]

const FILE_NAME = '"~file"'

const parquetWithNames = (paths: readonly string[]): string =>
  `read_parquet([${paths.map(quotePath).join(', ')}], hive_partitioning = false, filename = '~file')`

/**
 * SQL that extracts the suffix from the path of a file: `20260131` of `<root>/logs/events_20260131.parquet` and
 * `…_20260131/1.parquet`.
 */
function suffixOfFile(root: string, prefix: string): string {
  const dot = prefix.lastIndexOf('.')
  const beginning = `${join(root, prefix.slice(0, dot))}/${prefix.slice(dot + 1)}`
  const rest = `substr(${FILE_NAME}, ${[...beginning].length + 1})`
  return `, split_part(split_part(${rest}, '/', 1), '.', 1) AS ${quoteName(TABLE_SUFFIX)}`
}

/** The most files that stay open while no query reads them. */
const MAX_OPEN = 1_000

/** The open files of shards. The files that were read last stay open. */
class ShardFiles {
  readonly #openFiles: OpenFiles
  readonly #open = new Map<string, { readonly stamp: string | null; readonly file: OpenFile }>()

  constructor(openFiles: OpenFiles) {
    this.#openFiles = openFiles
  }

  open(path: string, stamp: string | null): OpenFile {
    const before = this.#open.get(path)
    this.#open.delete(path)
    if (before && before.stamp !== stamp) this.#openFiles.close([before.file])
    const file = before?.stamp === stamp ? before.file : this.#openFiles.open({ path, stamp, isGiven: false })
    this.#open.set(path, { stamp, file })
    if (this.#open.size > MAX_OPEN) {
      const [oldest, { file: unused }] = this.#open.entries().next().value!
      this.#open.delete(oldest)
      this.#openFiles.close([unused])
    }
    return file
  }
}

/** The most shapes of files that are remembered. */
const MAX_SHAPES = 100_000

/**
 * Reads the columns of Parquet files; a file that has not changed is not opened again. Files with equal shapes share one
 * object.
 */
function shapeReader() {
  const known = new Map<string, { readonly stamp: string; readonly key: string; readonly shape: ParquetShape }>()
  const byKey = new Map<string, ParquetShape>()
  return async (connection: DuckDBConnection, file: OpenFile, stamp: string) => {
    const before = known.get(file.name)
    if (before?.stamp === stamp) return { key: before.key, shape: before.shape }
    const read = await shapeOfFile(connection, file)
    const key = shapeKey(read)
    const shape = byKey.get(key) ?? read
    byKey.set(key, shape)
    if (known.size >= MAX_SHAPES) {
      known.clear()
      byKey.clear()
    }
    known.set(file.name, { stamp, key, shape })
    return { key, shape }
  }
}
