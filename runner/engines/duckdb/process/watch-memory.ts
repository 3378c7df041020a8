/** Watches how much memory a process really holds. */
import { readFileSync } from 'node:fs'
import type { Clock } from '../../../model/ports.js'

export interface MemoryWatch {
  readonly pid: number
  readonly limitMb: number
  readonly clock: Clock
  /** Told once, of the megabytes that were more than the limit. */
  readonly onExceeded: (megabytes: number) => void
}

/** A query can fill some hundred megabytes in that time. */
const EVERY_MS = 100
const BYTES_PER_MB = 1_000_000
const PAGE_BYTES = 4_096

/** Begins to watch; returns how to end it. Where the system does not tell (all but Linux) nothing is watched. */
export function watchMemory({ pid, limitMb, clock, onExceeded }: MemoryWatch): () => void {
  let cancelTimer = (): void => {}
  const look = (): void => {
    const megabytes = residentMb(pid)
    if (megabytes === null) return
    if (megabytes > limitMb) onExceeded(megabytes)
    else cancelTimer = clock.after(EVERY_MS, look)
  }
  look()
  return () => cancelTimer()
}

/** proc(5): the second number of statm is the resident set, in pages. Null when the process or the file is not there. */
function residentMb(pid: number): number | null {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
    return Math.round((pages * PAGE_BYTES) / BYTES_PER_MB)
  } catch {
    return null
  }
}
