/** Creates a folder and its parents. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates the folder and its parents where they are missing. Unlike Node's recursive mkdir, it does not loop for ever where a
 * parent is a dangling link, or below /proc.
 * @throws the system's error.
 */
export function makeFolder(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return
  if (stats) throw Object.assign(new TypeError(`${path} is not a folder`), { code: 'ENOTDIR' })
  makeFolder(dirname(resolve(path)))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}
