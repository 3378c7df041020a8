/** Copies a file of rows in a consistent state, even if another process appends to it or replaces it during the copy. */
import { fstatSync, read } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { fileStamp } from '../../../model/file-stamp.js'
import { QueryFault } from '../../../model/query-fault.js'
import { temporaryFailure } from '../engine-folder.js'
import type { DataFile } from './data-folder.js'

const CHUNK_BYTES = 1 << 20
const NEWLINE = 0x0a
/**
 * File systems store the time of a change in steps of up to two seconds. Only a file whose last change is older than a step
 * gets another stamp by each later change.
 */
const STEP_NS = 2_000_000_000n

const readAt = promisify(read)

export class FileChangedError extends QueryFault {
  constructor(path: string) {
    super(`${path} changed while it was read`)
  }
}

/**
 * Copies the open file to `into`. If the file grows, the text after the last line end is left out, since it may be half a row.
 * @throws QueryFault when the copy cannot be written, FileChangedError when the file was overwritten meanwhile.
 * @returns the file with the state that was copied, and the copy's size.
 */
export async function copySteady(
  handle: number,
  file: DataFile,
  into: string,
): Promise<{ readonly original: DataFile; readonly copy: DataFile }> {
  const before = fstatSync(handle, { bigint: true })
  const size = Number(before.size)
  const copy = await writing(into, () => open(into, 'w+'))
  try {
    const isOld = (await copy.stat({ bigint: true })).mtimeNs - before.mtimeNs > STEP_NS
    const lastLineEnd = await copyBytes(handle, size, copy, file.path, into)
    const after = fstatSync(handle, { bigint: true })
    const isUnchanged = isOld && fileStamp(after) === fileStamp(before)
    // A file that only grew, or was replaced under its name, still begins with the same bytes.
    if (!isUnchanged && !(await hasSameBytes(handle, size, copy.fd))) throw new FileChangedError(file.path)
    const isGrowing = file.compression === 'uncompressed' && after.size !== before.size
    const end = isGrowing ? lastLineEnd : size
    if (end < size) await copy.truncate(end)
    const original = { ...file, size: before.size, mtimeNs: before.mtimeNs, stamp: fileStamp(before) }
    return { original, copy: { ...original, path: into, size: BigInt(end) } }
  } finally {
    await copy.close()
  }
}

/** @throws QueryFault when the copy cannot be written. */
async function writing<T>(into: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new QueryFault(temporaryFailure(dirname(into), cause).message, { cause })
  }
}

/** Copies the first `size` bytes; returns the length up to the last line end. */
async function copyBytes(handle: number, size: number, copy: FileHandle, path: string, into: string): Promise<number> {
  const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(size, CHUNK_BYTES)))
  let lastLineEnd = 0
  for (let at = 0; at < size; ) {
    const { bytesRead } = await readAt(handle, chunk, 0, Math.min(chunk.length, size - at), at)
    if (bytesRead === 0) throw new FileChangedError(path)
    const bytes = chunk.subarray(0, bytesRead)
    await writing(into, () => copy.writeFile(bytes))
    const newline = bytes.lastIndexOf(NEWLINE)
    if (newline !== -1) lastLineEnd = at + newline + 1
    at += bytesRead
  }
  return lastLineEnd
}

async function hasSameBytes(handle: number, size: number, copy: number): Promise<boolean> {
  const [bytes, copied] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)]
  for (let at = 0; at < size; ) {
    const length = Math.min(CHUNK_BYTES, size - at)
    const { bytesRead } = await readAt(handle, bytes, 0, length, at)
    const { bytesRead: copiedBytes } = await readAt(copy, copied, 0, bytesRead, at)
    if (bytesRead === 0 || copiedBytes !== bytesRead) return false
    if (bytes.compare(copied, 0, bytesRead, 0, bytesRead) !== 0) return false
    at += bytesRead
  }
  return true
}
