/**
 * The temporary folder of an engine: databases and temporary files of its child processes, removed when the engine is closed.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { SetupError } from '../../model/errors.js'
import { isAlive } from '../../model/is-alive.js'
import { makeFolder } from '../../platform/make-folder.js'
import { SETTING, systemReason, writeFailure } from '../../platform/write-failure.js'

const PREFIX = 'sluice-duckdb-'
/** The file that names the owner of the folder: `<host> <process id>`. */
const OWNER_FILE = 'owner'

/**
 * Creates a folder in `tempDir`, which is created if missing, and removes folders of engines that were killed.
 * @throws SetupError when files cannot be written there.
 */
export function makeEngineFolder(tempDir: string): string {
  let folder: string | null = null
  try {
    makeFolder(tempDir)
    for (const name of readdirSync(tempDir))
      if (name.startsWith(PREFIX) && isOrphan(join(tempDir, name))) tryRemove(join(tempDir, name))
    folder = mkdtempSync(join(tempDir, PREFIX))
    writeFileSync(join(folder, OWNER_FILE), `${hostname()} ${process.pid}`)
    return folder
  } catch (cause) {
    if (folder !== null) tryRemove(folder)
    throw temporaryFailure(tempDir, cause)
  }
}

/** The error for temporary files that cannot be written. */
export const temporaryFailure = (tempDir: string, cause: unknown, reason?: string): SetupError =>
  writeFailure({ what: "the engine's temporary files into", path: tempDir, setting: SETTING.temporary }, cause, reason)

const OWN_FILE = new RegExp(`"([^"]*)/${PREFIX}[^"]*"`)

/** The error for DuckDB's I/O error in a file of the engine's folder; null for any other error. */
export function ownFileFailure(error: unknown): SetupError | null {
  const text = error instanceof Error ? error.message : String(error)
  const match = /^(?:\w+ Error: )*IO Error: /.test(text) ? OWN_FILE.exec(text) : null
  const reason = match && systemReason(text)
  return match && reason ? temporaryFailure(match[1]!, error, reason) : null
}

/** Removes a folder if possible; the folder of another user cannot be removed. */
export function tryRemove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // A process with the permission will remove the folder.
  }
}

/** Whether the folder's owner is dead. Owners on other hosts (such as a container that shares the folder) count as alive. */
function isOrphan(folder: string): boolean {
  try {
    const [host, pid] = readFileSync(join(folder, OWNER_FILE), 'utf8').split(' ')
    return host === hostname() && pid !== undefined && !isAlive(Number(pid))
  } catch {
    return false
  }
}
