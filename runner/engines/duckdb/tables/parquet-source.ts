/** SQL that reads Parquet files, and tables of a database, as rows of a table. */
import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api'
import type { TableDefinition } from '../../../../googlesql/data.js'
import { quoteName, quotePath, quoteText } from '../../../../googlesql-duckdb/names-and-types.js'
import { QueryFault } from '../../../model/query-fault.js'
import { withStatement } from '../values/bind-parameters.js'
import { adaptColumn } from './adapt-column.js'
import { emptyColumn } from './convert.js'
import { fileFault } from './file-fault.js'
import { type KeyColumn, keySql } from './folder-keys.js'
import type { OpenFile } from './open-files.js'
import { keysOfFields } from './rows/column-name.js'
import { withDurations, withStoredTypes } from './stored-types.js'

/** Columns in the order of their source. */
export interface Shape {
  readonly names: readonly string[]
  readonly types: readonly DuckDBType[]
}

export interface ParquetShape extends Shape {
  /** Files with the same key are read by one scan. */
  readonly key: string
}

/** The codecs that DuckDB decodes. */
const CODECS = ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI', 'ZSTD', 'LZ4_RAW']

/** The most column chunks whose codec is checked: a file nearly always has one codec, and checking 40,000 chunks takes half a second. */
const MOST_CHUNKS = 2_000

/** @throws QueryFault for a file that the engine cannot decode; its message does not name the file. */
async function parquetShape(connection: DuckDBConnection, path: string): Promise<ParquetShape> {
  const codecs = CODECS.map(quoteText).join(', ')
  const first = `SELECT path_in_schema, compression FROM parquet_metadata(${quotePath(path)}) LIMIT ${MOST_CHUNKS}`
  const otherCodecs = `SELECT * FROM (${first}) WHERE compression NOT IN (${codecs}) LIMIT 1`
  const [row] = (await connection.runAndReadAll(otherCodecs)).getRows()
  if (row) throw new QueryFault(`its column ${row[0]} has the codec ${row[1]}; write the file with ZSTD, for example`)
  const { names, types: duckdbTypes } = await shapeOf(connection, parquetSource([path]))
  const types = await withStoredTypes(connection, path, duckdbTypes)
  return shapeWith(names, types)
}

export const shapeWith = (names: readonly string[], types: readonly DuckDBType[]): ParquetShape => ({
  names,
  types,
  key: JSON.stringify([names, types.map(type => type.toJson())]),
})

/** The columns of a Parquet file, with durations marked as such: in a table without a schema, a duration cannot be read. */
export async function shapeWithDurations(connection: DuckDBConnection, path: string): Promise<Shape> {
  const { names, types } = await parquetShape(connection, path)
  return { names, types: await withDurations(connection, path, types) }
}

/** The columns of a Parquet file. @throws QueryFault that names the file. */
export function shapeOfFile(
  connection: DuckDBConnection,
  { path, name }: Pick<OpenFile, 'path' | 'name'>,
): Promise<ParquetShape> {
  return parquetShape(connection, path).catch(cause => {
    throw new QueryFault(`${name}: ${fileFault(cause, 'Parquet')}`, { cause })
  })
}

/** The columns of any table expression. */
export const shapeOf = (connection: DuckDBConnection, source: string): Promise<Shape> =>
  withStatement(connection, `SELECT * FROM ${source}`, [], statement => {
    const indexes = Array.from({ length: statement.columnCount }, (_, i) => i)
    return { names: indexes.map(i => statement.columnName(i)), types: indexes.map(i => statement.columnType(i)) }
  })

interface SelectOptions {
  readonly more?: string
  /** Whether the source is Parquet files, which messages name. */
  readonly isFiles?: boolean
  readonly isInferred?: boolean
  /** SQL of columns that the source does not have, by name. */
  readonly columnSql?: ReadonlyMap<string, string>
}

/**
 * A SELECT of the table's columns over a source of this shape: columns are cast, and missing ones are NULL. A column that
 * already has the table's type is used unchanged, so that filters on it are pushed down to the file. `more` is SQL of
 * additional columns, each with a comma before it. For `isInferred`, see ColumnPlace.
 */
export function selectFrom(
  source: string,
  table: TableDefinition,
  shape: Shape,
  { more = '', isFiles = false, isInferred = false, columnSql: given = new Map() }: SelectOptions = {},
): string {
  // A column with such a name hides DuckDB's own column, so that errors cannot name the file and the row.
  const isHidden = shape.names.some(name => /^(?:filename|file_row_number)$/i.test(name))
  const file = isFiles && !isHidden ? 'filename' : null
  const { keyOf: keys, duplicate: twice } = keysOfFields(table.columns, shape.names)
  if (twice !== null) throw new QueryFault(`${table.name}.${twice}`)
  const columns = table.columns.map(column => {
    const { name, type } = column
    const key = keys.get(column)
    const place = { table: table.name, path: `${table.name}.${name}`, isInferred, file }
    const sql =
      given.get(name) ??
      (key === undefined
        ? emptyColumn(type)
        : adaptColumn(quoteName(key), shape.types[shape.names.indexOf(key)]!, type, place))
    return `${sql} AS ${quoteName(name)}`
  })
  return `SELECT ${columns.join(', ')}${more} FROM ${source}`
}

interface KeyedOptions {
  readonly keys: readonly KeyColumn[]
  /** The folder that stands for the data folder in the paths of the files. */
  readonly root: string
  readonly isInferred: boolean
  /** SQL of further columns, with the column of the path of the file. */
  readonly more: (file: string) => string
}

/**
 * A SELECT over Parquet files whose folders give columns. The columns are computed from DuckDB's column `filename`: only by conditions
 * on this column, DuckDB leaves out files without opening them.
 */
export function selectKeyed(
  paths: readonly string[],
  table: TableDefinition,
  shape: ParquetShape,
  { keys, root, isInferred, more }: KeyedOptions,
): string {
  const file = shape.names.some(name => name.toLowerCase() === 'filename') ? FILE_NAME : 'filename'
  const source = `read_parquet([${paths.map(quotePath).join(', ')}], hive_partitioning = false, filename = ${quoteText(file)})`
  const columnSql = new Map(keys.map(key => [key.column.name!, keySql(key, quoteName(file), root)]))
  return selectFrom(source, table, shape, { more: more(quoteName(file)), isFiles: true, isInferred, columnSql })
}

/** A name that no column has. */
const FILE_NAME = '~file'

export const parquetSource = (paths: readonly string[]): string =>
  `read_parquet([${paths.map(quotePath).join(', ')}], hive_partitioning = false)`
