/**
 * Converts a text file to rows of a table. One SELECT does it where the values have the spellings of most files: DuckDB reads the
 * file, and `fromWire` makes each value one of its column's type. Any other file is read row by row, as `sluice import` reads it,
 * which takes every spelling and names the place of a mistake.
 */
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { PARTITION_TIME, type StructField, type TableDefinition, type Type } from '../../../../googlesql/data.js'
import { duckdbType, quoteName, quotePath, quoteText } from '../../../../googlesql-duckdb/names-and-types.js'
import { isRecord } from '../../../model/is-record.js'
import type { TextFile } from './data-folder.js'
import { fromStaged, fromWire, looksOther, sampleOf, stagedType, type WireContext } from './file-column.js'
import { keyConstant } from './folder-keys.js'
import { headerOf } from './rows/csv.js'
import { type CsvForm, csvForm, hasDecimals } from './rows/csv-form.js'
import { UNLIMITED } from './rows/row-schema.js'
import { linesOf, stageRows } from './rows/stage-rows.js'

type Insert = (select: string) => Promise<unknown>

/**
 * Calls `insert` with a SELECT of the table's columns over the file, and again with another if it fails; what fails must have
 * inserted nothing.
 * @throws QueryFault that names the row with a mistake.
 */
export async function convert(
  connection: DuckDBConnection,
  file: TextFile,
  table: TableDefinition,
  insert: Insert,
): Promise<void> {
  for await (const select of selects(connection, file, table)) {
    const isDone = await insert(select).then(
      () => true,
      () => false,
    )
    if (isDone) return
  }
  const staged = join(dirname(file.path), 'rows')
  const { rows, longestRow } = await stageRows(file, table, staged)
  if (rows > 0) await insert(stagedSelect(staged, longestRow, table))
}

/** The SELECT for the spellings of most files; null for a file that it cannot read. */
export function plainSelect(
  connection: DuckDBConnection,
  file: TextFile,
  table: TableDefinition,
): Promise<string | null> {
  return file.format !== 'ndjson'
    ? csvSelect(connection, file, table)
    : linesOf(file, table).then(lines => ndjsonSelect(connection, lines, table))
}

/**
 * The SELECTs to try, one after another. A STRING whose text could come from another value of JSON is in doubt; the first SELECT
 * is for those that the first rows show, the second for all.
 */
async function* selects(
  connection: DuckDBConnection,
  file: TextFile,
  table: TableDefinition,
): AsyncGenerator<string, void> {
  if (file.format !== 'ndjson') {
    const select = await csvSelect(connection, file, table)
    if (select !== null) yield select
    return
  }
  try {
    const lines = await linesOf(file, table)
    const rows = `read_ndjson_objects(${quotePath(lines.path)}, compression = '${lines.compression}')`
    const first = await connection.runAndReadAll(`SELECT json FROM ${rows} LIMIT ${SAMPLE_ROWS}`)
    const values = first.getRows().map(([json]): unknown => JSON.parse(String(json)))
    for (const isInDoubt of [(value: unknown) => typeof value === 'string' && looksOther(value), () => true]) {
      const paths = new Set<string>()
      for (const value of values) stringPaths({ kind: 'STRUCT', fields: table.columns }, value, '', isInDoubt, paths)
      if (paths.size > 0) {
        const other = await connection.runAndReadAll(`SELECT 1 FROM ${rows} WHERE ${hasOther([...paths])} LIMIT 1`)
        if (other.currentRowCount > 0) return
      }
      yield await ndjsonSelect(connection, lines, table, paths)
    }
  } catch {
    // DuckDB cannot read the file as NDJSON.
  }
}

const SAMPLE_ROWS = 1_000

/** Adds the paths of STRINGs in a row that have a wanted value. */
function stringPaths(
  type: Type,
  value: unknown,
  path: string,
  isWanted: (value: unknown) => boolean,
  into: Set<string>,
): void {
  if (type.kind === 'STRING' && isWanted(value)) into.add(path)
  if (type.kind === 'ARRAY' && Array.isArray(value))
    for (const element of value) stringPaths(type.element, element, `${path}[]`, isWanted, into)
  if (type.kind === 'STRUCT' && isRecord(value))
    for (const { name, type: field } of type.fields)
      stringPaths(field, value[name!], path === '' ? name! : `${path}.${name}`, isWanted, into)
}

/** SQL of whether a row has another value than a text, a whole number or a truth value at one of these paths. */
function hasOther(paths: readonly string[]): string {
  const inLists = paths.filter(path => path.includes('[]'))
  const others = paths.filter(path => !path.includes('[]'))
  const isOther = (list: string): string => `list_has_any(${list}, ['DOUBLE', 'OBJECT', 'ARRAY'])`
  const listOf = (path: string): string => `json_type(json, ${quoteText(jsonPath(path))})`
  // DuckDB reads the row again for each path within a list, so only a row that may have such a value is looked at.
  const keys = new Set(inLists.map(path => /[^.[\]]+(?=[[\]]*$)/.exec(path)![0]))
  const pattern = `"(${[...keys].map(patternOf).join('|')})"\\s*:\\s*([\\[{iI]|[nN][aA]|-[iI]|-?[0-9]+[.eE])`
  const text = 'CAST(json AS VARCHAR)'
  const mayHave = `regexp_matches(${text}, ${quoteText(pattern)}) OR contains(${text}, '\\u')`
  return [
    ...(inLists.length > 0
      ? [`CASE WHEN ${mayHave} THEN ${inLists.map(path => isOther(listOf(path))).join(' OR ')} ELSE false END`]
      : []),
    ...(others.length > 0
      ? [isOther(`json_type(json, [${others.map(path => quoteText(jsonPath(path))).join(', ')}])`)]
      : []),
  ].join(' OR ')
}

/** The pattern of a key as JSON writes it. */
const patternOf = (key: string): string =>
  JSON.stringify(key)
    .slice(1, -1)
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const jsonPath = (path: string): string =>
  `$${path
    .replace(/[^.[\]]+/g, name => `."${name}"`)
    .replace(/\.\./g, '.')
    .replaceAll('[]', '[*]')}`

/**
 * DuckDB refuses keys that it has not met while it inferred the columns, and ignores them where the columns are given. So it
 * infers them, from a file with one row that has all keys.
 */
async function ndjsonSelect(
  connection: DuckDBConnection,
  { path, compression, keys }: TextFile,
  table: TableDefinition,
  texts: ReadonlySet<string> = new Set(),
): Promise<string> {
  const sample = join(dirname(path), 'sample')
  const inRows = columnsInRows(table, keys)
  const row = JSON.stringify(Object.fromEntries(inRows.map(({ name, type }) => [name, sampleOf(type)])))
  await connection.run(
    `COPY (SELECT ${quoteText(row)}) TO ${quoteText(sample)} ` +
      `(FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\u0001', COMPRESSION ${compression})`,
  )
  const source =
    `read_json([${quotePath(sample)}, ${quotePath(path)}], format = 'newline_delimited', records = true, ` +
    `compression = '${compression}', sample_size = 1, maximum_sample_files = 1, maximum_depth = -1, ` +
    "map_inference_threshold = -1, field_appearance_threshold = 0, filename = '~file')"
  const context = contextOf(table, 'json', texts)
  const columns = table.columns.map(column => {
    const { name, type } = column
    const value = constantOf(column, keys) ?? fromWire(type, quoteName(name), { ...context, path: name })
    return `${value} AS ${quoteName(name)}`
  })
  // DuckDB reads a row that is null as one whose columns are.
  const isNull = inRows.map(({ name }) => `${quoteName(name)} IS NULL`).join(' AND ')
  const isRow = `CASE WHEN ${isNull} THEN CAST(error('no row') AS BOOLEAN) ELSE true END`
  return `SELECT ${columns.join(', ')} FROM ${source} WHERE "~file" <> ${quoteText(sample)} AND ${isRow}`
}

const columnsInRows = ({ columns }: TableDefinition, keys: TextFile['keys']): TableDefinition['columns'] =>
  columns.filter(column => !keys.some(key => key.column === column))

function constantOf(column: StructField, keys: TextFile['keys']): string | null {
  const key = keys.find(other => other.column === column)
  return key ? keyConstant(key) : null
}

function contextOf(
  { required, limits = {} }: TableDefinition,
  form: WireContext['form'],
  texts: ReadonlySet<string> = new Set(),
): WireContext {
  const all = new Set(required)
  return {
    path: '',
    form,
    limitsOf: path => limits[path] ?? UNLIMITED,
    isRequired: path => all.has(path),
    isText: path => texts.has(path),
  }
}

/** Null for a header that does not name columns of the table alone, each once, and for a file that DuckDB may read otherwise. */
async function csvSelect(connection: DuckDBConnection, file: TextFile, table: TableDefinition): Promise<string | null> {
  const form = csvForm(table.textForm, file.name)
  const isOwn = table.columns.some(({ type }) => form.hasDecimalComma && hasDecimals(type.kind))
  if (isOwn || form.encoding !== 'UTF-8' || form.headerLine > 1 || form.isJagged) return null
  const inRows = columnsInRows(table, file.keys)
  const header = await csvHeader(connection, file, inRows, form)
  const context = contextOf(table, 'csv')
  const columns = header.map(name => inRows.find(column => isSameName(column.name, name)))
  const isPlain =
    header.length > 1 &&
    new Set(columns).size === header.length &&
    columns.every(column => column && column.type.kind !== 'ARRAY' && column.type.kind !== 'STRUCT') &&
    inRows.every(column => columns.includes(column) || !context.isRequired(column.name))
  if (!isPlain) return null
  const quote = quoteText(form.quote === null ? '' : String.fromCharCode(form.quote))
  // DuckDB's sniffer is off, since it would drop rows that it does not understand.
  const options =
    `compression = '${file.compression}', auto_detect = false, delim = ${quoteText(String.fromCharCode(form.delimiter))}, ` +
    `quote = ${quote}, escape = ${quote}, header = ${form.headerLine === 1}, ` +
    `nullstr = [${[...form.nulls].map(quoteText).join(', ')}], ` +
    'allow_quoted_nulls = false, null_padding = false, strict_mode = true, ' +
    `columns = {${header.map(name => `${quoteName(name)}: 'VARCHAR'`).join(', ')}}`
  const selected = table.columns.map(column => {
    const { name, type } = column
    const key = findKey(header, name)
    const value =
      constantOf(column, file.keys) ??
      (key === undefined ? emptyColumn(type) : fromWire(type, quoteName(key), { ...context, path: name }))
    return `${value} AS ${quoteName(name)}`
  })
  return `SELECT ${selected.join(', ')} FROM read_csv(${quotePath(file.path)}, ${options})`
}

const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** The column names in the first line; those of the table in their order where a file has no header; empty for an empty file. */
async function csvHeader(
  connection: DuckDBConnection,
  file: TextFile,
  columns: TableDefinition['columns'],
  form: CsvForm,
): Promise<readonly string[]> {
  if (form.headerLine === 0) return columns.map(({ name }) => name).filter(name => name !== PARTITION_TIME)
  const lines =
    `read_csv(${quotePath(file.path)}, compression = '${file.compression}', auto_detect = false, header = false, ` +
    "delim = '\u0001', quote = '', escape = '', strict_mode = false, columns = {line: 'VARCHAR'})"
  try {
    const [row] = (await connection.runAndReadAll(`SELECT line FROM ${lines} LIMIT 1`)).getRows()
    const line = Buffer.from(String(row?.[0] ?? '').replace(/^\ufeff/, ''))
    return headerOf(line, 0, line.length, form).map(({ text }) => text ?? '')
  } catch {
    return []
  }
}

/** Over the rows that `stageRows` has written. */
function stagedSelect(path: string, longestRow: number, table: TableDefinition): string {
  const columns = table.columns.map(({ name, type }) => `${fromStaged(type, quoteName(name))} AS ${quoteName(name)}`)
  return `SELECT ${columns.join(', ')} FROM ${readStaged(path, longestRow, table)}`
}

const MIN_READER_BYTES = 1 << 20

/** Rows that have been read one by one, with the columns of `stagedType`. */
export function readStaged(path: string, longestRow: number, table: TableDefinition): string {
  const columns = table.columns.map(({ name, type }) => `${quoteName(name)}: ${quoteText(stagedType(type))}`)
  return (
    `read_json(${quoteText(path)}, format = 'newline_delimited', records = true, compression = 'uncompressed', ` +
    `maximum_object_size = ${Math.max(MIN_READER_BYTES, longestRow + 16)}, columns = {${columns.join(', ')}})`
  )
}

/** The key for a name, also in another case. */
export function findKey(keys: readonly string[], name: string): string | undefined {
  return keys.includes(name) ? name : keys.find(key => isSameName(key, name))
}

/** SQL of a column that a file does not have. */
export const emptyColumn = (type: Type): string =>
  type.kind === 'ARRAY' ? `[]::${duckdbType(type)}` : `NULL::${duckdbType(type)}`
