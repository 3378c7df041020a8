/** The DuckDB session: opened on a temporary file, extended with this project's macros and functions, and locked. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import {
  declaringOf,
  isWildcard,
  type StructField,
  type TableDefinition,
  type UnreadableColumn,
} from '../../../../googlesql/data.js'
import { literalPath, quoteName, quoteText } from '../../../../googlesql-duckdb/data.js'
import { type OnComputed, prepareInstance, prepareSession } from '../../../../googlesql-duckdb/runtime/index.js'
import { QueryFault } from '../../../model/query-fault.js'
import { isSource } from '../../../platform/own-module.js'
import type { Discovery, SessionOptions } from '../process/messages.js'
import type { Guard } from '../tables/choose-parts.js'
import {
  type DataFile,
  datasetsInFolder,
  filesOfTable,
  isFolderName,
  newListing,
  tablesInFolder,
} from '../tables/data-folder.js'
import { fileFault } from '../tables/file-fault.js'
import { googlesqlType, whyUnreadable } from '../tables/file-types.js'
import { OpenFiles } from '../tables/open-files.js'
import { type ParquetShape, parquetShape, selectFrom, shapeOf } from '../tables/parquet-source.js'
import { type ShardStore, shardStore } from '../tables/shard-store.js'
import { type FindReads, readsFinder } from '../tables/table-reads.js'
import { TableStore } from '../tables/table-store.js'
import { JavaScriptThread } from './javascript-thread.js'
import { LARGE_PLAN_SETTING, type LargePlans, largePlans } from './large-plans.js'
import { statementGuard } from './statement-allowlist.js'

export interface Session {
  readonly tables: TableStore
  readonly openFiles: OpenFiles
  readonly shards: ShardStore
  /** Finds the files that a query would open. */
  readonly findReads: FindReads
  /** Calls `use` with a free connection, waiting for one if necessary. */
  readonly borrow: <T>(use: (connection: DuckDBConnection) => Promise<T>) => Promise<T>
  readonly largePlans: LargePlans
  /** Runs the JavaScript functions of queries. A request that runs some begins it, and is then the only one of the session. */
  readonly javascript: JavaScriptThread
  /** Resolves when DuckDB has answered a trivial query, even when no connection is free. */
  readonly ping: () => Promise<void>
  /** Finds tables without a schema file that are Parquet files or in the database, and declares them to `tables`. */
  readonly discover: () => Promise<Discovery>
  /** Frees DuckDB's memory, files and threads. */
  readonly close: () => void
}

const DATABASE = '~database'
const WORKSPACE = '"~tables"'
/**
 * A database with the macros, which the build creates. When the program runs from its sources, each session creates the macros
 * itself.
 */
const MACROS_DATABASE = new URL('dist/macros.duckdb', import.meta.resolve('#package'))
/**
 * The number of rows in a row group. One thread reads or skips a row group as a whole. With DuckDB's default of 122,880, 10,000
 * log entries would be one group; with smaller groups a query for the newest hundred takes half the time.
 */
const ROW_GROUP_SIZE = 4_096
/**
 * The size of the log of changes from which DuckDB frees the room of dropped tables. The log has only some 2 % of the bytes of large
 * tables, so that with DuckDB's default of 16 MB the file would grow by 700 MB first.
 */
const WAL_BYTES = '1MB'

/**
 * Opens DuckDB on a file, not in memory, so that loaded rows are compressed and can be evicted from memory. `guard` checks the
 * conditions by which shards are chosen. `onComputed` is called in a shared process alone.
 */
export async function openSession(
  options: SessionOptions,
  guard = statementGuard(),
  onComputed?: OnComputed,
): Promise<Session> {
  const spill = join(options.folder, 'spill')
  mkdirSync(spill, { recursive: true })
  const own = join(options.folder, 'files')
  const openFiles = new OpenFiles({ own, dataDir: options.dataDir, datasets: datasetFolders(options) })
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(options.threads),
    memory_limit: `${options.memoryLimitMb}MB`,
    temp_directory: spill,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    wal_autocheckpoint: WAL_BYTES,
  })
  const file = join(options.folder, 'tables.duckdb')
  const hasMacros = !isSource && existsSync(MACROS_DATABASE)
  // The file is written anew, since copying would also copy its mode: an installed file may be read-only, and DuckDB must write
  // to it.
  if (hasMacros) writeFileSync(file, readFileSync(MACROS_DATABASE))
  const attach = `ATTACH ${quoteText(file)} AS ${WORKSPACE} (ROW_GROUP_SIZE ${ROW_GROUP_SIZE})`
  const connections: DuckDBConnection[] = []
  const connectAnd = async (sql: string): Promise<DuckDBConnection> => {
    const connection = await instance.connect()
    connections.push(connection)
    await connection.run(sql)
    return connection
  }
  const connect = (): Promise<DuckDBConnection> => connectAnd(`USE ${WORKSPACE}`)
  await connectAnd(attach)
  const admin = await connect()
  const javascript = new JavaScriptThread()
  await (hasMacros ? prepareInstance : prepareSession)(admin, javascript.run, options.isShared ? onComputed : undefined)
  if (options.database !== null) {
    await admin.run(`ATTACH ${quoteText(options.database)} AS ${quoteName(DATABASE)} (READ_ONLY)`)
  }
  await lock(admin, options, own)
  const tables = new TableStore(await connect(), options.dataDir, openFiles)
  const declared = new Set(options.tables.map(table => table.definition.name))
  const databaseTables = options.database === null ? new Map<string, DatabaseTable>() : await tablesOfDatabase(admin)
  const wildcards = options.tables.map(({ definition }) => definition).filter(({ name }) => isWildcard(name))
  for (const { definition, files } of options.tables) {
    if (isWildcard(definition.name)) continue
    const known = databaseTables.get(definition.name)
    const origin = files
      ? ({ kind: 'files', files } as const)
      : known
        ? ({ kind: 'select', sql: selectFrom(known.source, definition, known.shape) } as const)
        : ({ kind: 'data-folder' } as const)
    tables.declare({ definition, origin })
  }

  const shapeOfFile = async (path: string): Promise<ParquetShape> => {
    const file = openFiles.open({ path, stamp: null, isGiven: false })
    return parquetShape(admin, file.path).finally(() => openFiles.close([file]))
  }

  const allowed = new Set(allowedDatasets(options))
  const discover = async (): Promise<Discovery> => {
    const notes: string[] = []
    const unreadable: Discovery['unreadable'][number][] = []
    const refuse = (table: string, reason: string): void => void unreadable.push({ table, reason })
    const found: TableDefinition[] = []
    let isOutgrown = false
    for (const [name, { source, shape }] of databaseTables) {
      if (declared.has(name)) continue
      const wildcard = declaringOf(wildcards, name)
      const definition = wildcard ? { ...wildcard, name } : definitionOf(name, shape)
      if (definition.columns.length === 0) {
        refuse(name, noColumns(definition))
        continue
      }
      const isInferred = wildcard === undefined
      const sql = selectFrom(source, definition, shape, { isInferred })
      tables.declare({ definition, isInferred, origin: { kind: 'select', sql } })
      found.push(definition)
    }
    const listing = newListing()
    for (const name of options.dataDir === null ? [] : tablesInFolder(options.dataDir)) {
      if (declared.has(name) || databaseTables.has(name)) continue
      if (!allowed.has(datasetOf(name))) {
        isOutgrown = true
        continue
      }
      // A shard of a declared wildcard table is not discovered here: it is found when a query reads it.
      if (declaringOf(wildcards, name)) continue
      const files = tryFiles(() => filesOfTable(options.dataDir!, name, listing))
      if (typeof files === 'string') {
        notes.push(`${name}: ${files}`)
        refuse(name, files)
        continue
      }
      const other = files.find(file => file.format !== 'parquet')
      if (other) {
        notes.push(`${name} has no schema, so its ${other.format} files are not read`)
        const remedy = `\`sluice tables infer ${name} ${other.path}\` writes one`
        refuse(name, `there is a data file for it, but no table schema ${name}.json; ${remedy}`)
        continue
      }
      const shape = await shapeOfFile(files[0]!.path).catch((error: unknown) => fileFault(error, 'Parquet'))
      if (typeof shape === 'string') {
        notes.push(`${name}: ${files[0]!.path}: ${shape}`)
        refuse(name, `its data file is not used, since ${shape}`)
        continue
      }
      const definition = definitionOf(name, shape)
      if (definition.columns.length === 0) {
        refuse(name, noColumns(definition))
        continue
      }
      tables.declare({ definition, isInferred: true, origin: { kind: 'data-folder' } })
      found.push(definition)
    }
    for (const { name, unreadable = [] } of found) {
      for (const column of unreadable) notes.push(`${name}.${column.name} cannot be read: ${column.reason}`)
    }
    return { tables: found, notes, unreadable, isOutgrown }
  }

  const pool = connectionPool(connect, options.connections)
  const ping = async (): Promise<void> => {
    await admin.run('SELECT 1')
  }
  const { dataDir } = options
  const guardCondition: Guard = (connection, sql) => guard(connection, sql, [])
  const shards = shardStore({ tables, openFiles, dataDir, declared: wildcards, guard: guardCondition })
  return {
    tables,
    openFiles,
    shards,
    findReads: readsFinder({ tables, shards, guard: guardCondition }),
    borrow: pool,
    largePlans: largePlans(admin),
    javascript,
    ping,
    discover,
    close: () => {
      // DuckDB keeps an instance until its last connection has ended.
      for (const connection of connections) connection.closeSync()
      instance.closeSync()
      openFiles.closeAll()
    },
  }
}

/**
 * Locks the session. The order matters: first the allowed paths, then no external access, then no more changes (DuckDB 1.5
 * checks each against the previous). The allowed paths are the files of tables, the folder of open files and copies, and the
 * folders of datasets, but not the data folder itself, which may hold the tokens file. DuckDB adds the files that it has open
 * and its temporary folder.
 */
async function lock(admin: DuckDBConnection, options: SessionOptions, own: string): Promise<void> {
  const list = (paths: readonly string[]): string => `[${[...new Set(paths)].map(quoteText).join(', ')}]`
  const files = options.tables.flatMap(table => table.files ?? [])
  await admin.run(`SET allowed_paths = ${list([...files, ...files.map(literalPath)])}`)
  await admin.run(`SET allowed_directories = ${list([...datasetFolders(options), own])}`)
  await admin.run('SET enable_external_access = false')
  // As an option of the new instance, this setting would be shown but not enforced.
  await admin.run(`SET GLOBAL max_temp_directory_size = '${options.tempLimitMb}MB'`)
  // Without background threads, the allocator keeps the memory of a load until the loading thread works again.
  await admin.run('SET GLOBAL allocator_background_threads = true')
  await admin.run(`SET allowed_configs = ['${LARGE_PLAN_SETTING}']`)
  await admin.run('SET lock_configuration = true')
}

/** The files; the reason where the table's place cannot be read. */
function tryFiles(find: () => readonly DataFile[]): readonly DataFile[] | string {
  try {
    return find()
  } catch (error) {
    if (error instanceof QueryFault) return error.message
    throw error
  }
}

/** The datasets that have a folder now, and the datasets of the declared tables, whose folders may be created later. */
function allowedDatasets({ dataDir, tables }: SessionOptions): readonly string[] {
  if (dataDir === null) return []
  const declared = tables.map(table => datasetOf(table.definition.name))
  return [...new Set([...datasetsInFolder(dataDir), ...declared])].filter(isFolderName)
}

const datasetFolders = (options: SessionOptions): readonly string[] =>
  allowedDatasets(options).map(dataset => join(options.dataDir!, dataset))

const datasetOf = (table: string): string => table.slice(0, Math.max(0, table.lastIndexOf('.')))

/** The table definition inferred from a file's columns. */
function definitionOf(name: string, shape: ParquetShape): TableDefinition {
  const columns: StructField[] = []
  const unreadable: UnreadableColumn[] = []
  for (const [i, column] of shape.names.entries()) {
    const type = googlesqlType(shape.types[i]!)
    if (type) columns.push({ name: column, type })
    else unreadable.push({ name: column, reason: whyUnreadable(name, column, shape.types[i]!) })
  }
  return { name, columns, ...(unreadable.length > 0 && { unreadable }) }
}

const noColumns = ({ unreadable = [] }: TableDefinition): string =>
  unreadable[0]
    ? `none of its columns can be read; ${unreadable[0].name}: ${unreadable[0].reason}`
    : 'it has no columns'

/**
 * A table of the attached database, whose schemas are datasets: `dataset`, or `project.dataset` for a dataset of another
 * project.
 */
interface DatabaseTable {
  readonly source: string
  readonly shape: ParquetShape
}

async function tablesOfDatabase(admin: DuckDBConnection): Promise<ReadonlyMap<string, DatabaseTable>> {
  const result = await admin.runAndReadAll(
    'SELECT schema_name, table_name AS name FROM duckdb_tables() WHERE database_name = $1 AND NOT internal ' +
      'UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = $1 AND NOT internal ORDER BY 1, 2',
    [DATABASE],
  )
  const tables = new Map<string, DatabaseTable>()
  for (const [schema, table] of result.getRows()) {
    const source = [DATABASE, String(schema), String(table)].map(quoteName).join('.')
    tables.set(`${schema}.${table}`, { source, shape: await shapeOf(admin, source) })
  }
  return tables
}

/** A pool of connections, opened on demand. When all connections are in use, callers wait in the order of their calls. */
function connectionPool(connect: () => Promise<DuckDBConnection>, size: number): Session['borrow'] {
  const free: DuckDBConnection[] = []
  const waiting: ((connection: DuckDBConnection) => void)[] = []
  let made = 0
  const take = async (): Promise<DuckDBConnection> => {
    const idle = free.pop()
    if (idle) return idle
    if (made < size) {
      made++
      return connect()
    }
    return new Promise(resolve => waiting.push(resolve))
  }
  return async use => {
    const connection = await take()
    try {
      return await use(connection)
    } finally {
      const next = waiting.shift()
      if (next) next(connection)
      else free.push(connection)
    }
  }
}
