/** The key of cursors: SLUICE_CURSOR_KEY, or one that is made on first use and kept beside the tokens file. */
import { randomBytes } from 'node:crypto'
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SetupError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import { makeFolder } from '../platform/make-folder.js'
import { readOrdinaryFile } from '../platform/read-ordinary-file.js'
import { fileReason } from '../platform/write-failure.js'
import type { Settings } from '../settings/settings.js'
import { tokensPath } from './tokens.js'

const FILE = 'cursor.key'
const MIN_LENGTH = 32

/** Where the file cannot be used, the key is of this process alone: its cursors are not valid in another, or after a restart. */
export function cursorKey(settings: Settings, observe: Observer): () => string {
  return () => {
    if (settings.cursorKey !== null) return settings.cursorKey
    const path = join(dirname(tokensPath(settings)), FILE)
    const newKey = randomBytes(MIN_LENGTH).toString('base64url')
    try {
      return readKey(path) ?? keepKey(path, newKey)
    } catch (cause) {
      observe({ kind: 'cursors.key-not-kept', reason: `${path}: ${fileReason(cause)}` })
      return newKey
    }
  }
}

/** Undefined where there is no such file. */
function readKey(path: string): string | undefined {
  try {
    const key = readOrdinaryFile(path).trim()
    if (key.length >= MIN_LENGTH) return key
    throw new SetupError(`it holds fewer than ${MIN_LENGTH} characters`)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw cause
  }
}

/** Writes the key, and returns that of another process which has done so meanwhile. */
function keepKey(path: string, key: string): string {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}.tmp`
  makeFolder(dirname(path))
  writeFileSync(unfinished, `${key}\n`, { flag: 'wx', mode: 0o600 })
  try {
    linkSync(unfinished, path)
    return key
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
    return readKey(path) ?? key
  } finally {
    rmSync(unfinished, { force: true })
  }
}
