/**
 * Converts a text file to rows of a table. Where the values have the usual spellings, one SELECT is enough: DuckDB reads the file, and SQL
 * of `fromFileValue` converts each value to its column's type. Any other file is read row by row, as `sluice import` does: that accepts
 * every spelling, and names the place of a mistake.
 */
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { PARTITION_TIME, type StructField, type TableDefinition, type Type } from '../../../../googlesql/data.js'
import { duckdbType, quoteName, quotePath, quoteText } from '../../../../googlesql-duckdb/names-and-types.js'
import { memo } from '../../../model/bounded-map.js'
import { isRecord } from '../../../model/is-record.js'
import { chunksOf } from '../values/result-chunks.js'
import type { TextFile } from './data-folder.js'
import {
  type FileValueForm,
  fromFileValue,
  fromStaged,
  type KeyOf,
  mayBeOtherValue,
  sampleOf,
  stagedType,
} from './file-column.js'
import { keyConstant } from './folder-keys.js'
import { finderOf, headerNames, keysOfFields } from './rows/column-name.js'
import { headerOf } from './rows/csv.js'
import { type CsvForm, csvForm, hasDecimals } from './rows/csv-form.js'
import { linesOf, stageRows } from './rows/stage-rows.js'

type Insert = (select: string) => Promise<unknown>

/**
 * Calls `insert` with a SELECT of the table's columns over the file. If `insert` rejects, calls it with another SELECT: an `insert` that
 * rejects must have inserted nothing.
 * @throws QueryFault that names the row with a mistake.
 */
export async function convert(
  connection: DuckDBConnection,
  file: TextFile,
  table: TableDefinition,
  insert: Insert,
): Promise<void> {
  for await (const select of selectsToTry(connection, file, table)) {
    const isDone = await insert(select).then(
      () => true,
      () => false,
    )
    if (isDone) return
  }
  const staged = join(dirname(file.path), 'rows')
  const { rows, longestRow } = await stageRows(file, table, staged)
  if (rows > 0) await insert(`SELECT ${stagedColumns(table.columns)} FROM ${readStaged(staged, longestRow, table)}`)
}

/**
 * The SELECTs to try, one after another. A STRING is in doubt if its text in DuckDB could come from a JSON value that is not a string.
 * Before the first SELECT, a query checks the STRINGs that are in doubt in the first rows; before the second, a query checks all STRINGs.
 * If a check finds a fraction, an object or a list, no SELECT follows.
 */
async function* selectsToTry(
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
    const firstRows = await readFirstRows(connection, lines, table)
    for (const texts of [firstRows.textsInDoubt, firstRows.texts]) {
      if (texts.size > 0) {
        const sql = `SELECT 1 FROM ${jsonRows(lines)} WHERE ${hasOtherValue([...texts.values()])} LIMIT 1`
        if ((await connection.runAndReadAll(sql)).currentRowCount > 0) return
      }
      yield await ndjsonSelect(connection, lines, table, firstRows, texts)
    }
  } catch {
    // DuckDB cannot read the file as NDJSON.
  }
}

const SAMPLE_ROWS = 1_000

const jsonRows = ({ path, compression }: TextFile): string =>
  `read_ndjson_objects(${quotePath(path)}, compression = '${compression}')`

/** Keeps one row in memory at a time: V8 would hold the memory of a thousand rows long after they are gone. */
async function readFirstRows(
  connection: DuckDBConnection,
  file: TextFile,
  { columns }: TableDefinition,
): Promise<FirstRows> {
  const firstRows = new FirstRows(columns)
  const rows = await connection.stream(`SELECT json FROM ${jsonRows(file)} LIMIT ${SAMPLE_ROWS}`)
  for await (const chunk of chunksOf(rows)) {
    const vector = chunk.getColumnVector(0)
    // A vector keeps each value that was read from it, so each value is read from a slice of its own.
    for (let row = 0; row < chunk.rowCount; row++) firstRows.add(JSON.parse(String(vector.slice(row, 1).getItem(0))))
  }
  return firstRows
}

/** The place of a STRING: its path in the schema, its JSON path in the rows, and the last key of that path. */
interface TextPlace {
  readonly path: string
  readonly json: string
  readonly key: string
}

type Texts = ReadonlyMap<string, TextPlace>

/** The keys and the texts in the first rows of a file. */
class FirstRows {
  readonly #columns: TableDefinition['columns']
  readonly #keys = new Map<StructField, string>()
  readonly #finders = new Map<readonly StructField[], (key: string) => StructField | undefined>()
  /** The places of all STRINGs, by path. */
  readonly texts = new Map<string, TextPlace>()
  /** The places of the STRINGs that are in doubt. */
  readonly textsInDoubt = new Map<string, TextPlace>()
  /** The keys that are not fields, by the path of their STRUCT. */
  readonly #unknownKeys = new Map<string, Set<string>>()
  count = 0

  constructor(columns: TableDefinition['columns']) {
    this.#columns = columns
  }

  add(row: unknown): void {
    this.count++
    this.#add({ kind: 'STRUCT', fields: this.#columns }, row, { path: '', json: '$', key: '' })
  }

  /** The first key that the rows have for the column or field. A row with another key for it is read row by row. */
  readonly keyOf: KeyOf = field => this.#keys.get(field) ?? field.name

  /** The sample, with null added for each key in the rows that is not a field of the type. */
  withUnknown(sample: unknown, type: Type = { kind: 'STRUCT', fields: this.#columns }, path = ''): unknown {
    if (type.kind === 'ARRAY' && Array.isArray(sample))
      return [this.withUnknown(sample[0], type.element, elementPath(path))]
    if (type.kind !== 'STRUCT' || !isRecord(sample)) return sample
    const find = this.#finderOf(type.fields)
    return Object.fromEntries([
      ...Array.from(this.#unknownKeys.get(path) ?? [], key => [key, null]),
      ...Object.entries(sample).map(([key, value]) => {
        const field = find(key)
        return [key, field ? this.withUnknown(value, field.type, fieldPath(path, field)) : value]
      }),
    ])
  }

  #add(type: Type, value: unknown, place: TextPlace): void {
    const { path, json } = place
    if (type.kind === 'STRING') {
      this.texts.set(path, place)
      if (typeof value === 'string' && mayBeOtherValue(value)) this.textsInDoubt.set(path, place)
    }
    if (type.kind === 'ARRAY' && Array.isArray(value)) {
      const ofElements = { ...place, path: elementPath(path), json: `${json}[*]` }
      for (const element of value) this.#add(type.element, element, ofElements)
    }
    if (type.kind !== 'STRUCT' || !isRecord(value)) return
    const find = this.#finderOf(type.fields)
    for (const name of Object.keys(value)) {
      const field = find(name)
      if (field === undefined) memo(this.#unknownKeys, path, () => new Set<string>()).add(name)
      else memo(this.#keys, field, () => name)
    }
    for (const field of type.fields) {
      const key = this.keyOf(field)
      this.#add(field.type, value[key], { path: fieldPath(path, field), json: `${json}."${key}"`, key })
    }
  }

  #finderOf(fields: readonly StructField[]) {
    return memo(this.#finders, fields, finderOf)
  }
}

const elementPath = (path: string): string => `${path}[]`
const fieldPath = (path: string, { name }: StructField): string => (path === '' ? name : `${path}.${name}`)

/** SQL that is true for a row with a fraction, an object or a list at one of these places. */
function hasOtherValue(places: readonly TextPlace[]): string {
  const inLists = places.filter(({ path }) => path.includes('[]'))
  const others = places.filter(({ path }) => !path.includes('[]'))
  const isOther = (list: string): string => `list_has_any(${list}, ['DOUBLE', 'OBJECT', 'ARRAY'])`
  const listOf = ({ json }: TextPlace): string => `json_type(json, ${quoteText(json)})`
  // DuckDB parses the row once more for each path within a list, so this is done only for rows that may have such a value.
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

/**
 * Where DuckDB infers columns, it refuses keys that it has not met; where columns are given, it ignores them. Unknown keys must be
 * refused, so DuckDB infers the columns, from a file with one row that has all known keys.
 * @param texts the STRINGs whose values are all known to be JSON strings
 */
async function ndjsonSelect(
  connection: DuckDBConnection,
  { path, compression, keys }: TextFile,
  table: TableDefinition,
  firstRows: FirstRows,
  texts: Texts,
): Promise<string> {
  const { keyOf } = firstRows
  const sample = join(dirname(path), 'sample')
  const rowColumns = columnsInRows(table, keys)
  const knownSample = sampleOf({ kind: 'STRUCT', fields: rowColumns }, keyOf)
  const ignoresUnknown = table.textForm?.ignoresUnknown === true
  const sampleRow = ignoresUnknown ? firstRows.withUnknown(knownSample) : knownSample
  const row = JSON.stringify(sampleRow)
  // DuckDB reads a file with all threads only if it has more threads than files, and has inferred the columns from more than one file.
  // Otherwise one thread reads, and another spins. So the sample is listed twice. A condition on `filename` leaves it out: only by that
  // column does DuckDB choose files.
  const file = Object.keys(sampleRow as object).some(name => name.toLowerCase() === 'filename') ? '~file' : 'filename'
  await connection.run(
    `COPY (SELECT ${quoteText(row)}) TO ${quoteText(sample)} ` +
      `(FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\u0001', COMPRESSION ${compression})`,
  )
  const source =
    `read_json([${quotePath(sample)}, ${quotePath(sample)}, ${quotePath(path)}], format = 'newline_delimited', records = true, ` +
    `compression = '${compression}', sample_size = 2, maximum_sample_files = 2, maximum_depth = -1, ` +
    `map_inference_threshold = -1, field_appearance_threshold = 0, filename = ${quoteText(file)})`
  const context = { ...contextOf(table, 'json'), keyOf, texts, hasFewRows: firstRows.count < SAMPLE_ROWS }
  const columns = columnsOver(table, keys, column =>
    fromFileValue(column.type, quoteName(keyOf(column)), { ...context, path: column.name }),
  )
  // DuckDB reads a row `null` as a row of NULLs, so a row of NULLs is refused. The condition names all columns, since only then
  // DuckDB refuses unknown keys.
  const isNull = Object.keys(sampleRow as object)
    .map(name => `${quoteName(name)} IS NULL`)
    .join(' AND ')
  const isFromFile = `${quoteName(file)} <> ${quoteText(sample)}`
  // DuckDB may evaluate either condition first, so `isRow` repeats `isOfFile`.
  const isRow = `CASE WHEN ${isFromFile} AND ${isNull} THEN CAST(error('no row') AS BOOLEAN) ELSE true END`
  return `SELECT ${columns} FROM ${source} WHERE ${isFromFile} AND ${isRow}`
}

const columnsInRows = ({ columns }: TableDefinition, keys: TextFile['keys']): TableDefinition['columns'] =>
  columns.filter(column => !keys.some(key => key.column === column))

/** SQL of the table's columns: a constant where the file's folder gives the value, else SQL of the value in the file. */
function columnsOver({ columns }: TableDefinition, keys: TextFile['keys'], inFile: (column: StructField) => string) {
  const selected = columns.map(column => {
    const key = keys.find(other => other.column === column)
    return `${key ? keyConstant(key) : inFile(column)} AS ${quoteName(column.name)}`
  })
  return selected.join(', ')
}

const contextOf = ({ required, limits = {} }: TableDefinition, form: FileValueForm) => ({
  form,
  limits,
  required: new Set(required),
})

/** Null where the header has a name that is not a column, or a column twice, and where DuckDB may read the file in another way. */
async function csvSelect(connection: DuckDBConnection, file: TextFile, table: TableDefinition): Promise<string | null> {
  const form = csvForm(table.textForm, file.format)
  const readsDecimalComma = table.columns.some(({ type }) => form.hasDecimalComma && hasDecimals(type.kind))
  if (readsDecimalComma || form.encoding !== 'UTF-8' || form.headerLine > 1 || form.isJagged) return null
  const context = contextOf(table, 'csv')
  const rowColumns = columnsInRows(table, file.keys)
  const inOrder = rowColumns.map(({ name }) => name).filter(name => name !== PARTITION_TIME)
  const header = form.headerLine === 0 ? inOrder : await csvHeader(connection, file, form)
  const { keyOf: keys } = keysOfFields(rowColumns, header)
  const isPlain =
    header.length > 1 &&
    keys.size === header.length &&
    [...keys.keys()].every(({ type }) => type.kind !== 'ARRAY' && type.kind !== 'STRUCT') &&
    rowColumns.every(column => keys.has(column) || !context.required.has(column.name))
  if (!isPlain) return null
  const quote = quoteText(form.quote === null ? '' : String.fromCharCode(form.quote))
  // DuckDB's sniffer is off, since it would drop rows that it does not understand.
  const options =
    `compression = '${file.compression}', auto_detect = false, delim = ${quoteText(String.fromCharCode(form.delimiter))}, ` +
    `quote = ${quote}, escape = ${quote}, header = ${form.headerLine === 1}, ` +
    `nullstr = [${[...form.nulls].map(quoteText).join(', ')}], ` +
    'allow_quoted_nulls = false, null_padding = false, strict_mode = true, ' +
    `columns = {${header.map(name => `${quoteName(name)}: 'VARCHAR'`).join(', ')}}`
  const columns = columnsOver(table, file.keys, column => {
    const { name, type } = column
    const key = keys.get(column)
    return key === undefined ? emptyColumn(type) : fromFileValue(type, quoteName(key), { ...context, path: name })
  })
  return `SELECT ${columns} FROM read_csv(${quotePath(file.path)}, ${options})`
}

/** The names of the columns in the first line: one name for an empty file, and no names for a line with a misplaced quote. */
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

/** SQL of these columns over rows with their types in `stagedType`. */
export const stagedColumns = (columns: TableDefinition['columns']): string =>
  columns.map(({ name, type }) => `${fromStaged(type, quoteName(name))} AS ${quoteName(name)}`).join(', ')

const MIN_READER_BYTES = 1 << 20

/** SQL that reads the rows in the file of `stageRows`, as columns of `stagedType`. @param longestRow in bytes */
export function readStaged(path: string, longestRow: number, table: TableDefinition): string {
  const columns = table.columns.map(({ name, type }) => `${quoteName(name)}: ${quoteText(stagedType(type))}`)
  return (
    `read_json(${quoteText(path)}, format = 'newline_delimited', records = true, compression = 'uncompressed', ` +
    `maximum_object_size = ${Math.max(MIN_READER_BYTES, longestRow + 16)}, columns = {${columns.join(', ')}})`
  )
}

/** SQL of the value of a column that a file does not have. */
export const emptyColumn = (type: Type): string =>
  type.kind === 'ARRAY' ? `[]::${duckdbType(type)}` : `NULL::${duckdbType(type)}`
