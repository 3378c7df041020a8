/** Stamps of files, and keys of parts of tables. */
import { createHash } from 'node:crypto'

/**
 * Equal stamps of one path mean equal contents. A copy may keep size and time of change (`cp -p`, `rsync -t`, tar), but no
 * copy keeps both inode and time of status change.
 */
export const fileStamp = (stats: Readonly<Record<'ino' | 'size' | 'mtimeNs' | 'ctimeNs', bigint>>): string =>
  `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`

/** The key of a TablePart: equal keys mean equal texts. It is short, because thousands of parts are kept. */
export const partKey = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12)
