/** Where the log goes: texts of pino's, and lines that are gathered and written together. */
import pino, { type DestinationStream } from 'pino'

export interface LogOutput {
  /** For pino. It knows nothing of lines that are held. */
  readonly stream: DestinationStream
  /** Keeps a line, in ASCII and with its end; once many are held they are written. */
  hold(line: string): void
  /** Writes what is held, behind what the stream was given before. */
  flush(): void
}

/** How much is gathered before it is written, in characters. */
const ROOM = 16_384

/** Of lines that a full disk or a closed terminal does not take, in bytes; what is beyond is dropped. */
const MAX_WAITING = 8_000_000

/** A log that cannot be written keeps nothing from being served, nor from ending: on a closed terminal each line is an EIO. */
function destination(contentMode: 'buffer' | 'utf8') {
  const opened = pino.destination({ fd: 2, sync: true, contentMode, maxLength: MAX_WAITING })
  opened.on('error', () => undefined)
  return opened
}

/** Standard error, which is waited for, so that no line is dropped. */
export function standardError(): LogOutput {
  // Two writers, of texts and of bytes: that of texts goes over them five times. Neither keeps anything back.
  const bytes = destination('buffer')
  const write = (lines: Uint8Array): void => void bytes.write(lines as unknown as string) // its types know of texts alone
  // A line becomes bytes while the processor still has its parts at hand.
  const room = Buffer.allocUnsafeSlow(ROOM)
  let held = 0

  function flush(): void {
    if (held === 0) return
    const lines = room.subarray(0, held)
    held = 0
    write(lines)
  }

  return {
    stream: destination('utf8'),
    hold(line) {
      if (held + line.length > ROOM) flush()
      if (line.length > ROOM) write(Buffer.from(line, 'latin1'))
      else held += room.write(line, held, 'latin1')
    },
    flush,
  }
}

/** The same of any other destination. */
export function gathered(stream: DestinationStream): LogOutput {
  let held = ''

  function flush(): void {
    if (held === '') return
    const lines = held
    held = ''
    stream.write(lines)
  }

  return {
    stream,
    hold(line) {
      if (held.length + line.length > ROOM) flush()
      held += line
    },
    flush,
  }
}
