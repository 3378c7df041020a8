/** SQL that reads one data file as rows of a table: text files are loaded, Parquet is read in place. */

import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api'
import type { TableDefinition, Type } from '../../../../googlesql/data.js'
import { duckdbType, quoteName, quotePath, quoteText } from '../../../../googlesql-duckdb/data.js'
import { isRecord } from '../../../model/is-record.js'
import { QueryFault } from '../../../model/query-fault.js'
import { adaptColumn } from './adapt-column.js'
import type { DataFile } from './data-folder.js'
import { AS_DECLARED, fromWire, type KeySpelling, type WireForm, wireType } from './file-column.js'
import { withStoredTypes } from './stored-types.js'

/** A SELECT of the table's columns over a text file. */
export interface RowReader {
  readonly select: string
  /** The same SELECT with row numbers in its errors; slower. */
  readonly selectNumbered: string
}

/**
 * The reader of a file, whose name in errors is `name`. @throws DuckDB's error when the file cannot be read at all.
 */
export async function rowReader(
  connection: DuckDBConnection,
  table: TableDefinition,
  file: DataFile,
  name: string,
): Promise<RowReader> {
  return file.format === 'csv' ? csvReader(connection, table, file, name) : ndjsonReader(connection, table, file)
}

async function ndjsonReader(connection: DuckDBConnection, table: TableDefinition, file: DataFile): Promise<RowReader> {
  const spelling = await spellingOfKeys(connection, table, file)
  const columns = table.columns.map(
    ({ name, type }) =>
      `${quoteName(spelling.names.get(name) ?? name)}: ${quoteText(wireType(type, 'json', spelling.below.get(name)))}`,
  )
  const source =
    `read_json(${quotePath(file.path)}, format = 'newline_delimited', records = true, compression = '${file.compression}', ` +
    `columns = {${columns.join(', ')}})`
  return readerOver(source, table, 'json', spelling)
}

// Keys are matched by the first thousand rows: a key that does not occur there as in the schema is searched for in another case.
async function spellingOfKeys(
  connection: DuckDBConnection,
  table: TableDefinition,
  file: DataFile,
): Promise<KeySpelling> {
  const result = await connection.runAndReadAll(
    'SELECT json_group_structure(json) FROM (SELECT json FROM read_ndjson_objects(' +
      `${quotePath(file.path)}, compression = '${file.compression}') LIMIT 1000)`,
  )
  const structure = result.getRows()[0]?.[0]
  return typeof structure === 'string'
    ? spellingIn({ kind: 'STRUCT', fields: table.columns }, JSON.parse(structure))
    : AS_DECLARED
}

function spellingIn(type: Type, structure: unknown): KeySpelling {
  if (type.kind === 'ARRAY') return Array.isArray(structure) ? spellingIn(type.element, structure[0]) : AS_DECLARED
  if (type.kind !== 'STRUCT' || !isRecord(structure)) return AS_DECLARED
  const names = new Map<string, string>()
  const below = new Map<string, KeySpelling>()
  for (const field of type.fields) {
    const key = findKey(Object.keys(structure), field.name)
    if (key === undefined) continue
    if (key !== field.name) names.set(field.name, key)
    const inner = spellingIn(field.type, structure[key])
    if (inner !== AS_DECLARED) below.set(field.name, inner)
  }
  return names.size === 0 && below.size === 0 ? AS_DECLARED : { names, below }
}

function findKey(keys: readonly string[], name: string): string | undefined {
  return keys.includes(name) ? name : keys.find(key => key.toLowerCase() === name.toLowerCase())
}

async function csvReader(
  connection: DuckDBConnection,
  table: TableDefinition,
  file: DataFile,
  fileName: string,
): Promise<RowReader> {
  const header = await csvHeader(connection, file, fileName)
  // DuckDB's sniffer is off, since it would drop rows that it does not understand. Only an unquoted empty field is NULL.
  const options =
    `compression = '${file.compression}', auto_detect = false, delim = ',', quote = '"', escape = '"', header = true, ` +
    'allow_quoted_nulls = false, null_padding = false, strict_mode = true, ' +
    `columns = {${header.map(name => `${quoteName(name)}: 'VARCHAR'`).join(', ')}}`
  const source = `read_csv(${quotePath(file.path)}, ${options})`
  const names = new Map<string, string>()
  const present = new Set<string>()
  for (const { name } of table.columns) {
    const key = findKey(header, name)
    if (key === undefined) continue
    names.set(name, key)
    present.add(name)
  }
  if (present.size === 0 && header.length > 0) {
    throw new QueryFault(`The header of ${fileName} names no column of ${table.name}: ${header.join(', ')}`)
  }
  return readerOver(source, table, 'text', { names, below: new Map() }, present)
}

/** The column names in the first line; empty for an empty file. */
async function csvHeader(connection: DuckDBConnection, file: DataFile, fileName: string): Promise<readonly string[]> {
  const lines =
    `read_csv(${quotePath(file.path)}, compression = '${file.compression}', auto_detect = false, header = false, ` +
    "delim = '\u0001', quote = '', escape = '', strict_mode = false, columns = {line: 'VARCHAR'})"
  const result = await connection.runAndReadAll(`SELECT line FROM ${lines} LIMIT 1`)
  const line = String(result.getRows()[0]?.[0] ?? '').replace(/^\ufeff/, '')
  if (line === '') return []
  const names = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  )
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name.toLowerCase())) throw new QueryFault(`The header of ${fileName} names a column twice: ${name}`)
    seen.add(name.toLowerCase())
  }
  return names
}

function readerOver(
  source: string,
  table: TableDefinition,
  form: WireForm,
  spelling: KeySpelling,
  present?: ReadonlySet<string>,
): RowReader {
  const columns = (rowNumber: string | null): string =>
    table.columns
      .map(({ name, type }) => {
        if (present && !present.has(name)) return emptyColumn(type)
        return fromWire(type, quoteName(spelling.names.get(name) ?? name), {
          path: `${table.name}.${name}`,
          form,
          rowNumber,
          spelling: spelling.below.get(name) ?? AS_DECLARED,
        })
      })
      .map((sql, i) => `${sql} AS ${quoteName(table.columns[i]!.name)}`)
      .join(', ')
  return {
    select: `SELECT ${columns(null)} FROM ${source}`,
    selectNumbered: `SELECT ${columns('"~row"')} FROM (SELECT *, row_number() OVER () AS "~row" FROM ${source})`,
  }
}

const emptyColumn = (type: Type): string =>
  type.kind === 'ARRAY' ? `[]::${duckdbType(type)}` : `NULL::${duckdbType(type)}`

/** The columns of a Parquet file, in its order. */
export interface ParquetShape {
  readonly names: readonly string[]
  readonly types: readonly DuckDBType[]
}

export async function parquetShape(connection: DuckDBConnection, path: string): Promise<ParquetShape> {
  const { names, types } = await shapeOf(connection, `read_parquet(${quotePath(path)}, hive_partitioning = false)`)
  return { names, types: await withStoredTypes(connection, path, types) }
}

/** The columns of any table expression. */
export async function shapeOf(connection: DuckDBConnection, source: string): Promise<ParquetShape> {
  const prepared = await connection.prepare(`SELECT * FROM ${source}`)
  const indexes = Array.from({ length: prepared.columnCount }, (_, i) => i)
  const shape = { names: indexes.map(i => prepared.columnName(i)), types: indexes.map(i => prepared.columnType(i)) }
  prepared.destroySync()
  return shape
}

/** The key of a shape: files with the same key are read by one scan. */
export const shapeKey = (shape: ParquetShape): string =>
  JSON.stringify([shape.names, shape.types.map(type => type.toJson())])

/**
 * A SELECT of the table's columns over a source of this shape: columns are cast, and missing ones are NULL. A column that
 * already has the table's type is used unchanged, so that filters on it are pushed down to the file. `more` is SQL of
 * additional columns, each with a comma before it. For `isInferred`, see ColumnPlace.
 */
export function selectFrom(
  source: string,
  table: TableDefinition,
  shape: ParquetShape,
  { more = '', isInferred = false }: { readonly more?: string; readonly isInferred?: boolean } = {},
): string {
  const columns = table.columns.map(({ name, type }) => {
    const key = findKey(shape.names, name)
    const place = { table: table.name, path: `${table.name}.${name}`, isInferred }
    const sql =
      key === undefined
        ? emptyColumn(type)
        : adaptColumn(quoteName(key), shape.types[shape.names.indexOf(key)]!, type, place)
    return `${sql} AS ${quoteName(name)}`
  })
  return `SELECT ${columns.join(', ')}${more} FROM ${source}`
}

export const parquetSource = (paths: readonly string[]): string =>
  `read_parquet([${paths.map(quotePath).join(', ')}], hive_partitioning = false)`
