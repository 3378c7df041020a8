/** What lies in the place of a table and is not read: an error of each query that needs the table. */
import { lstatSync } from 'node:fs'

/** A writer's own names: `_SUCCESS`, `.part.crc`, `1.csv~`, `1.parquet.tmp`. A folder `_key=value` holds rows. */
export const isWritersOwn = (name: string): boolean =>
  (/^[_.]/.test(name) && !name.includes('=')) || /(?:~|\.tmp|\.new)$/.test(name)

export interface UnreadFile {
  readonly path: string
  readonly isFolder: boolean
  /** Whether its name has the ending of a file that is read. */
  readonly hasEnding: boolean
}

const READ = '.parquet, .ndjson, .jsonl or .csv (the last three also with .gz or .zst after that), in small letters'

/** Why a file is not read, and what to do; `table` is the table in whose place it is. */
export function whyUnread({ path, isFolder, hasEnding }: UnreadFile, table: string): string {
  if (isFolder)
    return `it is a folder, and no folder below that of ${table} is read. Move its files there, where their names end in ${READ}; or move it elsewhere`
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    return 'it is a link that leads nowhere, or not to a file'
  // Then the file is beside the folder of the table: within it, any name with such an ending is read.
  const mistake = hasEnding
    ? `the ending follows the name of ${table} without anything between`
    : `the name of a file of ${table} ends in ${READ}`
  return `${mistake}. Rename it, import it with \`sluice import ${table}\`, or move it elsewhere`
}
