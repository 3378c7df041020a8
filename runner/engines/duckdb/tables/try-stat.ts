/** The state of files that may not be there, and the contents of folders. */
import { type BigIntStats, type Dirent, readdirSync, statSync } from 'node:fs'
import { QueryFault } from '../../../model/query-fault.js'
import { fileReason } from '../../../platform/write-failure.js'

const NOT_THERE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])

export const isNotThere = (error: unknown): boolean => NOT_THERE.has((error as NodeJS.ErrnoException).code)

/** The state of the file; null where it does not exist. @throws the system's error if that cannot be known. */
export function tryStat(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch (error) {
    if (isNotThere(error)) return null
    throw error
  }
}

/** The names in a folder; empty where it does not exist or is not a folder. @throws QueryFault where it cannot be read. */
export const namesIn = (folder: string): readonly string[] => entriesIn(folder).map(({ name }) => name)

export function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (cause) {
    if (isNotThere(cause)) return []
    throw new QueryFault(`the folder ${folder} cannot be read: ${fileReason(cause)}`, { cause })
  }
}
