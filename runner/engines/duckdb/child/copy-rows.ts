/** Sends the bytes that DuckDB's COPY writes to a pipe. While a part is being sent, the full pipe makes COPY wait. */
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { joinPieces, PART_BYTES } from '../../../result/body.js'

/** Takes a part of a result's body as soon as it is encoded, so that no whole result is in this process's memory. */
export type SendPart = (bytes: Uint8Array) => Promise<void>

/**
 * Makes a pipe at the path, and sends `head` and the bytes that `copy` writes to the pipe. Resolves with the result of `copy`, and with
 * the last bytes, which were not sent. Where `sendPart` rejects, the pipe is closed, so that COPY fails.
 */
export async function copyRows<T>(path: string, head: Uint8Array, copy: () => Promise<T>, sendPart: SendPart) {
  rmSync(path, { force: true })
  execFileSync('mkfifo', [path])
  const pipe = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false })
  // The pipe ends when its last writer closes it. Without this writer it would never end if COPY fails before it writes.
  const writer = openSync(path, constants.O_WRONLY)
  const copyResult = copy().finally(() => closeSync(writer))
  copyResult.catch(() => undefined)
  let [parts, bytes]: [Uint8Array[], number] = [[head], 0]
  try {
    for await (const part of pipe) {
      // Parts are sent only when more bytes come. So the end of the rows stays here until COPY has succeeded.
      if (bytes >= PART_BYTES) {
        await sendPart(joinPieces(parts))
        parts = []
        bytes = 0
      }
      parts.push(part)
      bytes += part.length
    }
    return { result: await copyResult, body: joinPieces(parts) }
  } finally {
    pipe.destroy()
    await copyResult.catch(() => undefined)
    rmSync(path, { force: true })
  }
}
