/** Writes the files of a new endpoint or a new folder. */
import { rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { SetupError } from '../../runner/model/errors.js'
import { makeFolder } from '../../runner/platform/make-folder.js'
import { fileReason } from '../../runner/platform/write-failure.js'

export interface NewFile {
  readonly path: string
  readonly text: string
}

/** Writes all files, or no file if one of them exists already or cannot be written. @throws SetupError */
export function writeFiles(files: readonly NewFile[]): void {
  const writtenPaths: string[] = []
  for (const { path, text } of files) {
    try {
      makeFolder(dirname(path))
      writeFileSync(path, text, { flag: 'wx' })
      writtenPaths.push(path)
    } catch (cause) {
      for (const writtenPath of writtenPaths) rmSync(writtenPath, { force: true })
      throw cannotWrite(path, cause)
    }
  }
}

export const cannotWrite = (path: string, cause: unknown): SetupError =>
  new SetupError(`cannot write ${path}: ${fileReason(cause)}`, { cause })
