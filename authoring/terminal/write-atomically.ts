/** Writes a file atomically: a process that reads it meanwhile gets the old text or the new one. */
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RunnerError } from '../../runner/model/errors.js'
import { makeFolder } from '../../runner/platform/make-folder.js'
import { type WriteTarget, writeFailure } from '../../runner/platform/write-failure.js'

/** Makes the folder where it is missing. @param mode the permissions of the file @throws SetupError */
export const writeAtomically = (target: WriteTarget, text: string, mode?: number): Promise<void> =>
  fillAtomically(target, file => file.writeFile(text), mode)

/** Like `writeAtomically`, but `fill` writes the text; if it throws, the file stays as it was. @throws SetupError; the RunnerErrors of `fill`. */
export async function fillAtomically(
  target: WriteTarget,
  fill: (file: FileHandle) => Promise<void>,
  mode = 0o666,
): Promise<void> {
  const temporaryPath = `${target.path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    makeFolder(dirname(target.path))
    const file = await open(temporaryPath, 'wx', mode)
    await fill(file)
      .then(() => file.sync())
      .finally(() => file.close())
    await rename(temporaryPath, target.path)
  } catch (cause) {
    await rm(temporaryPath, { force: true })
    throw cause instanceof RunnerError ? cause : writeFailure(target, cause)
  }
}
