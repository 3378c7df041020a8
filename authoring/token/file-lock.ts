/** A lock between processes for work that reads a file, changes it and writes it back. */
import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout as elapse } from 'node:timers/promises'
import { systemClock } from '../../runner/platform/clock.js'
import { SETTING, writeFailure } from '../../runner/platform/write-failure.js'

/** A lock of this age was left by a process that has died: its owner needs it for a few milliseconds. */
const STALE_MS = 10_000
const PAUSE_MS = 20

/**
 * Runs `work` while no other work on the same file runs, in this process or another. The lock is a file beside it,
 * `<path>.lock`.
 * @throws SetupError when that file cannot be created; every error of `work`.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`
  while (!tryMake(lock)) await elapse(PAUSE_MS)
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

/** False if the lock is held. A stale lock is removed and made anew in one turn of the event loop. */
function tryMake(lock: string): boolean {
  try {
    const lockStat = statSync(lock, { throwIfNoEntry: false })
    // A time in the future is from another clock.
    if (lockStat && Math.abs(systemClock().nowMs() - lockStat.mtimeMs) > STALE_MS) rmSync(lock, { force: true })
    closeSync(openSync(lock, 'wx', 0o600))
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw writeFailure({ what: 'the lock', path: lock, setting: SETTING.tokens }, cause)
  }
}
