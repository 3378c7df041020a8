/** Standard output and standard error: the only file that writes to them and notices that their readers have left. */
import type { Writable } from 'node:stream'
import { fileReason } from '../runner/platform/write-failure.js'

/** Error codes of a reader that has left (`| head`), or of a closed terminal. */
const READER_LEFT: ReadonlySet<unknown> = new Set(['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])

/**
 * Output for a reader that has left is dropped, and the command runs to its end: it completes its other work, and
 * `sluice validate | head` has the exit code of `sluice validate`.
 */
export function standardOutput(out: Writable, err: Writable) {
  let hasFailed = false
  out.on('error', (error: NodeJS.ErrnoException) => {
    if (hasFailed || READER_LEFT.has(error.code)) return
    hasFailed = true
    err.write(`sluice: standard output cannot be written: ${fileReason(error)}\n`)
  })
  err.on('error', () => {
    // There is no reader left to report to.
  })
  return {
    print: (text: string | Uint8Array): void => void out.write(text),
    printError: (text: string): void => void err.write(text),
    /** Whether writing to standard output has failed, which was reported. A reader that has left is no failure. */
    hasFailed: (): boolean => hasFailed,
  }
}
