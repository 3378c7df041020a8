/** Copies a text file in a consistent state, even if another process appends to it or replaces it during the copy. */
import { createHash } from 'node:crypto'
import { fstatSync, read } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { fileStamp } from '../../../model/file-stamp.js'
import { QueryFault } from '../../../model/query-fault.js'
import { temporaryFailure } from '../engine-folder.js'
import type { DataFile } from './data-folder.js'

const CHUNK_BYTES = 1 << 20
const NEWLINE = 0x0a
/**
 * File systems store the time of a change in steps of up to two seconds. If the last change is older than a step, each later change
 * gives the file another stamp.
 */
const TIME_STEP_NS = 2_000_000_000n

/**
 * How long a file whose last line has no end must be unchanged before that line counts as a row, in milliseconds. A program that writes
 * its output in blocks leaves half a line until its next block.
 */
const HALF_ROW_MS = 1_000
const LOOK_EVERY_MS = 50

const readAt = promisify(read)

export class FileChangedError extends QueryFault {
  constructor(path: string) {
    super(`${path} changed while it was read`)
  }
}

/**
 * Copies the open file to `into`. If the file grows, the text after the last line end is left out, since
 * it may be half a row.
 * @throws QueryFault when the copy cannot be written, FileChangedError when the file was overwritten meanwhile.
 * @returns the size of the copy
 */
export async function copySteady(handle: number, { path, compression }: DataFile, into: string): Promise<number> {
  const before = fstatSync(handle, { bigint: true })
  const size = Number(before.size)
  const copy = await withWriteFault(into, () => open(into, 'w'))
  try {
    let [lastLineEnd, at] = [0, 0]
    const copiedHash = createHash('sha256')
    for await (const bytes of firstBytes(handle, size, path)) {
      copiedHash.update(bytes)
      await withWriteFault(into, () => copy.writeFile(bytes))
      const newline = bytes.lastIndexOf(NEWLINE)
      if (newline !== -1) lastLineEnd = at + newline + 1
      at += bytes.length
    }
    const lineEnd = compression === 'uncompressed' ? lastLineEnd : size
    const ageNs = (await copy.stat({ bigint: true })).mtimeNs - before.mtimeNs
    let after = fstatSync(handle, { bigint: true })
    for (let ageMs = Number(ageNs / 1_000_000n); lineEnd < size && ageMs < HALF_ROW_MS; ageMs += LOOK_EVERY_MS) {
      if (after.size !== before.size) break
      await pause(LOOK_EVERY_MS)
      after = fstatSync(handle, { bigint: true })
    }
    if (ageNs <= TIME_STEP_NS || fileStamp(after) !== fileStamp(before)) {
      // If the file only grew, or another file took its path, the open file still begins with the same bytes.
      const currentHash = createHash('sha256')
      for await (const bytes of firstBytes(handle, size, path)) currentHash.update(bytes)
      if (currentHash.digest('hex') !== copiedHash.digest('hex')) throw new FileChangedError(path)
    }
    if (lineEnd === size || after.size === before.size) return size
    await copy.truncate(lineEnd)
    return lineEnd
  } finally {
    await copy.close()
  }
}

/** @throws QueryFault when the engine's own file cannot be written. */
export async function withWriteFault<T>(into: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new QueryFault(temporaryFailure(dirname(into), cause).message, { cause })
  }
}

/** The first `size` bytes in chunks, each of which is overwritten by the next. @throws FileChangedError where there are fewer. */
async function* firstBytes(handle: number, size: number, path: string): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(size, CHUNK_BYTES)))
  for (let at = 0; at < size; ) {
    const { bytesRead } = await readAt(handle, chunk, 0, Math.min(chunk.length, size - at), at)
    if (bytesRead === 0) throw new FileChangedError(path)
    yield chunk.subarray(0, bytesRead)
    at += bytesRead
  }
}
