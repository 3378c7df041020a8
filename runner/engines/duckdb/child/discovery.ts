/** Finds the tables that have no schema: Parquet files of the data folder, and tables of the attached database. */
import { type DuckDBConnection, DuckDBListType, DuckDBStructType, type DuckDBType } from '@duckdb/node-api'
import {
  definitionCovering,
  isWildcard,
  type StructField,
  type TableDefinition,
  type UnreadableColumn,
} from '../../../../googlesql/data.js'
import { quoteName, quotePath } from '../../../../googlesql-duckdb/names-and-types.js'
import { QueryFault } from '../../../model/query-fault.js'
import type { Discovery, SessionOptions } from '../process/messages.js'
import {
  type DataFile,
  datasetsInFolder,
  filesOfTable,
  isFolderName,
  type Listing,
  newListing,
  tablesInFolder,
} from '../tables/data-folder.js'
import { fileFault } from '../tables/file-fault.js'
import { googlesqlType, whyUnreadable } from '../tables/file-types.js'
import { inferredKeys } from '../tables/folder-keys.js'
import type { OpenFile, OpenFiles } from '../tables/open-files.js'
import { type Shape, selectFrom, shapeOf, shapeWithDurations } from '../tables/parquet-source.js'
import { columnName, keysOfFields } from '../tables/rows/column-name.js'
import type { StoredTable, TableStore } from '../tables/table-store.js'

/** The name under which the session attaches the database. */
export const DATABASE = '~database'

/** A table of the attached database. The database's schemas are datasets: `dataset` or, in another project, `project.dataset`. */
interface DatabaseTable {
  readonly source: string
  readonly shape: Shape
}

/**
 * Declares the tables that have a schema to the store. The returned `discover` declares the tables without a schema that exist when it is
 * called. `admin` is a connection that runs only short statements.
 */
export async function openDiscovery(
  options: SessionOptions,
  admin: DuckDBConnection,
  store: TableStore,
  openFiles: OpenFiles,
) {
  const { tables, dataDir } = options
  const database = options.database === null ? new Map<string, never>() : await tablesOfDatabase(admin)
  const declared = new Set(tables.map(({ definition }) => definition.name))
  const datasets = new Set(allowedDatasets(options))
  const wildcards = tables.map(({ definition }) => definition).filter(({ name }) => isWildcard(name))
  /** The columns of each table's files, so that only files that have changed are read again. */
  const shapes = new Map<string, { readonly stamps: string; readonly shape: Shape }>()
  declareTables(options, database, store)

  async function discover(): Promise<Discovery> {
    const definitions: TableDefinition[] = []
    const unreadable: Discovery['unreadable'][number][] = []
    const listing = newListing()
    const inFolder = (dataDir === null ? [] : tablesInFolder(dataDir)).filter(name => !database.has(name))
    const names = [...database.keys(), ...inFolder].filter(name => !declared.has(name))
    const isAllowed = (name: string): boolean => database.has(name) || datasets.has(datasetOf(name))
    for (const name of names.filter(isAllowed)) {
      const dbTable = database.get(name)
      // A shard of a declared wildcard table is not discovered in the folder: it is found when a query reads it.
      if (!dbTable && definitionCovering(wildcards, name)) continue
      const table = await (dbTable ? tableOfDatabase(name, dbTable) : tableOfFiles(name, listing)).catch(error => {
        if (!(error instanceof QueryFault)) throw error
        unreadable.push({ table: name, reason: error.message })
      })
      if (!table) continue
      store.declare(table)
      definitions.push(table.definition)
    }
    return { tables: definitions, unreadable, hasNewDatasets: !names.every(isAllowed) }
  }

  /** @throws QueryFault for a table without a column that can be read. */
  async function tableOfDatabase(name: string, { source, shape }: DatabaseTable): Promise<StoredTable> {
    const wildcard = definitionCovering(wildcards, name)
    const definition = wildcard ? { ...wildcard, name } : definitionOf(name, shape)
    const isInferred = !wildcard
    const sql = selectFrom(source, definition, shape, { isInferred })
    return { definition, isInferred, origin: { kind: 'select', sql } }
  }

  /** @throws QueryFault that says why the files of the table are not used. */
  async function tableOfFiles(name: string, listing: Listing): Promise<StoredTable> {
    const files = filesOfTable(dataDir!, name, listing)
    const [first] = files
    if (!first) throw new QueryFault('there is no file for it')
    const textFile = files.find(({ format }) => format !== 'parquet')
    if (textFile)
      throw new QueryFault(
        `there is a data file for it, but no table schema ${name}.json; \`sluice tables infer ${name} ${textFile.path}\` writes one`,
      )
    const keys = inferredKeys(files)
    const stamps = files.map(({ path, stamp }) => `${path} ${stamp}`).join('\n')
    const cached = shapes.get(name)
    const shape = cached?.stamps === stamps ? cached.shape : await shapeOfFiles(files, keys)
    shapes.set(name, { stamps, shape })
    const definition = definitionOf(name, shape)
    const columns = [...definition.columns, ...keys]
    return { definition: { ...definition, columns }, isInferred: true, origin: { kind: 'data-folder' } }
  }

  /**
   * The columns of all files. A column has the type of the first file that has it. Columns that folders give are left out here: if a
   * file has such a column too, the query that reads the file reports that.
   * @throws QueryFault that names a file.
   */
  async function shapeOfFiles(inFolder: readonly DataFile[], keys: readonly StructField[]): Promise<Shape> {
    const files: OpenFile[] = []
    try {
      for (const { path } of inFolder) {
        try {
          files.push(openFiles.open({ path, stamp: null, isGiven: false }))
        } catch (cause) {
          throw unusedFileFault(path, cause)
        }
      }
      const shapes: Shape[] = []
      for (const { path, name } of await filesByColumns(admin, files)) {
        const shape = await shapeWithDurations(admin, path).catch((cause: unknown) => {
          throw unusedFileFault(name, cause)
        })
        shapes.push(shape)
      }
      const { names, types } = shapes.reduce(withColumnsOf)
      const folderColumns = new Set(keys.map(key => key.name!.toLowerCase()))
      const isOwn = names.map(key => !folderColumns.has(columnName(key).toLowerCase()))
      return { names: names.filter((_, i) => isOwn[i]), types: types.filter((_, i) => isOwn[i]) }
    } finally {
      openFiles.close(files)
    }
  }

  return { wildcards, discover }
}

const unusedFileFault = (path: string, cause: unknown): QueryFault =>
  new QueryFault(`its data file ${path} is not used, since ${fileFault(cause, 'Parquet')}`, { cause })

/** One file for each set of columns, and the first file. If a file is damaged, only the first: the query reports the damage. */
async function filesByColumns(admin: DuckDBConnection, files: readonly OpenFile[]): Promise<readonly OpenFile[]> {
  const [first] = files
  if (files.length === 1) return files
  const paths = files.map(({ path }) => quotePath(path)).join(', ')
  const columns =
    "string_agg(concat_ws(' ', name, type, logical_type, num_children, precision, scale), ',' ORDER BY column_id)"
  const kinds = `SELECT file_name, ${columns} AS kind FROM parquet_schema([${paths}]) GROUP BY file_name`
  const firsts = `SELECT min(file_name) FROM (${kinds}) GROUP BY kind`
  const names = await admin.runAndReadAll(firsts).catch(() => null)
  if (names === null) return [first!]
  const chosen = new Set(names.getRows().map(([name]) => name))
  return files.filter(file => file === first || chosen.has(file.path))
}

/** The columns of the shape, then the columns that only the other shape has; the same for the fields of records. */
function withColumnsOf(shape: Shape, other: Shape): Shape {
  const [names, types] = [[...shape.names], [...shape.types]]
  const places = new Map(names.map((key, i) => [columnName(key).toLowerCase(), i]))
  for (const [i, key] of other.names.entries()) {
    const at = places.get(columnName(key).toLowerCase()) ?? names.length
    names[at] ??= key
    types[at] = types[at] ? withFieldsOf(types[at], other.types[i]!) : other.types[i]!
  }
  return { names, types }
}

function withFieldsOf(type: DuckDBType, other: DuckDBType): DuckDBType {
  if (type instanceof DuckDBListType && other instanceof DuckDBListType)
    return new DuckDBListType(withFieldsOf(type.valueType, other.valueType), type.alias)
  if (!(type instanceof DuckDBStructType && other instanceof DuckDBStructType)) return type
  const [shape, added] = [type, other].map(({ entryNames, entryTypes }) => ({ names: entryNames, types: entryTypes }))
  const { names, types } = withColumnsOf(shape!, added!)
  return new DuckDBStructType(names, types, type.alias)
}

function declareTables(
  { tables }: SessionOptions,
  database: ReadonlyMap<string, DatabaseTable>,
  store: TableStore,
): void {
  for (const { definition, files } of tables) {
    if (isWildcard(definition.name)) continue
    const dbTable = database.get(definition.name)
    const origin = files
      ? ({ kind: 'files', files } as const)
      : dbTable
        ? ({ kind: 'select', sql: selectFrom(dbTable.source, definition, dbTable.shape) } as const)
        : ({ kind: 'data-folder' } as const)
    store.declare({ definition, origin })
  }
}

/** The datasets that have a folder now, and the datasets of the declared tables, whose folders may be created later. */
export function allowedDatasets({ dataDir, tables }: SessionOptions): readonly string[] {
  if (dataDir === null) return []
  const declared = tables.map(table => datasetOf(table.definition.name))
  return [...new Set([...datasetsInFolder(dataDir), ...declared])].filter(isFolderName)
}

const datasetOf = (table: string): string => table.slice(0, Math.max(0, table.lastIndexOf('.')))

/** The table definition inferred from a file's columns. @throws QueryFault for a table without a column that can be read. */
function definitionOf(name: string, shape: Shape): TableDefinition {
  const columns: StructField[] = []
  const unreadable: UnreadableColumn[] = []
  for (const [i, key] of shape.names.entries()) {
    const column = columnName(key)
    const type = googlesqlType(shape.types[i]!)
    if (type) columns.push({ name: column, type })
    else unreadable.push({ name: column, reason: whyUnreadable(name, column, shape.types[i]!) })
  }
  const [first] = unreadable
  if (columns.length === 0)
    throw new QueryFault(
      first ? `none of its columns can be read; ${first.name}: ${first.reason}` : 'it has no columns',
    )
  const { duplicate: twice } = keysOfFields(columns, shape.names)
  if (twice !== null) throw new QueryFault(twice)
  return { name, columns, ...(first && { unreadable }) }
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
