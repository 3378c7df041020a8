/** What cannot be written at once waits, up to a bound; what is beyond is dropped, counted and told of. */
import type { Clock } from '../model/ports.js'

export interface BoundedOutput {
  /** Whole lines, each with its end. Returns at once, whether they are taken or not. */
  write(lines: Uint8Array): void
  /** To be called as the process ends: gives a reader who is only slow the time to take what waits. */
  end(): void
  /** How many lines have been dropped since the beginning. */
  dropped(): number
}

/** Of lines that wait for their reader, in bytes. */
export const MAX_WAITING = 1_048_576
/** How often it is looked whether the reader takes lines again. */
const RETRY_MS = 100
/** How long the process waits for its reader as it ends: two seconds. */
const END_TRIES = 200
const END_PAUSE_MS = 10

const LINE_END = 0x0a

/**
 * @param take gives back how many bytes were taken, 0 for a reader that takes none at present. @throws when there is no
 *   reader: nothing waits for one.
 */
export function boundedOutput(take: (bytes: Uint8Array) => number, clock: Clock): BoundedOutput {
  // Only while something waits.
  let room: Buffer | null = null
  let start = 0
  let end = 0
  let untold = 0
  let total = 0
  let isRetryDue = false
  let hasReader = true

  /** The part of them that was not taken; null: they cannot be written. */
  function attempt(bytes: Uint8Array): Uint8Array | null {
    hasReader = true
    try {
      let rest = bytes
      while (rest.length > 0) {
        const taken = take(rest)
        if (taken === 0) break
        rest = rest.subarray(taken)
      }
      return rest
    } catch {
      hasReader = false
      return null
    }
  }

  function drop(lines: Uint8Array): void {
    let count = 0
    for (let at = lines.indexOf(LINE_END); at >= 0; at = lines.indexOf(LINE_END, at + 1)) count += 1
    untold += count
    total += count
  }

  function keep(bytes: Uint8Array): void {
    room ??= Buffer.allocUnsafeSlow(Math.max(MAX_WAITING, bytes.length))
    if (end + bytes.length > room.length) {
      room.copyWithin(0, start, end)
      end -= start
      start = 0
    }
    room.set(bytes, end)
    end += bytes.length
  }

  function writeWaiting(): void {
    if (room === null) return
    const rest = attempt(room.subarray(start, end))
    if (rest === null) drop(room.subarray(start, end))
    start = end - (rest?.length ?? 0)
    if (start < end) return
    room = null
    start = 0
    end = 0
  }

  /** Once all that came before the gap has been taken. */
  function tellOfDropped(): void {
    const time = new Date(clock.nowMs()).toISOString()
    const msg = `dropped ${untold} lines that the reader of the log did not take`
    const line = Buffer.from(`${JSON.stringify({ level: 'warn', time, dropped: untold, msg })}\n`)
    const rest = attempt(line)
    if (rest === null || rest.length === line.length) return
    untold = 0
    if (rest.length > 0) keep(rest)
  }

  /** Whether the reader has taken all there is. */
  function settle(): boolean {
    writeWaiting()
    if (room === null && untold > 0) tellOfDropped()
    return room === null && untold === 0
  }

  function retryLater(): void {
    if (isRetryDue || !hasReader) return
    isRetryDue = true
    clock.after(RETRY_MS, () => {
      isRetryDue = false
      if (!settle()) retryLater()
    })
  }

  return {
    write(lines) {
      if (settle()) {
        const rest = attempt(lines)
        if (rest === null) drop(lines)
        else if (rest.length > 0) keep(rest)
        else return
      } else if (untold > 0 || end - start + lines.length > MAX_WAITING) drop(lines)
      else keep(lines)
      retryLater()
    },
    end() {
      for (let tries = 0; !settle() && hasReader && tries < END_TRIES; tries += 1) sleep(END_PAUSE_MS)
    },
    dropped: () => total,
  }
}

/** Without the event loop: a process that ends has none any more. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
