/** Standard output and standard error: the one place that writes to them, and that knows when their readers have left. */
import type { Writable } from 'node:stream'
import { fileReason } from '../files/write-failure.js'

export interface StandardOutput {
  print(text: string | Uint8Array): void
  complain(text: string): void
  /** A part of standard output could not be written, as standard error has told. A reader that has left is no failure. */
  hasFailed(): boolean
}

/** A reader that has seen enough (`| head`), or a terminal that was closed. */
const READER_LEFT: ReadonlySet<unknown> = new Set(['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])

/**
 * What a reader that has left would have been told is dropped, and the command goes on to its own end and exit code: what it
 * was asked for beside its output is done, and `sluice validate | head` fails where `sluice validate` does.
 */
export function standardOutput(out: Writable, err: Writable): StandardOutput {
  let hasFailed = false
  out.on('error', (error: NodeJS.ErrnoException) => {
    if (hasFailed || READER_LEFT.has(error.code)) return
    hasFailed = true
    err.write(`sluice: standard output cannot be written: ${fileReason(error)}\n`)
  })
  err.on('error', () => {
    // Nobody is left who could be told.
  })
  return {
    print: text => void out.write(text),
    complain: text => void err.write(text),
    hasFailed: () => hasFailed,
  }
}
