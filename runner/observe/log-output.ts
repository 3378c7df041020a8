/** Where the log goes: texts of pino's, and lines that are gathered and written together. */
import { fstatSync, writeSync } from 'node:fs'
import pino, { type DestinationStream } from 'pino'
import type { Clock } from '../model/ports.js'
import { type BoundedOutput, boundedOutput } from './bounded-output.js'

export interface LogOutput {
  /** For pino. It knows nothing of lines that are held. */
  readonly stream: DestinationStream
  /** Keeps a line, in ASCII and with its end; once many are held they are written. */
  hold(line: string): void
  /** Writes what is held, behind what the stream was given before. */
  flush(): void
  /** Flushes as the process ends, and waits a moment for a reader who is slow. */
  end(): void
  /** How many lines have been dropped because they were not taken. */
  dropped(): number
}

/** How much is gathered before it is written, in characters. */
const ROOM = 16_384

/** Of lines that a full disk or a closed terminal does not take, in bytes; what is beyond is dropped. */
const MAX_UNWRITTEN = 8_000_000

/** A log that cannot be written keeps nothing from being served, nor from ending: on a closed terminal each line is an EIO. */
function destination(contentMode: 'buffer' | 'utf8') {
  const opened = pino.destination({ fd: STANDARD_ERROR, sync: true, contentMode, maxLength: MAX_UNWRITTEN })
  opened.on('error', () => undefined)
  return opened
}

const STANDARD_ERROR = 2

/** A file or a terminal, which is waited for: no line is dropped. */
function openFile(): Writers {
  // Two writers, of texts and of bytes: that of texts goes over them five times. Neither keeps anything back.
  const bytes = destination('buffer')
  return {
    stream: destination('utf8'),
    write: lines => void bytes.write(lines as unknown as string), // its types know of texts alone
    end: () => undefined,
    dropped: () => 0,
  }
}

/**
 * A pipe or a socket. Its reader may stall, for which no request may wait. A write that would wait for it fails instead:
 * Node makes such a standard error non-blocking as soon as `process.stderr` has been looked at, which main.ts does.
 */
function openPipe(clock: Clock): Writers {
  const output = boundedOutput(takeAtOnce, clock)
  return { ...output, stream: { write: text => output.write(Buffer.from(text)) } }
}

function takeAtOnce(bytes: Uint8Array): number {
  try {
    return writeSync(STANDARD_ERROR, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
    throw error
  }
}

interface Writers extends BoundedOutput {
  readonly stream: DestinationStream
}

/** Standard error: a reader of it that stalls is not waited for, a file or a terminal is. */
export function standardError(clock: Clock): LogOutput {
  const status = fstatSync(STANDARD_ERROR)
  const output = status.isFIFO() || status.isSocket() ? openPipe(clock) : openFile()
  // A line becomes bytes while the processor still has its parts at hand.
  const room = Buffer.allocUnsafeSlow(ROOM)
  let held = 0

  function flush(): void {
    if (held === 0) return
    const lines = room.subarray(0, held)
    held = 0
    output.write(lines)
  }

  return {
    stream: output.stream,
    hold(line) {
      if (held + line.length > ROOM) flush()
      if (line.length > ROOM) output.write(Buffer.from(line, 'latin1'))
      else held += room.write(line, held, 'latin1')
    },
    flush,
    end() {
      flush()
      output.end()
    },
    dropped: output.dropped,
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
    end: flush,
    dropped: () => 0,
  }
}
