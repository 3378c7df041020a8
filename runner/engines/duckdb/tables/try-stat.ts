/** The state of files that may not be there. */
import { type BigIntStats, statSync } from 'node:fs'

const NOT_THERE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])

export const isNotThere = (error: unknown): boolean => NOT_THERE.has((error as NodeJS.ErrnoException).code)

/** Null where the file is not there. @throws the system's error where that cannot be known. */
export function tryStat(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch (error) {
    if (isNotThere(error)) return null
    throw error
  }
}
