/** Creates a folder and its parents. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates the folder and its parents where they are missing. Unlike Node's recursive mkdir, it does not loop for ever where a
 * parent is a dangling link, or below /proc.
 * @throws the system's error.
 */
export function makeFolder(path: string): void {
  const missing: string[] = []
  let at = resolve(path)
  for (let kind = kindOf(at); kind !== 'folder'; kind = kindOf(at)) {
    if (kind === 'other') throw Object.assign(new TypeError(`${at} is not a folder`), { code: 'ENOTDIR' })
    missing.push(at)
    at = dirname(at)
  }
  for (const folder of missing.reverse()) makeOne(folder)
}

function kindOf(path: string): 'folder' | 'other' | 'missing' {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return 'missing'
  return stats.isDirectory() ? 'folder' : 'other'
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have created it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || kindOf(folder) !== 'folder') throw error
  }
}
