/** The folder of an engine: its children's databases and what they write to the disk, removed when it is closed. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { makeFolder } from '../../files/make-folder.js'
import { SETTING, systemReason, writeFailure } from '../../files/write-failure.js'
import type { SetupError } from '../../model/errors.js'
import { isAlive } from '../../model/is-alive.js'

const PREFIX = 'sluice-duckdb-'
/** Who made the folder: `<host> <process id>`. */
const OWNER_FILE = 'owner'

/**
 * A new folder in `tempDir`, which is made; those of engines that were killed, children and all, are removed from it.
 * @throws SetupError when it cannot be written there.
 */
export function makeEngineFolder(tempDir: string): string {
  try {
    return makeFolderIn(tempDir)
  } catch (cause) {
    throw temporaryFailure(tempDir, cause)
  }
}

/** Why the engine cannot write its temporary files. */
export const temporaryFailure = (tempDir: string, cause: unknown, reason?: string): SetupError =>
  writeFailure({ what: "the engine's temporary files into", path: tempDir, setting: SETTING.temporary }, cause, reason)

const OWN_FILE = new RegExp(`"([^"]*)/${PREFIX}[^"]*"`)

/** The same of DuckDB's error in a file of an engine's folder; null for any other error. */
export function ownFileFailure(error: unknown): SetupError | null {
  const text = error instanceof Error ? error.message : String(error)
  const place = /^(?:\w+ Error: )*IO Error: /.test(text) ? OWN_FILE.exec(text) : null
  const reason = place && systemReason(text)
  return place && reason ? temporaryFailure(place[1]!, error, reason) : null
}

function makeFolderIn(tempDir: string): string {
  makeFolder(tempDir)
  for (const name of readdirSync(tempDir)) {
    if (name.startsWith(PREFIX) && isOrphan(join(tempDir, name))) tryRemove(join(tempDir, name))
  }
  const folder = mkdtempSync(join(tempDir, PREFIX))
  try {
    writeFileSync(join(folder, OWNER_FILE), `${hostname()} ${process.pid}`)
  } catch (error) {
    tryRemove(folder)
    throw error
  }
  return folder
}

/** Where it cannot be removed, as another user's cannot, it stays. */
export function tryRemove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Whoever may remove it will.
  }
}

/** Of another host, which may be a container that shares the folder, nothing is known. */
function isOrphan(folder: string): boolean {
  const [host, pid] = ownerOf(folder)
  return host === hostname() && pid !== undefined && !isAlive(Number(pid))
}

function ownerOf(folder: string): readonly string[] {
  try {
    return readFileSync(join(folder, OWNER_FILE), 'utf8').split(' ')
  } catch {
    return []
  }
}
