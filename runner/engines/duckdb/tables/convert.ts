/**
 * Converts a text file to rows of a table, by one SELECT. DuckDB reads the file, and `fromWire` makes each value one of its
 * column's type, or an error.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { TableDefinition, Type } from '../../../../googlesql/data.js'
import { duckdbType, quoteName, quotePath, quoteText } from '../../../../googlesql-duckdb/names-and-types.js'
import { isRecord } from '../../../model/is-record.js'
import { QueryFault } from '../../../model/query-fault.js'
import type { FileFormat } from './data-folder.js'
import type { Compression } from './decompress.js'
import { AS_DECLARED, fromWire, type KeySpelling, wireType } from './file-column.js'

/** A text file that does not change while it is converted. */
export interface TextFile {
  readonly path: string
  /** The name in errors, where the file is a copy of another. */
  readonly name: string
  readonly format: Exclude<FileFormat, 'parquet'>
  readonly compression: Compression
}

/**
 * A SELECT of the table's columns over a text file; numbered, its errors name the row, and it is slower.
 * @throws QueryFault for a header that cannot be used, DuckDB's error for a file that cannot be read at all.
 */
export async function convert(
  connection: DuckDBConnection,
  file: TextFile,
  table: TableDefinition,
  isNumbered: boolean,
): Promise<string> {
  const isCsv = file.format === 'csv'
  const { source, spelling } = await (isCsv ? readCsv : readNdjson)(connection, file, table)
  const shared = { form: isCsv ? 'text' : 'json', rowNumber: isNumbered ? '"~row"' : null } as const
  const columns = table.columns.map(({ name, type }) => {
    const key = spelling.names.get(name)
    if (isCsv && key === undefined) return `${emptyColumn(type)} AS ${quoteName(name)}`
    const below = spelling.below.get(name) ?? AS_DECLARED
    const context = { ...shared, path: `${table.name}.${name}`, spelling: below }
    return `${fromWire(type, quoteName(key ?? name), context)} AS ${quoteName(name)}`
  })
  const from = isNumbered ? `(SELECT *, row_number() OVER () AS "~row" FROM ${source})` : source
  return `SELECT ${columns.join(', ')} FROM ${from}`
}

/** The SQL that reads the file, and how the file spells the names of columns. */
async function readNdjson(connection: DuckDBConnection, file: TextFile, table: TableDefinition) {
  const spelling = await spellingOfKeys(connection, file, table)
  const columns = table.columns.map(
    ({ name, type }) =>
      `${quoteName(spelling.names.get(name) ?? name)}: ${quoteText(wireType(type, 'json', spelling.below.get(name)))}`,
  )
  const source =
    `read_json(${quotePath(file.path)}, format = 'newline_delimited', records = true, compression = '${file.compression}', ` +
    `columns = {${columns.join(', ')}})`
  return { source, spelling }
}

// Keys are matched by the first thousand rows: a key that does not occur there as in the schema is searched for in another case.
async function spellingOfKeys(
  connection: DuckDBConnection,
  file: TextFile,
  table: TableDefinition,
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

/** The key for a name, also in another case. */
export function findKey(keys: readonly string[], name: string): string | undefined {
  return keys.includes(name) ? name : keys.find(key => key.toLowerCase() === name.toLowerCase())
}

/** As readNdjson; the names are those that the header has. */
async function readCsv(connection: DuckDBConnection, file: TextFile, table: TableDefinition) {
  const header = await csvHeader(connection, file)
  // DuckDB's sniffer is off, since it would drop rows that it does not understand. Only an unquoted empty field is NULL.
  const options =
    `compression = '${file.compression}', auto_detect = false, delim = ',', quote = '"', escape = '"', header = true, ` +
    'allow_quoted_nulls = false, null_padding = false, strict_mode = true, ' +
    `columns = {${header.map(name => `${quoteName(name)}: 'VARCHAR'`).join(', ')}}`
  const source = `read_csv(${quotePath(file.path)}, ${options})`
  const names = new Map<string, string>()
  for (const { name } of table.columns) {
    const key = findKey(header, name)
    if (key !== undefined) names.set(name, key)
  }
  if (names.size === 0 && header.length > 0) {
    throw new QueryFault(`The header of ${file.name} names no column of ${table.name}: ${header.join(', ')}`)
  }
  return { source, spelling: { names, below: new Map() } }
}

/** The column names in the first line; empty for an empty file. */
async function csvHeader(connection: DuckDBConnection, file: TextFile): Promise<readonly string[]> {
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
    if (seen.has(name.toLowerCase())) throw new QueryFault(`The header of ${file.name} names a column twice: ${name}`)
    seen.add(name.toLowerCase())
  }
  return names
}

/** SQL of a column that a file does not have. */
export const emptyColumn = (type: Type): string =>
  type.kind === 'ARRAY' ? `[]::${duckdbType(type)}` : `NULL::${duckdbType(type)}`
