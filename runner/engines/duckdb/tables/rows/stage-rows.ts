/** Reads a text file row by row, and writes the rows as JSON that DuckDB reads without changing a value. */
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TableDefinition } from '../../../../../googlesql/data.js'
import { QueryFault } from '../../../../model/query-fault.js'
import type { TextFile, TextFormat } from '../data-folder.js'
import { decompressed, openFile } from '../decompress.js'
import type { KeyColumn } from '../folder-keys.js'
import { withWriteFault } from '../steady-copy.js'
import { CsvRecordEnds } from './csv.js'
import { csvForm } from './csv-form.js'
import { csvRowReader } from './csv-row.js'
import { JsonRowReader } from './json-row.js'
import { JsonRowEnds } from './json-rows.js'
import { rowSchema } from './row-schema.js'
import { badRowLine, type RowFormat, type RowReader, RowStream } from './row-stream.js'

/**
 * The reader of a format for rows of this table.
 *
 * @param ignoreSetting for messages, the setting that would make unknown keys and columns be ignored; null where they are ignored
 * @param keys the columns that the file's folders give
 */
export function rowFormat(
  format: TextFormat,
  table: TableDefinition,
  ignoreSetting: string | null,
  keys: readonly KeyColumn[],
): RowFormat {
  const { textForm } = table
  const record = rowSchema(table, keys)
  if (format === 'ndjson') {
    const ends = new JsonRowEnds(textForm?.rows ?? null)
    return { reader: new JsonRowReader(record, ignoreSetting), ends, csv: null }
  }
  const csv = csvForm(textForm, format)
  return { reader: csvRowReader(record, ignoreSetting, csv), ends: new CsvRecordEnds(csv), csv }
}

const IGNORE_UNKNOWN = '"externalDataConfiguration": {"ignoreUnknownValues": true} in the table resource'

/** Gives each row without a change, but on one line. */
const ON_ONE_LINE: RowReader = {
  read: (bytes, start, end) => bytes.toString('utf8', start, end).replaceAll('\n', ' '),
}

/**
 * The file itself where each of its lines is a row. Otherwise writes a file beside it, in which each line is a row of the array.
 * @throws QueryFault for a file that is not JSON as a whole.
 */
export async function linesOf(file: TextFile, { textForm }: TableDefinition): Promise<TextFile> {
  const rows = textForm?.rows ?? null
  if (rows === null && !(await isList(file))) return file
  const path = join(dirname(file.path), 'lines')
  await stage(file, { reader: ON_ONE_LINE, ends: new JsonRowEnds(rows), csv: null }, path)
  return { ...file, path, compression: 'uncompressed' }
}

async function isList({ path, compression }: TextFile): Promise<boolean> {
  for await (const chunk of decompressed(openFile(path), compression)) {
    const first = /[^\ufeff\s]/.exec(chunk.toString('utf8'))
    if (first) return first[0] === '['
  }
  return false
}

/** @throws QueryFault for the first row with a mistake, and when the rows cannot be written. */
export function stageRows(file: TextFile, table: TableDefinition, into: string): ReturnType<typeof stage> {
  const ignoreSetting = table.textForm?.ignoresUnknown ? null : IGNORE_UNKNOWN
  return stage(file, rowFormat(file.format, table, ignoreSetting, file.keys), into)
}

async function stage(file: TextFile, format: RowFormat, into: string) {
  const staged = { rows: 0, longestRow: 0 }
  let text = ''
  const stream = new RowStream(file.name, format, {
    row: json => {
      staged.rows++
      staged.longestRow = Math.max(staged.longestRow, Buffer.byteLength(json))
      text += `${json}\n`
    },
    bad: row => {
      throw new QueryFault(badRowLine(row))
    },
  })
  const out = await withWriteFault(into, () => open(into, 'w'))
  try {
    for await (const chunk of decompressed(openFile(file.path), file.compression)) {
      stream.push(chunk)
      await withWriteFault(into, () => out.appendFile(text))
      text = ''
    }
    stream.end()
    await withWriteFault(into, () => out.appendFile(text))
  } finally {
    await out.close()
  }
  return staged
}
