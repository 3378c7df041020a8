/** Writes the rows of a text file as JSON that DuckDB reads without changing a value. */
import { open } from 'node:fs/promises'
import type { TableDefinition } from '../../../../../googlesql/data.js'
import { QueryFault } from '../../../../model/query-fault.js'
import type { TextFile, TextFormat } from '../data-folder.js'
import { decompressed, openFile } from '../decompress.js'
import type { KeyColumn } from '../folder-keys.js'
import { writing } from '../steady-copy.js'
import { CsvRecordEnds } from './csv.js'
import { csvForm } from './csv-form.js'
import { CsvRowReader } from './csv-row.js'
import { JsonRowReader } from './json-row.js'
import { rowSchema } from './row-schema.js'
import { badRowLine, EVERY_LINE, type RowFormat, RowStream } from './row-stream.js'

/**
 * The reader of a format for rows of this table; `leavesOut` is what would leave out unknown keys and columns, or null where they
 * are; `keys` are the columns that the file's folders give.
 */
export function rowFormat(
  format: TextFormat,
  table: TableDefinition,
  leavesOut: string | null,
  keys: readonly KeyColumn[],
): RowFormat {
  const record = rowSchema(table, keys)
  if (format === 'ndjson') return { reader: new JsonRowReader(record, leavesOut), ends: EVERY_LINE, csv: null }
  const csv = csvForm(table.textForm, format)
  return { reader: new CsvRowReader(record, leavesOut, csv), ends: new CsvRecordEnds(csv), csv }
}

const IGNORE_UNKNOWN = '"externalDataConfiguration": {"ignoreUnknownValues": true} in the table resource'

/** @throws QueryFault for the first row with a mistake, and when the rows cannot be written. */
export async function stageRows(file: TextFile, table: TableDefinition, into: string) {
  const staged = { rows: 0, longestRow: 0 }
  let text = ''
  const leavesOut = table.textForm?.ignoresUnknown ? null : IGNORE_UNKNOWN
  const stream = new RowStream(file.name, rowFormat(file.format, table, leavesOut, file.keys), {
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
