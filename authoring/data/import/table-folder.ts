/** The folder of a table during an import: one import at a time, each applied completely or not at all. */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteText } from '../../../googlesql-duckdb/index.js'
import { filesInPlace } from '../../../runner/engines/duckdb/tables/data-folder.js'
import {
  IMPORT_ID,
  IMPORTS_FILE,
  type ImportEntry,
  type Imports,
  type ReplacedFile,
  readImports,
} from '../../../runner/engines/duckdb/tables/imports-file.js'
import { SetupError } from '../../../runner/model/errors.js'
import { QueryFault } from '../../../runner/model/query-fault.js'
import { makeFolder } from '../../../runner/platform/make-folder.js'
import { SETTING, systemReason, writeFailure } from '../../../runner/platform/write-failure.js'

const LOCK_FILE = '.import.lock'
const WORK_FOLDER = '.import'
/** How long the folders of replaced imports are kept, in milliseconds: longer than any query that may still read them. */
const RETIRED_FOR_MS = 10 * 60_000

/** An id that sorts by time, such as `20260131T120000123Z-0123abcd`. */
export function importId(nowMs: number, idSuffix: string): string {
  return `${new Date(nowMs).toISOString().replace(/[-:.]/g, '')}-${idSuffix}`
}

/**
 * Locks the folder, by a database that `duckdb` attaches, until `close`; the system releases the lock when the process dies.
 * @throws SetupError when another import of the table is running, or the folder cannot be written.
 */
export async function openTableFolder(duckdb: DuckDBConnection, dataDir: string, table: string, nowMs: number) {
  const dot = table.lastIndexOf('.')
  const dataset = join(dataDir, table.slice(0, dot))
  const path = join(dataset, table.slice(dot + 1))
  const work = join(path, WORK_FOLDER)
  try {
    makeFolder(path)
  } catch (cause) {
    throw tableFailure(path, cause)
  }
  await takeLock(duckdb, join(path, LOCK_FILE), table)
  // If DETACH fails, the lock is released when DuckDB is closed.
  const unlock = (): Promise<unknown> => duckdb.run('DETACH import_lock').catch(() => undefined)
  try {
    removeLeftovers(path, dataset, nowMs)
    mkdirSync(work)
  } catch (cause) {
    await unlock()
    throw cause instanceof QueryFault ? cause : tableFailure(path, cause)
  }
  return {
    path,
    /** An empty folder for staged files, removed by `close`. */
    work,
    /**
     * Adds the files in `result`, a folder in `work`, to the table; with `replaces` they become the whole table. If the entry is
     * null, no files are added. @returns the number of files and imports that were replaced.
     */
    commit(entry: ImportEntry | null, result: string, replaces: boolean): number {
      const looseFiles = replaces ? filesInPlace(dataDir, table).files : []
      const { imports, replaced: earlier, retired } = readImports(path)
      const replaced = looseFiles.map(file => ({
        path: file.path.slice(dataset.length + 1),
        size: String(file.size),
        mtimeNs: String(file.mtimeNs),
      }))
      const stillRetired = retired.filter(({ id }) => statSync(join(path, id), { throwIfNoEntry: false }))
      const newlyRetired = replaces ? imports.map(({ id }) => ({ id, atMs: nowMs })) : []
      const next: Imports = {
        version: 1,
        imports: [...(replaces ? [] : imports), ...(entry === null ? [] : [entry])],
        replaced: [...earlier.filter(file => isStillThere(dataset, file)), ...replaced],
        retired: [...stillRetired, ...newlyRetired],
      }
      if (entry !== null) {
        for (const file of entry.files) syncFile(join(result, file))
        renameSync(result, join(path, entry.id))
      }
      const temporaryFile = join(path, temporaryName(IMPORTS_FILE))
      writeFileSync(temporaryFile, `${JSON.stringify(next, null, 2)}\n`)
      syncFile(temporaryFile)
      syncFile(path)
      // This rename makes the new table visible.
      renameSync(temporaryFile, join(path, IMPORTS_FILE))
      syncFile(path)
      removeReplaced(
        dataset,
        replaced.filter((_, i) => looseFiles[i]!.format !== 'parquet'),
      )
      return newlyRetired.length + looseFiles.length
    },
    async close(): Promise<void> {
      rmSync(work, { recursive: true, force: true })
      await unlock()
    },
  }
}

export type TableFolder = Awaited<ReturnType<typeof openTableFolder>>

/** The error for a table's files that cannot be written. */
export const tableFailure = (path: string, cause: unknown, reason?: string): SetupError =>
  writeFailure({ what: "the table's files into", path, setting: SETTING.data }, cause, reason)

/** DuckDB locks the file of a database that it attaches, and the system releases the lock when the process ends. */
async function takeLock(duckdb: DuckDBConnection, file: string, table: string): Promise<void> {
  try {
    await duckdb.run(`ATTACH ${quoteText(file)} AS import_lock`)
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause)
    const holder = /\(PID (\d+)\)/.exec(text)?.[1]
    if (!/lock on file|already (?:attached|open)|conflict/i.test(text)) {
      throw tableFailure(dirname(file), cause, systemReason(text) ?? 'its lock cannot be made')
    }
    const which = holder === undefined ? '' : `, process ${holder}`
    throw new SetupError(`another import of ${table} is running${which}`, { cause })
  }
}

/**
 * Removes the files of killed imports, the folders of imports that were replaced long ago, and the other files that earlier
 * imports have replaced.
 */
function removeLeftovers(path: string, dataset: string, nowMs: number): void {
  rmSync(join(path, WORK_FOLDER), { recursive: true, force: true })
  rmSync(join(path, temporaryName(IMPORTS_FILE)), { force: true })
  const { imports, retired, replaced } = readImports(path)
  const keptIds = new Set([
    ...imports.map(entry => entry.id),
    ...retired.filter(({ atMs }) => nowMs - atMs < RETIRED_FOR_MS).map(({ id }) => id),
  ])
  for (const name of readdirSync(path)) {
    if (IMPORT_ID.test(name) && !keptIds.has(name)) rmSync(join(path, name), { recursive: true, force: true })
  }
  removeReplaced(dataset, replaced)
}

function removeReplaced(dataset: string, replaced: readonly ReplacedFile[]): void {
  for (const file of replaced) if (isStillThere(dataset, file)) rmSync(join(dataset, file.path), { force: true })
}

function isStillThere(dataset: string, { path, size, mtimeNs }: ReplacedFile): boolean {
  const stat = statSync(join(dataset, path), { bigint: true, throwIfNoEntry: false })
  return stat !== undefined && String(stat.size) === size && String(stat.mtimeNs) === mtimeNs
}

const temporaryName = (name: string): string => `.${name}.tmp`

/** Flushes a file to the disk, before a rename makes it visible. */
function syncFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
