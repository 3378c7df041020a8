/** Where the log goes: texts of pino's, and lines that have been gathered. */
import pino, { type DestinationStream } from 'pino'

export interface LogOutput {
  /** For pino. */
  readonly stream: DestinationStream
  /** Lines in ASCII. They come behind what the stream was given before. */
  write(lines: string): void
}

/** Lines are mostly gathered up to a half of it. */
const ROOM = 32_768

/** Standard error, which is waited for, so that no line is dropped. */
export function standardError(): LogOutput {
  // Two writers, of texts and of bytes: that of texts goes over them five times. Neither keeps anything back.
  const bytes = pino.destination({ fd: 2, sync: true, contentMode: 'buffer' })
  const room = Buffer.allocUnsafeSlow(ROOM)
  return {
    stream: pino.destination({ fd: 2, sync: true }),
    write(lines) {
      const isRoom = lines.length <= ROOM
      const written = isRoom ? room.subarray(0, room.write(lines, 'latin1')) : Buffer.from(lines, 'latin1')
      bytes.write(written as unknown as string) // its types know of texts alone
    },
  }
}
