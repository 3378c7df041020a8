/** One process at a time for what reads a file, changes it and writes it back. */
import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as elapse } from 'node:timers/promises'
import { fileReason, SETTING, writeFailure } from '../files/write-failure.js'
import { SetupError } from '../model/errors.js'
import { isAlive } from '../model/is-alive.js'

/** Ten seconds: who has the lock needs a few milliseconds. */
const ATTEMPTS = 500
const PAUSE_MS = 20

/**
 * Runs `work` while no other process, and nobody else in this one, runs theirs for the same file. The lock is a file
 * beside it, `<path>.lock`; one that a process of this host has left behind by dying is taken over.
 * @throws SetupError when the lock cannot be had in ten seconds, or its file cannot be made; whatever `work` throws.
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

/** False: there is one already. It holds `<host> <process id> <random bits>`: no two locks ever hold the same. */
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
 * Removes a lock that was left behind; false where nothing is to be done but to wait. Two processes that both see it must not
 * both remove it, since the second might remove the lock of whoever came between: only who makes the file that is
 * named by the lock's own random part may, and only while that lock is still the one that is there.
 */
async function takeOver(lock: string): Promise<boolean> {
  const text = await textOf(lock)
  if (text === null) return true // given back meanwhile
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

/** Of another host, which may be a container that shares the folder, nothing is known. */
function isLeftBehind(text: string): boolean {
  const parts = /^(\S+) (\d+) [0-9a-f]{16}$/.exec(text)
  return parts !== null && parts[1] === hostname() && !isAlive(Number(parts[2]))
}

/** Null: there is no such file. */
async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new SetupError(`the lock ${path} cannot be read: ${fileReason(cause)}`, { cause })
  }
}
