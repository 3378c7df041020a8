/** Checks the body of a result that another program may have written. */
import { isUtf8 } from 'node:buffer'
import { isRecord } from '../../../model/is-record.js'
import type { StoredResult } from '../../../model/ports.js'

/** Whether these bytes are `{"result":[{…},…]}` with this number of rows, each with these columns and no other member. */
export function isResultJson(
  bytes: Buffer,
  { columns, rowCount }: Pick<StoredResult, 'columns' | 'rowCount'>,
): boolean {
  if (!isUtf8(bytes)) return false
  const names = columns.map(({ name }) => name)
  const isRow = (row: unknown): boolean =>
    isRecord(row) && Object.keys(row).length === names.length && names.every(name => Object.hasOwn(row, name))
  try {
    const document: unknown = JSON.parse(bytes.toString('utf8'))
    const rows = isRecord(document) && Object.keys(document).length === 1 ? document['result'] : null
    return Array.isArray(rows) && rows.length === rowCount && rows.every(isRow)
  } catch {
    return false // It is not JSON.
  }
}
