/** Writes the rows of a text file as JSON that DuckDB reads without changing a value. */
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TableDefinition } from '../../../../../googlesql/data.js'
import { QueryFault } from '../../../../model/query-fault.js'
import type { TextFile } from '../data-folder.js'
import { decompressed, openFile } from '../decompress.js'
import { writing } from '../steady-copy.js'
import { CsvRecordEnds } from './csv.js'
import { csvForm } from './csv-form.js'
import { CsvRowReader } from './csv-row.js'
import { JsonRowReader } from './json-row.js'
import { JsonRowEnds } from './json-rows.js'
import { rowSchema } from './row-schema.js'
import { badRowLine, type RowFormat, type RowReader, RowStream } from './row-stream.js'

/** The reader of a file for rows of this table. */
export function rowFormat(
  { format, name, keys }: Pick<TextFile, 'format' | 'name' | 'keys'>,
  table: TableDefinition,
  ignoresUnknown: boolean,
): RowFormat {
  const { textForm } = table
  const record = rowSchema(table, keys)
  if (format === 'ndjson') {
    const ends = new JsonRowEnds(textForm?.rows ?? null)
    return { reader: new JsonRowReader(record, ignoresUnknown), ends, csv: null }
  }
  const csv = csvForm(textForm, name)
  return { reader: new CsvRowReader(record, ignoresUnknown, csv), ends: new CsvRecordEnds(csv), csv }
}

/** The row as it is, on one line. */
const ON_ONE_LINE: RowReader = {
  read: (bytes, start, end) => bytes.toString('utf8', start, end).replaceAll('\n', ' '),
}

/**
 * The file itself where each line of it is a row; otherwise a file of lines with the rows of the array in it, beside it.
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
  return stage(file, rowFormat(file, table, table.textForm?.ignoresUnknown !== false), into)
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
    aside: () => undefined,
  })
  const out = await writing(into, () => open(into, 'w'))
  try {
    for await (const chunk of decompressed(openFile(file.path), file.compression)) {
      stream.push(chunk)
      await writing(into, () => out.appendFile(text))
      text = ''
    }
    stream.end()
    await writing(into, () => out.appendFile(text))
  } finally {
    await out.close()
  }
  return staged
}
