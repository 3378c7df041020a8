/** The warning of a column that no query can read. */
import type { UnreadableColumn } from '../../../googlesql/index.js'
import type { Diagnostic } from '../../model/diagnostic.js'
import { diagnosticAt } from '../report.js'

/** `file` is one that has the column. */
export const unreadableColumn = (file: string, table: string, { name, reason }: UnreadableColumn): Diagnostic =>
  diagnosticAt(
    { file, line: 1, column: 1 },
    'table/unreadable',
    `column ${name} of ${table} cannot be read: ${reason}`,
    'warning',
  )
