/** Copies a file of rows in a consistent state, even if another process appends to it or replaces it during the copy. */
import { createHash } from 'node:crypto'
import { type FileHandle, open, truncate, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileStamp } from '../../../model/file-stamp.js'
import { QueryFault } from '../../../model/query-fault.js'
import { temporaryFailure } from '../engine-folder.js'
import type { DataFile } from './data-folder.js'

const CHUNK_BYTES = 1 << 20
const NEWLINE = 0x0a

/**
 * Copies the file to `into`. If the file grows, the text after the last line end is left out, since it may be half a row.
 * @throws QueryFault when the copy cannot be written.
 * @returns the file with the state that was copied, and the copy's size; null when it was removed or overwritten meanwhile.
 */
export async function copySteady(
  file: DataFile,
  into: string,
): Promise<{ readonly original: DataFile; readonly copy: DataFile } | null> {
  const handle = await open(file.path).catch(() => null)
  if (handle === null) return null
  try {
    const before = await handle.stat({ bigint: true })
    const size = Number(before.size)
    await write(into, '', 'w')
    const copied = await readTo(handle, size, into)
    // A file that only grew, or was replaced under its name, still begins with the same bytes.
    if (copied === null || (await readTo(handle, size, null))?.digest !== copied.digest) return null
    const isGrowing = file.compression === 'uncompressed' && (await handle.stat({ bigint: true })).size !== before.size
    const end = isGrowing ? copied.lastLineEnd : size
    if (end < size) await truncate(into, end)
    const original = { ...file, size: before.size, mtimeNs: before.mtimeNs, stamp: fileStamp(before) }
    return { original, copy: { ...original, path: into, size: BigInt(end) } }
  } finally {
    await handle.close()
  }
}

/** @throws QueryFault. */
async function write(into: string, bytes: string | Uint8Array, flag: 'w' | 'a'): Promise<void> {
  try {
    await writeFile(into, bytes, { flag })
  } catch (cause) {
    throw new QueryFault(temporaryFailure(dirname(into), cause).message, { cause })
  }
}

/** Reads `size` bytes; null when the file is shorter. */
async function readTo(
  handle: FileHandle,
  size: number,
  into: string | null,
): Promise<{ readonly digest: string; readonly lastLineEnd: number } | null> {
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(size, CHUNK_BYTES)))
  let lastLineEnd = 0
  for (let at = 0; at < size; ) {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, size - at), at)
    if (bytesRead === 0) return null
    const bytes = chunk.subarray(0, bytesRead)
    hash.update(bytes)
    if (into !== null) await write(into, bytes, 'a')
    const newline = bytes.lastIndexOf(NEWLINE)
    if (newline !== -1) lastLineEnd = at + newline + 1
    at += bytesRead
  }
  return { digest: hash.digest('hex'), lastLineEnd }
}
