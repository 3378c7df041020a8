/** Standard output and standard error: the one place that writes to them, and that knows when their readers have left. */
import type { Writable } from 'node:stream'
import { fileReason } from './files/write-failure.js'

export interface StandardOutput {
  print(text: string | Uint8Array): void
  complain(text: string): void
  /** Resolves once all is written: to why a part of standard output is not, or to null. A reader that has left is no reason. */
  finish(): Promise<string | null>
}

/** A reader that has seen enough (`| head`), or a terminal that was closed. */
const READER_LEFT: ReadonlySet<unknown> = new Set(['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])

/**
 * What a reader that has left would have been told is dropped, and the command goes on to its own end and exit code: what it
 * was asked for beside its output is done, and `sluice validate | head` fails where `sluice validate` does.
 */
export function standardOutput(out: Writable, err: Writable): StandardOutput {
  let failure: Error | null = null
  out.on('error', (error: NodeJS.ErrnoException) => {
    if (!READER_LEFT.has(error.code)) failure ??= error
  })
  err.on('error', () => {
    // Nobody is left who could be told.
  })
  return {
    print: text => void out.write(text),
    complain: text => void err.write(text),
    async finish() {
      await new Promise<void>(resolve => void out.write('', () => resolve()))
      return failure && fileReason(failure)
    },
  }
}
