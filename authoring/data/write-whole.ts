/** Writes a file as a whole: a process that reads it meanwhile gets the old text or the new one. */
import { rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../../runner/platform/make-folder.js'
import { type WriteTarget, writeFailure } from '../../runner/platform/write-failure.js'

/** Makes the folder where it is missing. @throws SetupError */
export async function writeWhole(target: WriteTarget, text: string): Promise<void> {
  try {
    makeFolder(dirname(target.path))
    await writeFile(`${target.path}.tmp`, text)
    await rename(`${target.path}.tmp`, target.path)
  } catch (cause) {
    throw writeFailure(target, cause)
  }
}
