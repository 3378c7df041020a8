/** The warnings of data that no query can read: a column, a file. */
import { basename } from 'node:path'
import type { UnreadableColumn } from '../../googlesql/index.js'
import { diagnosticAt } from '../../runner/manifest/report.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'

/** `file` is one that has the column. */
export const unreadableColumn = (file: string, table: string, { name, reason }: UnreadableColumn): Diagnostic =>
  diagnosticAt(
    { file, line: 1, column: 1 },
    'table/unreadable',
    `column ${name} of ${table} cannot be read: ${reason}`,
    { severity: 'warning' },
  )

/** `file` is in the place of a table. */
export const unreadFile = (file: string, reason: string): Diagnostic =>
  diagnosticAt({ file, line: 1, column: 1 }, 'table/unread-file', `${basename(file)} is not read: ${reason}`, {
    severity: 'warning',
  })
