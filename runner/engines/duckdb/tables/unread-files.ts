/** Says why a path in a table's folder or beside it is not read. Such a path fails each query that needs the table. */
import { lstatSync } from 'node:fs'
import { namesIn } from './try-stat.js'

/** Whether a writer has the file for its own use: `_SUCCESS`, `.part.crc`, `1.csv~`, `1.parquet.tmp`. A folder `_key=value` has rows. */
export const isWritersOwn = (name: string): boolean =>
  ((/^[_.]/.test(name) && !name.includes('=')) || /(?:~|\.tmp|\.new)$/.test(name)) && !isTableLog(name)

/** Whether it is the log of a Delta or Hudi table. The log says which of the files beside it belong to the table. */
export const isTableLog = (name: string): boolean => name === '_delta_log' || name === '.hoodie'

export interface UnreadFile {
  readonly path: string
  /** Why it is not read, and what to do. */
  readonly reason: string
}

const READ = '.parquet, .ndjson, .jsonl, .json, .csv or .tsv (the texts also with .gz or .zst after that)'

/**
 * Why the path is not read; null where it is gone by now, or is an empty folder. `hasEnding` says whether its name ends like that of a file
 * that is read.
 */
export function whyUnread(path: string, hasEnding: boolean, table: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return null
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (isTableLog(name))
    return `it is the log of a table whose files beside it are not all its rows. Export the table, and put the export here; or, where no row was ever changed or deleted, move the log elsewhere`
  if (stat.isDirectory())
    return namesIn(path).length === 0
      ? null
      : `a folder with files of ${table} is named like the table, or like a file of it. Rename it, or move it elsewhere`
  if (stat.isSymbolicLink()) return 'it is a link that leads nowhere, or not to a file'
  // With a right ending, the file must be beside the table's folder: within the folder, it would be read.
  const mistake = hasEnding
    ? `the name of a file of ${table} is the table's own, followed by the ending alone`
    : `the name of a file of ${table} ends in ${READ}`
  const format = hasEnding ? '' : ' --input-format …'
  return `${mistake}. Rename it, or move it elsewhere and import it there with \`sluice import ${table} ${name}${format}\``
}

/** Why a path in a dataset's folder is not read whose name is that of the table in another case. */
export const otherCase = (name: string, table: string): string =>
  `the table is called ${table}, and names of tables are case-sensitive. Rename it to ${table.slice(table.lastIndexOf('.') + 1)}${/\..*|$/.exec(name)![0]}, or move it elsewhere`
