/** Writes the files of a new endpoint or a new folder. */
import { rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../runner/platform/make-folder.js'

export interface NewFile {
  readonly path: string
  readonly text: string
}

/** All of them or none; none of them may exist. @throws what `failed` makes of the first failure. */
export function writeFiles(files: readonly NewFile[], failed: (path: string, cause: unknown) => Error): void {
  const written: string[] = []
  for (const { path, text } of files) {
    try {
      makeFolder(dirname(path))
      writeFileSync(path, text, { flag: 'wx' })
      written.push(path)
    } catch (cause) {
      for (const done of written) rmSync(done, { force: true })
      throw failed(path, cause)
    }
  }
}
