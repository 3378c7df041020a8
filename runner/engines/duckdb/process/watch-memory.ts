/** Watches the resident memory of a process. */
import { readFileSync } from 'node:fs'
import type { Clock } from '../../../model/ports.js'

/** The interval of checks, in milliseconds; a query can fill a few hundred megabytes in that time. */
const CHECK_EVERY_MS = 100
const KIB_PER_MB = 1_000_000 / 1_024

/**
 * Starts the watch, which works only on Linux; returns a function that ends it. `onExceeded` is called once, with the memory in megabytes,
 * when the memory exceeds the limit.
 */
export function watchMemory(
  pid: number,
  limitMb: number,
  clock: Clock,
  onExceeded: (megabytes: number) => void,
): () => void {
  let cancelTimer = (): void => {}
  const check = (): void => {
    const megabytes = residentMb(pid)
    if (megabytes === null) return
    if (megabytes > limitMb) onExceeded(megabytes)
    else cancelTimer = clock.after(CHECK_EVERY_MS, check)
  }
  check()
  return () => cancelTimer()
}

/** The resident set from proc(5), whose `kB` are KiB. Null when the process or the file does not exist. */
function residentMb(pid: number): number | null {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kib === undefined ? null : Math.round(Number(kib) / KIB_PER_MB)
  } catch {
    return null
  }
}
