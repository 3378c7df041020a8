/** The destination of the log: pino's lines, and request lines that are collected and written together. */
import { fstatSync, writeSync } from 'node:fs'
import pino, { type DestinationStream } from 'pino'
import type { Clock } from '../model/ports.js'
import { type BoundedOutput, boundedOutput } from './bounded-output.js'

export interface LogOutput {
  /** The stream for pino. It does not flush held lines. */
  readonly stream: DestinationStream
  /** Holds an ASCII line with its line end; many held lines are written together. */
  hold(line: string): void
  /** Writes the held lines, after everything that the stream got before. */
  flush(): void
  /** Flushes when the process ends, and waits up to two seconds for a slow reader. */
  end(): void
  /** The number of lines dropped because the reader did not take them. */
  dropped(): number
}

/** The size at which held lines are written, in characters. */
const ROOM = 16_384

/** The most bytes that are queued for a full disk or a closed terminal; further lines are dropped. */
const MAX_UNWRITTEN = 8_000_000

/**
 * A destination whose errors are ignored, so that an unwritable log (such as a closed terminal) stops neither requests nor
 * the end of the process.
 */
function destination(contentMode: 'buffer' | 'utf8') {
  const opened = pino.destination({ fd: STANDARD_ERROR, sync: true, contentMode, maxLength: MAX_UNWRITTEN })
  opened.on('error', () => undefined)
  return opened
}

const STANDARD_ERROR = 2

/** Writers for a file or a terminal: writes block, and no line is dropped. */
function openFile(): Writers {
  // There are two writers, since the writer for texts goes through each text five times. Neither writer buffers.
  const bytes = destination('buffer')
  return {
    stream: destination('utf8'),
    write: lines => void bytes.write(lines as unknown as string), // The types of sonic-boom know only texts.
    end: () => undefined,
    dropped: () => 0,
  }
}

/**
 * Writers for a pipe or a socket. Its reader may stall, and a request must not wait for it. So a write that would block must
 * fail: Node makes a pipe or socket non-blocking when `process.stderr` is first accessed, which main.ts does.
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

/** Standard error. A stalled reader of a pipe blocks nothing; writes to a file or a terminal block. */
export function standardError(clock: Clock): LogOutput {
  const status = fstatSync(STANDARD_ERROR)
  const output = status.isFIFO() || status.isSocket() ? openPipe(clock) : openFile()
  // Each line is encoded as soon as it is held, while its parts are still in the processor's cache.
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

/** A log output over any other destination. */
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
