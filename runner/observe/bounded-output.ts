/** An output with a bounded queue: lines that do not fit are dropped, counted and reported. */
import type { Clock } from '../model/ports.js'

export interface BoundedOutput {
  /** Takes whole lines, each with its line end. Returns at once, even when the lines are queued or dropped. */
  write(lines: Uint8Array): void
  /** Must be called when the process ends: gives a slow reader time to take the queued lines. */
  end(): void
  /** The number of lines dropped since the start. */
  dropped(): number
}

/** The bound of the queue, in bytes. */
export const MAX_WAITING = 1_048_576
/** The interval of retries while the reader takes nothing, in milliseconds. */
const RETRY_MS = 100
/** The most retries at the end of the process, two seconds in all. */
const END_TRIES = 200
const END_PAUSE_MS = 10

const LINE_END = 0x0a

/**
 * @param take writes bytes and returns how many were written, 0 while the reader takes nothing. It throws when the reader is
 * gone; the lines are then dropped.
 */
export function boundedOutput(take: (bytes: Uint8Array) => number, clock: Clock): BoundedOutput {
  // The memory of the queue, allocated only while lines are queued.
  let room: Buffer | null = null
  let start = 0
  let end = 0
  let unreported = 0
  let total = 0
  let isRetryDue = false
  let hasReader = true

  /** Writes the bytes. Returns the part that was not written; null if the reader is gone. */
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
    unreported += count
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

  /** Reports dropped lines, once all lines before the gap have been written. */
  function reportDropped(): void {
    const time = new Date(clock.nowMs()).toISOString()
    const msg = `dropped ${unreported} lines that the reader of the log did not take`
    const line = Buffer.from(`${JSON.stringify({ level: 'warn', time, dropped: unreported, msg })}\n`)
    const rest = attempt(line)
    if (rest === null || rest.length === line.length) return
    unreported = 0
    if (rest.length > 0) keep(rest)
  }

  /** Writes the queue; returns whether it is empty. */
  function settle(): boolean {
    writeWaiting()
    if (room === null && unreported > 0) reportDropped()
    return room === null && unreported === 0
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
      } else if (unreported > 0 || end - start + lines.length > MAX_WAITING) drop(lines)
      else keep(lines)
      retryLater()
    },
    end() {
      for (let tries = 0; !settle() && hasReader && tries < END_TRIES; tries += 1) sleep(END_PAUSE_MS)
    },
    dropped: () => total,
  }
}

/** Sleeps without the event loop, which no longer runs when the process ends. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
