/** A lock between processes for work that reads a file, changes it and writes it back. */
import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as elapse } from 'node:timers/promises'
import { SetupError } from '../model/errors.js'
import { isAlive } from '../model/is-alive.js'
import { fileReason, SETTING, writeFailure } from '../platform/write-failure.js'

/** Attempts to take the lock, ten seconds in all: a holder needs it for a few milliseconds. */
const ATTEMPTS = 500
const PAUSE_MS = 20

/**
 * Runs `work` while no other work on the same file runs, in this process or another. The lock is a file beside it,
 * `<path>.lock`; a lock that a dead process of this host has left is taken over.
 * @throws SetupError when the lock cannot be taken within ten seconds or its file cannot be created; also every error of
 * `work`.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {
  const lock = `${path}.lock`
  for (let left = attempts; !(await tryMake(lock)); left -= 1) {
    if (await takeOver(lock)) continue
    if (left <= 1) {
      const [host, pid] = ((await textOf(lock)) ?? '').split(' ')
      const owner = pid === undefined ? 'another process' : `process ${pid} of ${host}`
      throw new SetupError(`${path} is being changed by ${owner}; if that is not so, remove ${lock}`)
    }
    await elapse(PAUSE_MS)
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

/**
 * Creates the lock file; false where it exists. Its text is `<host> <process id> <random bits>`, different for every lock.
 */
async function tryMake(lock: string): Promise<boolean> {
  try {
    const text = `${hostname()} ${process.pid} ${randomBytes(8).toString('hex')}`
    await writeFile(lock, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    throw writeFailure({ what: 'the lock', path: lock, setting: SETTING.tokens }, cause)
  }
}

/**
 * Removes a lock that a dead process has left. Returns false if the caller must wait. Two processes that see the same dead lock
 * must not both remove it, since the second could remove a lock that a third process has taken in between. So a process first
 * creates a file whose name contains the random part of the lock, and then removes the lock only if it is still the same lock.
 */
async function takeOver(lock: string): Promise<boolean> {
  const text = await textOf(lock)
  if (text === null) return true // The lock was released in the meantime.
  if (!isLeftBehind(text)) return false
  const right = `${lock}.${text.split(' ')[2]}`
  if (!(await tryMake(right))) return false
  try {
    if ((await textOf(lock)) === text) await rm(lock, { force: true })
    return true
  } finally {
    await rm(right, { force: true })
  }
}

/**
 * Whether the lock's process is dead. Processes of other hosts (such as a container that shares the folder) count as alive.
 */
function isLeftBehind(text: string): boolean {
  const parts = /^(\S+) (\d+) [0-9a-f]{16}$/.exec(text)
  return parts !== null && parts[1] === hostname() && !isAlive(Number(parts[2]))
}

/** The text of the file; null where it does not exist. */
async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new SetupError(`the lock ${path} cannot be read: ${fileReason(cause)}`, { cause })
  }
}
