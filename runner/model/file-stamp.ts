/** Stamps of files: two equal stamps of one path mean equal contents. */

/** The members of `fs.Stats`, read with `bigint: true`, that a stamp is made of. */
export interface FileState {
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
}

/**
 * Equal stamps of one path mean equal contents. A copy may keep size and time of change (`cp -p`, `rsync -t`, tar), but no
 * copy keeps both inode and time of status change.
 */
export const fileStamp = ({ ino, size, mtimeNs, ctimeNs }: FileState): string => `${ino} ${size} ${mtimeNs} ${ctimeNs}`
