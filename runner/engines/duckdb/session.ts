/** DuckDB itself: opened on a temporary file, made to understand our SQL, and locked. */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { StructField } from '../../googlesql/types.js'
import { googlesqlType } from './adapt-column.js'
import { filesOfTable, tablesInFolder } from './data-folder.js'
import { quoteName, quoteText } from './generate/quote.js'
import { type ParquetShape, parquetShape, selectFrom, shapeOf } from './load-table.js'
import type { Discovery, SessionOptions } from './messages.js'
import { prepareSession } from './prepare-session.js'
import { type TableStore, tableStore } from './table-store.js'

export interface Session {
  readonly tables: TableStore
  /** Waits for a free connection and lends it to `use`. */
  readonly borrow: <T>(use: (connection: DuckDBConnection) => Promise<T>) => Promise<T>
  /** Tables that have no schema of their own but are Parquet or in the database; they are declared to `tables`. */
  readonly discover: () => Promise<Discovery>
  readonly close: () => void
}

const DATABASE = '~database'
const WORKSPACE = '"~tables"'
/**
 * Rows that are skipped or read together, and by one thread. Of 10,000 log entries DuckDB's own 122,880 would be one
 * group: with smaller ones the newest hundred take half the time.
 */
const ROW_GROUP_SIZE = 4_096

/** A file, and not memory, so that loaded rows are compressed and may leave memory. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const spill = join(options.folder, 'spill')
  mkdirSync(spill, { recursive: true })
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(options.threads),
    memory_limit: `${options.memoryLimitMb}MB`,
    temp_directory: spill,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  })
  const attach = `ATTACH ${quoteText(join(options.folder, 'tables.duckdb'))} AS ${WORKSPACE} (ROW_GROUP_SIZE ${ROW_GROUP_SIZE})`
  const connect = async (): Promise<DuckDBConnection> => {
    const connection = await instance.connect()
    await connection.run(`USE ${WORKSPACE}`)
    return connection
  }
  await (await instance.connect()).run(attach)
  const admin = await connect()
  await prepareSession(admin)
  if (options.database !== null) {
    await admin.run(`ATTACH ${quoteText(options.database)} AS ${quoteName(DATABASE)} (READ_ONLY)`)
  }
  await lock(admin, options)
  const tables = tableStore(await connect(), options.dataDir)
  const declared = new Set(options.tables.map(table => table.definition.name))
  const databaseTables = options.database === null ? new Map<string, ParquetShape>() : await shapesOfDatabase(admin)
  for (const { definition, files } of options.tables) {
    const shape = databaseTables.get(definition.name)
    const origin = files
      ? ({ kind: 'files', files } as const)
      : shape
        ? ({ kind: 'select', sql: selectFrom(inDatabase(definition.name), definition, shape) } as const)
        : ({ kind: 'data-folder' } as const)
    tables.declare({ definition, origin })
  }

  const discover = async (): Promise<Discovery> => {
    const notes: string[] = []
    const found: Discovery['tables'][number][] = []
    for (const [name, shape] of databaseTables) {
      if (declared.has(name)) continue
      const definition = { name, columns: columnsOf(name, shape, notes) }
      tables.declare({ definition, origin: { kind: 'select', sql: selectFrom(inDatabase(name), definition, shape) } })
      found.push(definition)
    }
    for (const name of options.dataDir === null ? [] : tablesInFolder(options.dataDir)) {
      if (declared.has(name) || databaseTables.has(name)) continue
      const files = filesOfTable(options.dataDir!, name)
      const other = files.find(file => file.format !== 'parquet')
      if (other) {
        notes.push(`${name} has no schema, so its ${other.format} files are not read`)
        continue
      }
      const shape = await parquetShape(admin, files[0]!.path).catch(() => null)
      if (shape === null) {
        notes.push(`${name}: ${files[0]!.path} is no Parquet file`)
        continue
      }
      const definition = { name, columns: columnsOf(name, shape, notes) }
      tables.declare({ definition, origin: { kind: 'data-folder' } })
      found.push(definition)
    }
    return { tables: found, notes }
  }

  const pool = connectionPool(connect, options.connections)
  return { tables, borrow: pool, discover, close: () => instance.closeSync() }
}

/** Order matters: what is allowed, then nothing else, then no more changes (DuckDB 1.5 checks each against the last). */
async function lock(admin: DuckDBConnection, options: SessionOptions): Promise<void> {
  const files = options.tables.flatMap(table => table.files ?? [])
  const folders = new Set([
    options.folder,
    ...files.map(dirname),
    ...(options.dataDir === null ? [] : [options.dataDir]),
  ])
  await admin.run(`SET allowed_directories = [${[...folders].map(quoteText).join(', ')}]`)
  await admin.run('SET enable_external_access = false')
  // Without its threads the allocator keeps what loading a table took until the thread that loaded it works again.
  await admin.run('SET GLOBAL allocator_background_threads = true')
  await admin.run('SET lock_configuration = true')
}

function columnsOf(table: string, shape: ParquetShape, notes: string[]): readonly StructField[] {
  return shape.names.flatMap((name, i) => {
    const type = googlesqlType(shape.types[i]!)
    if (type) return [{ name, type }]
    notes.push(`${table}.${name} is left out: its type ${shape.types[i]} has no like in GoogleSQL`)
    return []
  })
}

async function shapesOfDatabase(admin: DuckDBConnection): Promise<ReadonlyMap<string, ParquetShape>> {
  const result = await admin.runAndReadAll(
    'SELECT schema_name, table_name AS name FROM duckdb_tables() WHERE database_name = $1 AND NOT internal ' +
      'UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = $1 AND NOT internal ORDER BY 1, 2',
    [DATABASE],
  )
  const shapes = new Map<string, ParquetShape>()
  for (const row of result.getRows()) {
    const name = `${row[0]}.${row[1]}`
    shapes.set(name, await shapeOf(admin, inDatabase(name)))
  }
  return shapes
}

function inDatabase(name: string): string {
  const dot = name.indexOf('.')
  return `${quoteName(DATABASE)}.${quoteName(name.slice(0, dot))}.${quoteName(name.slice(dot + 1))}`
}

/** Connections are made when first needed; who comes when all are lent out waits in turn. */
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
