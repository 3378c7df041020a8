/** What lies in the place of a table and is not read: an error of each query that needs the table. */
import { lstatSync } from 'node:fs'
import { namesIn, tryStat } from './try-stat.js'

/** A writer's own names: `_SUCCESS`, `.part.crc`, `1.csv~`, `1.parquet.tmp`. A folder `_key=value` holds rows. */
export const isWritersOwn = (name: string): boolean =>
  (/^[_.]/.test(name) && !name.includes('=')) || /(?:~|\.tmp|\.new)$/.test(name)

export interface UnreadFile {
  readonly path: string
  /** Why it is not read, and what to do. */
  readonly reason: string
}

const READ = '.parquet, .ndjson, .jsonl or .csv (the last three also with .gz or .zst after that), in small letters'

/**
 * Why the path in the place of a table is not read; null where it is gone meanwhile, or is a folder with nothing in it. `hasEnding`
 * says whether its name has the ending of a file that is read.
 */
export function whyUnread(path: string, hasEnding: boolean, table: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return null
  if (tryStat(path)?.isDirectory())
    return namesIn(path).length === 0
      ? null
      : `it is a folder, and no folder below that of ${table} is read. Move its files there, where their names end in ${READ}; or move it elsewhere`
  if (stat.isSymbolicLink()) return 'it is a link that leads nowhere, or not to a file'
  // Then the file is beside the folder of the table: within it, any name with such an ending is read.
  const mistake = hasEnding
    ? `the ending follows the name of ${table} without anything between`
    : `the name of a file of ${table} ends in ${READ}`
  return `${mistake}. Rename it, import it with \`sluice import ${table}\`, or move it elsewhere`
}
