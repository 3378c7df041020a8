/** The folder of an engine: its children's databases and what they write to the disk, removed when it is closed. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../model/is-alive.js'

const PREFIX = 'sluice-duckdb-'
/** Who made the folder: `<host> <process id>`. */
const OWNER_FILE = 'owner'

/** A new folder in `tempDir`, which is made; those of engines that were killed, children and all, are removed from it. */
export function makeEngineFolder(tempDir: string): string {
  mkdirSync(tempDir, { recursive: true })
  for (const name of readdirSync(tempDir)) {
    if (name.startsWith(PREFIX) && isOrphan(join(tempDir, name))) tryRemove(join(tempDir, name))
  }
  const folder = mkdtempSync(join(tempDir, PREFIX))
  writeFileSync(join(folder, OWNER_FILE), `${hostname()} ${process.pid}`)
  return folder
}

/** Another user's stays. */
function tryRemove(folder: string): void {
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
