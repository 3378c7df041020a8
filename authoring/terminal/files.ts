/** Reads and writes files that a command names. */
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { SetupError, UsageError } from '../../runner/model/errors.js'
import { makeFolder } from '../../runner/platform/make-folder.js'
import { fileReason } from '../../runner/platform/write-failure.js'
import type { Io } from './io.js'

/** The most bytes of SQL that are read: more than the 1 MB that BigQuery takes, since the embedded engine takes more. */
export const MAX_SQL_BYTES = 4_000_000

/** The SQL of a file; `-` is standard input. @throws SetupError if it cannot be read or is not UTF-8; UsageError if it is too long. */
export async function readInput(file: string, io: Io): Promise<string> {
  const input = file === '-' ? io.standardInput() : createReadStream(file)
  if ('isTTY' in input && input.isTTY) io.printError('type SQL, then Ctrl-D\n')
  try {
    const parts: Buffer[] = []
    let bytes = 0
    for await (const part of input) {
      parts.push(Buffer.from(part))
      bytes += parts.at(-1)!.byteLength
      if (bytes > MAX_SQL_BYTES) throw new UsageError([`the SQL is longer than ${MAX_SQL_BYTES} bytes`])
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    const reason = cause instanceof TypeError ? 'it is not valid UTF-8' : fileReason(cause)
    throw new SetupError(`cannot read ${file === '-' ? 'standard input' : file}: ${reason}`, { cause })
  }
}

/** Null where there is no such file. @throws SetupError */
export function readIfExists(file: string): string | null {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : null
  } catch (cause) {
    throw new SetupError(`cannot read ${file}: ${fileReason(cause)}`, { cause })
  }
}

/** With `makesFolder`, also makes the folder of the file. @throws SetupError */
export function writeText(file: string, text: string, { makesFolder = false } = {}): void {
  try {
    if (makesFolder) makeFolder(dirname(file))
    writeFileSync(file, text)
  } catch (cause) {
    throw new SetupError(`cannot write ${file}: ${fileReason(cause)}`, { cause })
  }
}
