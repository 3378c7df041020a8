/** The DuckDB session: opened on a temporary file, extended with this project's macros and functions, and locked. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { literalPath, quoteName, quoteText } from '../../../../googlesql-duckdb/names-and-types.js'
import { type OnComputed, prepareInstance, prepareSession } from '../../../../googlesql-duckdb/runtime/index.js'
import { isSource } from '../../../platform/own-module.js'
import { temporaryFailure } from '../engine-folder.js'
import type { SessionOptions } from '../process/messages.js'
import { OpenFiles } from '../tables/open-files.js'
import { ShardStore } from '../tables/shard-store.js'
import { TableStore } from '../tables/table-store.js'
import { allowedDatasets, DATABASE, openDiscovery } from './discovery.js'
import { JavaScriptThread } from './javascript-thread.js'
import { LARGE_PLAN_SETTING, LargePlans } from './large-plans.js'

export type Session = Awaited<ReturnType<typeof openSession>>

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
 * When the log of changes has reached this size, DuckDB reuses the room of dropped tables in its file. A large table adds only some 2 % of
 * its bytes to the log: with DuckDB's default of 16 MB, the file would first grow by 700 MB.
 */
const WAL_BYTES = '1MB'

/**
 * Opens DuckDB on a file, not in memory, so that loaded rows are compressed and can be evicted from memory. `onComputed` is called only
 * in a process that queries share.
 */
export async function openSession(options: SessionOptions, onComputed?: OnComputed) {
  const spill = join(options.folder, 'spill')
  try {
    mkdirSync(spill, { recursive: true })
  } catch (cause) {
    throw temporaryFailure(dirname(dirname(options.folder)), cause)
  }
  const ownFolder = join(options.folder, 'files')
  const openFiles = new OpenFiles({ ownFolder, dataDir: options.dataDir, datasets: datasetFolders(options) })
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
  await (await instance.connect()).run(attach)
  const connect = async (): Promise<DuckDBConnection> => {
    const connection = await instance.connect()
    await connection.run(`USE ${WORKSPACE}`)
    return connection
  }
  const admin = await connect()
  const javascript = new JavaScriptThread()
  await (hasMacros ? prepareInstance : prepareSession)(admin, javascript.run, options.isShared ? onComputed : undefined)
  if (options.database !== null) {
    await admin.run(`ATTACH ${quoteText(options.database)} AS ${quoteName(DATABASE)} (READ_ONLY)`)
  }
  const converter = await connect()
  // Optimizing the SELECT of a text file with many columns takes longer than reading a megabyte.
  await converter.run('PRAGMA disable_optimizer')
  await lock(admin, options, ownFolder)
  const tables = new TableStore(converter, options.dataDir, openFiles)
  const { wildcards, discover } = await openDiscovery(options, admin, tables, openFiles)
  const shards = new ShardStore({ tables, openFiles, dataDir: options.dataDir, declared: wildcards })
  return {
    tables,
    openFiles,
    shards,
    /** The path for a pipe: DuckDB may write there. */
    pipe: join(ownFolder, 'export'),
    /** Calls its argument with a connection that nothing else uses meanwhile. */
    borrow: connectionPool(connect),
    largePlans: new LargePlans(admin),
    /** Runs the JavaScript functions of queries. A request with such functions is the session's only request, and first calls `begin`. */
    javascript,
    /** Resolves when DuckDB has answered a trivial query, even when no connection is free. */
    ping: () => admin.run('SELECT 1'),
    /** Finds tables without a schema file that are Parquet files or in the database, and declares them to `tables`. */
    discover,
  }
}

/**
 * Locks the session. The order matters: first the allowed paths, then no external access, then no more changes (DuckDB 1.5
 * checks each against the previous). The allowed paths are the files of tables, the folder of open files and copies, and the
 * folders of datasets, but not the data folder itself, which may hold the tokens file. DuckDB adds the files that it has open
 * and its temporary folder.
 */
async function lock(admin: DuckDBConnection, options: SessionOptions, ownFolder: string): Promise<void> {
  const list = (paths: readonly string[]): string => `[${[...new Set(paths)].map(quoteText).join(', ')}]`
  const files = options.tables.flatMap(table => table.files ?? [])
  await admin.run(`SET allowed_paths = ${list([...files, ...files.map(literalPath)])}`)
  await admin.run(`SET allowed_directories = ${list([...datasetFolders(options), ownFolder])}`)
  await admin.run('SET enable_external_access = false')
  // As an option of the new instance, this setting would be shown but not enforced.
  await admin.run(`SET GLOBAL max_temp_directory_size = '${options.tempLimitMb}MB'`)
  // Without background threads, the allocator keeps the memory of a load until the loading thread works again.
  await admin.run('SET GLOBAL allocator_background_threads = true')
  await admin.run(`SET allowed_configs = ['${LARGE_PLAN_SETTING}']`)
  await admin.run('SET lock_configuration = true')
}

const datasetFolders = (options: SessionOptions): readonly string[] =>
  allowedDatasets(options).map(dataset => join(options.dataDir!, dataset))

/** A pool of connections, opened on demand: the parent sends no more queries at once than `connections` says. */
function connectionPool(connect: () => Promise<DuckDBConnection>) {
  const freeConnections: DuckDBConnection[] = []
  return async <T>(use: (connection: DuckDBConnection) => Promise<T>): Promise<T> => {
    const connection = freeConnections.pop() ?? (await connect())
    try {
      return await use(connection)
    } finally {
      freeConnections.push(connection)
    }
  }
}
