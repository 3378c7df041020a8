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
import { fromStaged, fromWire, type KeyOf, looksOther, sampleOf, stagedType, type WireContext } from './file-column.js'
import { keyConstant } from './folder-keys.js'
import { finder, headerNames, keysOfFields } from './rows/column-name.js'
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
    const values = await firstRows(connection, lines)
    const keyOf = keysIn(table, values)
    for (const isInDoubt of [(value: unknown) => typeof value === 'string' && looksOther(value), () => true]) {
      const texts: Texts = new Map()
      const root = { path: '', json: '$', key: '' }
      for (const value of values)
        findTexts({ kind: 'STRUCT', fields: table.columns }, value, root, keyOf, isInDoubt, texts)
      if (texts.size > 0) {
        const sql = `SELECT 1 FROM ${jsonRows(lines)} WHERE ${hasOther([...texts.values()])} LIMIT 1`
        if ((await connection.runAndReadAll(sql)).currentRowCount > 0) return
      }
      yield await ndjsonSelect(connection, lines, table, keyOf, texts, values)
    }
  } catch {
    // DuckDB cannot read the file as NDJSON.
  }
}

const SAMPLE_ROWS = 1_000

const jsonRows = ({ path, compression }: TextFile): string =>
  `read_ndjson_objects(${quotePath(path)}, compression = '${compression}')`

async function firstRows(connection: DuckDBConnection, file: TextFile): Promise<readonly unknown[]> {
  const first = await connection.runAndReadAll(`SELECT json FROM ${jsonRows(file)} LIMIT ${SAMPLE_ROWS}`)
  return first.getRows().map(([json]): unknown => JSON.parse(String(json)))
}

/** The keys that these rows have for columns and fields. A row with another key for one of them is not plain. */
function keysIn({ columns }: TableDefinition, rows: readonly unknown[]): KeyOf {
  const keys = new Map<StructField, string>()
  const read = (type: Type, value: unknown): void => {
    if (type.kind === 'ARRAY' && Array.isArray(value)) for (const element of value) read(type.element, element)
    if (type.kind !== 'STRUCT' || !isRecord(value)) return
    for (const [field, key] of keysOfFields(type.fields, Object.keys(value)).keyOf) {
      if (!keys.has(field)) keys.set(field, key)
      read(field.type, value[key])
    }
  }
  for (const row of rows) read({ kind: 'STRUCT', fields: columns }, row)
  return field => keys.get(field) ?? field.name
}

/** The place of texts: the path in the schema, the path in the rows, and the last key. */
interface TextPlace {
  readonly path: string
  readonly json: string
  readonly key: string
}

type Texts = Map<string, TextPlace>

/** Adds the STRINGs in a row that have a wanted value. */
function findTexts(
  type: Type,
  value: unknown,
  place: TextPlace,
  keyOf: KeyOf,
  isWanted: (value: unknown) => boolean,
  into: Texts,
): void {
  const { path, json } = place
  if (type.kind === 'STRING' && isWanted(value)) into.set(path, place)
  if (type.kind === 'ARRAY' && Array.isArray(value)) {
    const inList = { ...place, path: `${path}[]`, json: `${json}[*]` }
    for (const element of value) findTexts(type.element, element, inList, keyOf, isWanted, into)
  }
  if (type.kind !== 'STRUCT' || !isRecord(value)) return
  for (const field of type.fields) {
    const key = keyOf(field)
    const own = { path: path === '' ? field.name : `${path}.${field.name}`, json: `${json}."${key}"`, key }
    findTexts(field.type, value[key], own, keyOf, isWanted, into)
  }
}

/** SQL of whether a row has another value than a text, a whole number or a truth value at one of these places. */
function hasOther(places: readonly TextPlace[]): string {
  const inLists = places.filter(({ path }) => path.includes('[]'))
  const others = places.filter(({ path }) => !path.includes('[]'))
  const isOther = (list: string): string => `list_has_any(${list}, ['DOUBLE', 'OBJECT', 'ARRAY'])`
  const listOf = ({ json }: TextPlace): string => `json_type(json, ${quoteText(json)})`
  // DuckDB reads the row again for each path within a list, so only a row that may have such a value is looked at.
  const keys = new Set(inLists.map(({ key }) => key))
  const pattern = `"(${[...keys].map(patternOf).join('|')})"\\s*:\\s*([\\[{iI]|[nN][aA]|-[iI]|-?[0-9]+[.eE])`
  const text = 'CAST(json AS VARCHAR)'
  const mayHave = `regexp_matches(${text}, ${quoteText(pattern)}) OR contains(${text}, '\\u') OR contains(${text}, '\\/')`
  return [
    ...(inLists.length > 0
      ? [`CASE WHEN ${mayHave} THEN ${inLists.map(place => isOther(listOf(place))).join(' OR ')} ELSE false END`]
      : []),
    ...(others.length > 0
      ? [isOther(`json_type(json, [${others.map(({ json }) => quoteText(json)).join(', ')}])`)]
      : []),
  ].join(' OR ')
}

/** The pattern of a key as JSON writes it. */
const patternOf = (key: string): string =>
  JSON.stringify(key)
    .slice(1, -1)
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** The sample with null for each key that these values have and that is no field of the type. */
function withUnknown(type: Type, sample: unknown, values: readonly unknown[]): unknown {
  if (type.kind === 'ARRAY' && Array.isArray(sample))
    return [withUnknown(type.element, sample[0], values.filter(Array.isArray).flat())]
  if (type.kind !== 'STRUCT' || !isRecord(sample)) return sample
  const find = finder(type.fields)
  const records = values.filter(isRecord)
  const unknown = records.flatMap(Object.keys).filter(key => find(key) === undefined)
  return Object.fromEntries([
    ...unknown.map(key => [key, null]),
    ...Object.entries(sample).map(([key, value]) => {
      const field = find(key)
      const within = records.map(record => record[key])
      return [key, field ? withUnknown(field.type, value, within) : value]
    }),
  ])
}

/**
 * DuckDB refuses keys that it has not met while it inferred the columns, and ignores them where the columns are given. So it
 * infers them, from a file with one row that has all keys.
 * @param texts the STRINGs whose values are all known to be JSON strings @param values the first rows
 */
async function ndjsonSelect(
  connection: DuckDBConnection,
  { path, compression, keys }: TextFile,
  table: TableDefinition,
  keyOf: KeyOf,
  texts: Texts,
  values: readonly unknown[],
): Promise<string> {
  const sample = join(dirname(path), 'sample')
  const inRows = columnsInRows(table, keys)
  const known = sampleOf({ kind: 'STRUCT', fields: inRows }, keyOf)
  const isOpen = table.textForm?.ignoresUnknown === true
  const all = isOpen ? withUnknown({ kind: 'STRUCT', fields: table.columns }, known, values) : known
  const row = JSON.stringify(all)
  // DuckDB reads a file with all threads where it has more threads than files, and has not inferred the columns from one file
  // alone, whose size would tell how many threads are of use. Otherwise one thread reads, and another spins. So the sample is
  // there twice, and the column `filename`, the only one whose conditions choose files, leaves it out.
  const file = Object.keys(all as object).some(name => name.toLowerCase() === 'filename') ? '~file' : 'filename'
  await connection.run(
    `COPY (SELECT ${quoteText(row)}) TO ${quoteText(sample)} ` +
      `(FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\u0001', COMPRESSION ${compression})`,
  )
  const source =
    `read_json([${quotePath(sample)}, ${quotePath(sample)}, ${quotePath(path)}], format = 'newline_delimited', records = true, ` +
    `compression = '${compression}', sample_size = 2, maximum_sample_files = 2, maximum_depth = -1, ` +
    `map_inference_threshold = -1, field_appearance_threshold = 0, filename = ${quoteText(file)})`
  const context = { ...contextOf(table, 'json', keyOf, texts), hasFewRows: values.length < SAMPLE_ROWS }
  const columns = table.columns.map(column => {
    const { name, type } = column
    const value = constantOf(column, keys) ?? fromWire(type, quoteName(keyOf(column)), { ...context, path: name })
    return `${value} AS ${quoteName(name)}`
  })
  // DuckDB reads a row that is null as one whose columns are. It refuses unknown keys only where a query names all columns.
  const isNull = Object.keys(all as object)
    .map(name => `${quoteName(name)} IS NULL`)
    .join(' AND ')
  const isOfFile = `${quoteName(file)} <> ${quoteText(sample)}`
  // DuckDB may evaluate either condition first.
  const isRow = `CASE WHEN ${isOfFile} AND ${isNull} THEN CAST(error('no row') AS BOOLEAN) ELSE true END`
  return `SELECT ${columns.join(', ')} FROM ${source} WHERE ${isOfFile} AND ${isRow}`
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
  keyOf: KeyOf = ({ name }) => name,
  texts: Texts = new Map(),
): WireContext {
  const all = new Set(required)
  return {
    path: '',
    form,
    keyOf,
    limitsOf: path => limits[path] ?? UNLIMITED,
    isRequired: path => all.has(path),
    isText: path => texts.has(path),
    hasFewRows: false,
  }
}

/** Null for a header that does not name columns of the table alone, each once, and for a file that DuckDB may read otherwise. */
async function csvSelect(connection: DuckDBConnection, file: TextFile, table: TableDefinition): Promise<string | null> {
  const form = csvForm(table.textForm, file.format)
  const isOwn = table.columns.some(({ type }) => form.hasDecimalComma && hasDecimals(type.kind))
  if (isOwn || form.encoding !== 'UTF-8' || form.headerLine > 1 || form.isJagged) return null
  const context = contextOf(table, 'csv')
  const inRows = columnsInRows(table, file.keys)
  const inOrder = inRows.map(({ name }) => name).filter(name => name !== PARTITION_TIME)
  const header = form.headerLine === 0 ? inOrder : await csvHeader(connection, file, form)
  const { keyOf: keys } = keysOfFields(inRows, header)
  const isPlain =
    header.length > 1 &&
    keys.size === header.length &&
    [...keys.keys()].every(({ type }) => type.kind !== 'ARRAY' && type.kind !== 'STRUCT') &&
    inRows.every(column => keys.has(column) || !context.isRequired(column.name))
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
    const key = keys.get(column)
    const value =
      constantOf(column, file.keys) ??
      (key === undefined ? emptyColumn(type) : fromWire(type, quoteName(key), { ...context, path: name }))
    return `${value} AS ${quoteName(name)}`
  })
  return `SELECT ${selected.join(', ')} FROM read_csv(${quotePath(file.path)}, ${options})`
}

/** The names of the columns by the first line; those of one column for an empty file, and none for one with a misplaced quote. */
async function csvHeader(connection: DuckDBConnection, file: TextFile, form: CsvForm): Promise<readonly string[]> {
  const lines =
    `read_csv(${quotePath(file.path)}, compression = '${file.compression}', auto_detect = false, header = false, ` +
    "delim = '\u0001', quote = '', escape = '', strict_mode = false, columns = {line: 'VARCHAR'})"
  try {
    const [row] = (await connection.runAndReadAll(`SELECT line FROM ${lines} LIMIT 1`)).getRows()
    const line = Buffer.from(String(row?.[0] ?? '').replace(/^\ufeff/, ''))
    return headerNames(headerOf(line, 0, line.length, form).map(({ text }) => text ?? ''))
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

/** SQL of a column that a file does not have. */
export const emptyColumn = (type: Type): string =>
  type.kind === 'ARRAY' ? `[]::${duckdbType(type)}` : `NULL::${duckdbType(type)}`
