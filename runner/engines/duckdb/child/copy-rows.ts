/** Sends on what DuckDB's COPY writes, through a pipe, which holds it back while the part before is not taken. */
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { joined, PART_BYTES } from '../../../result/body.js'

/** Takes a part of a result's body as soon as it is encoded, so that no whole result is in this process's memory. */
export type SendPart = (bytes: Uint8Array) => Promise<void>

/**
 * Sends `head`, and what `copy` writes to the pipe that it makes at the path. Resolves with what `copy` does, and the bytes that were not
 * sent. Where `sendPart` rejects, the pipe is closed, so that COPY fails.
 */
export async function copyRows<T>(path: string, head: Uint8Array, copy: () => Promise<T>, sendPart: SendPart) {
  rmSync(path, { force: true })
  execFileSync('mkfifo', [path])
  const pipe = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false })
  // The pipe ends with its last writer, which would be none where COPY fails before it writes.
  const writer = openSync(path, constants.O_WRONLY)
  const copied = copy().finally(() => closeSync(writer))
  copied.catch(() => undefined)
  let [parts, bytes]: [Uint8Array[], number] = [[head], 0]
  try {
    for await (const part of pipe) {
      // Sent only when more comes: the end of the rows is not sent before it is known that they are a whole result.
      if (bytes >= PART_BYTES) {
        await sendPart(joined(parts))
        parts = []
        bytes = 0
      }
      parts.push(part)
      bytes += part.length
    }
    return { result: await copied, body: joined(parts) }
  } finally {
    pipe.destroy()
    await copied.catch(() => undefined)
    rmSync(path, { force: true })
  }
}
