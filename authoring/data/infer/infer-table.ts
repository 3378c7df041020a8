/** Infers the columns of a table from files of its rows. */
import { isAscii } from 'node:buffer'
import type { TextForm } from '../../../googlesql/index.js'
import { alsoInFile, inferredKeys } from '../../../runner/engines/duckdb/tables/folder-keys.js'
import { CsvRecordEnds } from '../../../runner/engines/duckdb/tables/rows/csv.js'
import { csvForm } from '../../../runner/engines/duckdb/tables/rows/csv-form.js'
import { JsonRowEnds } from '../../../runner/engines/duckdb/tables/rows/json-rows.js'
import { type BadRow, type RowFormat, RowStream } from '../../../runner/engines/duckdb/tables/rows/row-stream.js'
import { UsageError } from '../../../runner/model/errors.js'
import { QueryFault } from '../../../runner/model/query-fault.js'
import { byteChunks, type ImportSource, sourcesOf } from '../import/formats/source-file.js'
import type { ImportOptions } from '../import/import-table.js'
import { chooseFields } from './choose-type.js'
import { encodingOf, findForm, isValue, SAMPLE_BYTES } from './find-form.js'
import type { Inference, InferredTable } from './inferred-table.js'
import { csvValueReader, JsonValueReader } from './read-values.js'
import { ValueFacts } from './value-facts.js'

export interface InferOptions extends Pick<ImportOptions, 'files' | 'inputFormat' | 'standardInput' | 'maxBadRows'> {
  /** The paths of columns and fields that are to be JSON. @default none */
  readonly asJson?: readonly string[]
  /** What is known about how the files are written. */
  readonly textForm?: TextForm
}

const MAX_COLUMNS = 10_000

/** @throws UsageError for a file whose format is not known, QueryFault for a file that cannot be read. */
export async function inferTable(options: InferOptions): Promise<InferredTable> {
  const sources = sourcesOf(options.files, options.inputFormat)
  const inferred = await inferRows(sources, options)
  return inferred.badRows.length > 0 ? inferred : withKeys(inferred, sources)
}

/** Adds the columns that the names of folders give. @throws QueryFault for a column that the files have too. */
function withKeys(inferred: InferredTable, sources: readonly ImportSource[]): InferredTable {
  const [fields, columns, doubts] = [[...inferred.fields], [...inferred.columns], [...inferred.doubts]]
  for (const { name = '', type } of inferredKeys(sources)) {
    const isSame = (other: { readonly name: string }): boolean => other.name.toLowerCase() === name.toLowerCase()
    const file = sources.find(({ keys }) => keys.some(isSame))!
    const { written } = file.keys.find(isSame)!
    if (fields.some(isSame)) throw new QueryFault(`${file.name}: ${alsoInFile(name)}`)
    const field = { name, type: type.kind === 'INT64' ? 'INTEGER' : type.kind, mode: 'NULLABLE' }
    fields.push(field)
    columns.push({ path: name, field, nulls: null, example: written })
    doubts.push({ path: name, message: `is ${field.type} by the names of folders, such as ${name}=${written}` })
  }
  return { ...inferred, fields, columns, doubts }
}

async function inferRows(sources: readonly ImportSource[], options: InferOptions): Promise<InferredTable> {
  const parquet = sources.filter(({ format }) => format === 'parquet')
  if (parquet.length === 0) return inferFromText(sources, options)
  if (parquet.length < sources.length) {
    throw new UsageError(['Parquet files tell their types and others do not: infer from one or the other'])
  }
  if (options.asJson) throw new UsageError(['--json is for text files: Parquet files tell their types'])
  const input = parquet.find(({ path }) => path === null)
  if (input) throw new UsageError(['Parquet cannot be read from standard input here, since it is read from its end'])
  // Imported lazily, since text files are read without DuckDB.
  const { inferFromParquet } = await import('./infer-parquet.js')
  return inferFromParquet(parquet)
}

async function inferFromText(sources: readonly ImportSource[], options: InferOptions): Promise<InferredTable> {
  const row = new ValueFacts(MAX_COLUMNS)
  const badRows: BadRow[] = []
  const sink = { row: () => undefined, bad: (bad: BadRow) => void badRows.push(bad) }
  const result: Inference = { columns: [], doubts: [] }
  const givenForm = options.textForm ?? {}
  let firstFile: FirstFile | null = null
  for (const source of sources) {
    const { name } = source
    let stream: RowStream | null = null
    for await (const chunk of withLongStart(byteChunks(source, options.standardInput))) {
      if (stream === null) {
        if (source.format === 'ndjson') {
          if (givenForm.rows === undefined) expectRows(chunk, name)
        } else if (firstFile === null) {
          const { form, doubts } = findForm(chunk, source, givenForm)
          firstFile = { name, form, isAscii: isAscii(chunk) }
          for (const message of doubts) result.doubts.push({ path: name, message })
        } else if (givenForm.encoding === undefined) expectEncoding(chunk, name, firstFile)
        if (source.format !== 'ndjson' && isMisread(chunk, givenForm)) {
          const message = `is UTF-8: --encoding ${givenForm.encoding} makes others of its letters beyond ASCII, so leave it out`
          result.doubts.push({ path: name, message })
        }
        stream = new RowStream(name, valueFormat(source, row, firstFile?.form ?? givenForm), sink)
      }
      stream.push(chunk)
      if (badRows.length >= options.maxBadRows) break
    }
    if (badRows.length < options.maxBadRows) stream?.end()
    const total = totalDoubt(row.lastRow)
    if (total !== null) result.doubts.push({ path: name, message: total })
    row.lastRow = null
  }
  const rows = row.kinds.get('object')?.count ?? 0
  const asJson = new Set(options.asJson?.map(path => path.toLowerCase()))
  const leftOut: string[] = []
  const fields = chooseFields(row, '', { ...result, asJson, leftOut })
  const form = firstFile?.form ?? (givenForm.rows === undefined ? {} : { rows: givenForm.rows })
  const textForm = leftOut.length > 0 ? { ...form, ignoresUnknown: true } : form
  const [unknown] = asJson
  if (badRows.length === 0 && unknown !== undefined)
    throw new UsageError([`--json ${unknown}: no column or field has this path`])
  const names = sources.map(({ name }) => name).join(', ')
  if (row.hasTooManyFields)
    throw new QueryFault(`${names}: a table has at most ${MAX_COLUMNS} columns, and the rows have more`)
  if (badRows.length === 0 && fields.length === 0) {
    throw new QueryFault(`${names}: there ${rows === 0 ? 'are no rows' : 'is no key that can be a column'}`)
  }
  if (rows === 1 && givenForm.rows === undefined && sources.every(({ format }) => format === 'ndjson'))
    for (const { name, type, mode } of fields)
      if (mode === 'REPEATED' && type === 'RECORD' && row.fields.get(name)!.element.count > 1)
        result.doubts.push({
          path: name,
          message: `has records, and the file is one row: --rows ${name} reads them as rows`,
        })
  if (rows === 1 && givenForm.rows === undefined && isOfPandas(row))
    result.doubts.push({
      path: names,
      message: "is one row alone: if pandas wrote it, write it with to_json(orient='records', lines=True)",
    })
  return { rows, fields, textForm, ...result, badRows: badRows.slice(0, options.maxBadRows) }
}

/** Whether a row could be a whole table that pandas' `to_json()` wrote: by columns, by rows, or with its data in one member. */
function isOfPandas({ fields }: ValueFacts): boolean {
  const members = [...fields.values()]
  const keys = members.map(member => [...member.fields.keys()].join())
  return (
    ['columns', 'index', 'data'].every(name => fields.has(name)) ||
    (members.length > 1 && keys[0] !== '' && keys.every(text => text === keys[0]))
  )
}

/** Words for a sum of the rows above, as spreadsheets of several languages have them. */
const TOTAL = /^(?:grand )?(?:totale?s?|sum(?:me|a)?|soma|somme|(?:ins)?gesamt)(?![\p{L}\d])/iu

/** The doubt about a last row that seems to be the sum of other rows; null for any other last row. */
function totalDoubt(row: ValueFacts['lastRow']): string | null {
  const cells = row?.cells.map(({ text }) => text ?? '') ?? []
  const word = cells.find(cell => TOTAL.test(cell))
  return row && word !== undefined && cells.some(isValue)
    ? `has ${JSON.stringify(word)} in line ${row.line}, its last: if it is the sum of other rows, sums count them twice: delete it, or leave it out with WHERE`
    : null
}

/** @throws QueryFault for a file that begins with an object over several lines, which is a document around the rows. */
function expectRows(chunk: Buffer, name: string): void {
  const text = chunk.toString('utf8')
  if (!/^\ufeff?\s*\{(?:[^\n]*[{[,])?[ \t\r]*\n/.test(text)) return
  if (/\n\}\s*\{/.test(text))
    throw new QueryFault(
      `${name}: it has objects over several lines; \`jq -c . ${name}\` writes each on one line, as a row is`,
    )
  const names = namesToList(text)
  const member = names.at(-1)
  const path = names.map(part => `.${JSON.stringify(part)}`).join('')
  const remedy = names.length > 1 ? `\`jq '${path}' ${name}\` writes them alone` : `give --rows "${member}"`
  const rows =
    member === undefined ? '--rows NAME names the member with the rows' : `if ${member} has the rows, ${remedy}`
  throw new QueryFault(`${name}: it is one object over several lines, and a row is an object on one line; ${rows}`)
}

/** The names that lead to the first list of objects in a document; empty where there is no such list. */
function namesToList(text: string): readonly string[] {
  const names: string[] = []
  for (const [token, name, list] of text.matchAll(/"([^"\\\n]{1,300})"\s*:\s*(\[\s*)?\{|"(?:[^"\\\n]|\\.)*"|\}/g)) {
    if (name !== undefined) names.push(name)
    else if (token === '}') names.pop()
    if (list !== undefined) return names
  }
  return []
}

function valueFormat({ name, format }: ImportSource, row: ValueFacts, form: TextForm): RowFormat {
  if (format === 'ndjson')
    return { reader: new JsonValueReader(name, row), ends: new JsonRowEnds(form.rows ?? null), csv: null }
  const csv = csvForm(form, format)
  return { reader: csvValueReader(name, row, csv), ends: new CsvRecordEnds(csv), csv }
}

/** The first CSV file; the others are read in its form. */
interface FirstFile {
  readonly name: string
  readonly form: TextForm
  readonly isAscii: boolean
}

/** @throws QueryFault for a file whose encoding differs from that of the first file: all files of a table have one encoding. */
function expectEncoding(chunk: Buffer, name: string, first: FirstFile): void {
  const [own, other] = [encodingOf(chunk), first.form.encoding ?? 'UTF-8']
  if (own === other || isAscii(chunk)) return
  const remedy = first.isAscii ? `give --encoding ${own}` : 'convert one, since all files of a table have one encoding'
  throw new QueryFault(`${name}: the file is ${own}, and ${first.name} is read as ${other}; ${remedy}`)
}

/** Whether the given encoding has one byte for each character, but the file is UTF-8 with characters of several bytes. */
const isMisread = (chunk: Buffer, { encoding }: TextForm): boolean =>
  (encoding === 'Windows-1252' || encoding === 'ISO-8859-1') && !isAscii(chunk) && encodingOf(chunk) === 'UTF-8'

/** The chunks; the first one has at least SAMPLE_BYTES, or all bytes of a shorter file. */
async function* withLongStart(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | null = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (start !== null) start = Buffer.concat([start, chunk])
    if (start !== null && start.length < SAMPLE_BYTES) continue
    yield start ?? chunk
    start = null
  }
  if (start !== null && start.length > 0) yield start
}
