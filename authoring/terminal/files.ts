/** Reads and writes files that a command names. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { SetupError } from '../../runner/model/errors.js'
import { makeFolder } from '../../runner/platform/make-folder.js'
import { fileReason } from '../../runner/platform/write-failure.js'

/** @throws SetupError */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new SetupError(`cannot read ${file}: ${fileReason(cause)}`, { cause })
  }
}

/** Null where there is no such file. @throws SetupError */
export const readIfThere = (file: string): string | null => (existsSync(file) ? readText(file) : null)

/** Also makes its folder, where that is wanted. @throws SetupError */
export function writeText(file: string, text: string, { makesFolder = false } = {}): void {
  try {
    if (makesFolder) makeFolder(dirname(file))
    writeFileSync(file, text)
  } catch (cause) {
    throw new SetupError(`cannot write ${file}: ${fileReason(cause)}`, { cause })
  }
}
