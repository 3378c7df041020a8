/** What tells the data of tables from any other: names, sizes and times of change of their files. */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { fileStamp } from '../../../model/file-stamp.js'
import { folderReader, newListing, type TableContents } from './data-folder.js'

export interface DataStateOptions {
  readonly dataDir: string | null
  readonly database: string | null
}

/** Equal texts mean equal data. Null when the files cannot be made out, or the data lies in no file. */
export type DataState = (tables: readonly string[]) => string | null

/** Looks at the files each time; calls that are answered in one turn of the event loop share one look. */
export function dataStateReader({ dataDir, database }: DataStateOptions): DataState {
  if (database !== null) return () => stampOf([database, `${database}.wal`])
  if (dataDir === null) return () => null
  const reader = folderReader(dataDir)
  /** Whatever is asked for in this turn had been sent before it began. */
  const seen = new Map<string, string | null>()
  let listing = newListing()

  function look(table: string): string | null {
    try {
      return describe(reader.contents(table, listing), dataDir!)
    } catch {
      return null // the query says what is wrong
    }
  }

  function forget(): void {
    seen.clear()
    listing = newListing()
  }

  function stateOf(table: string): string | null {
    const before = seen.get(table)
    if (before !== undefined) return before
    if (seen.size === 0) setImmediate(forget)
    const state = look(table)
    seen.set(table, state)
    return state
  }

  return tables => {
    const hash = createHash('sha256')
    for (const table of [...tables].sort()) {
      const state = stateOf(table)
      if (state === null) return null
      hash.update(`${table}\0${state}\0`)
    }
    return hash.digest('base64url')
  }
}

/**
 * What tells this copy of the data from any other, for as long as it is there: states of two copies, though equal in contents,
 * differ. Replicas that have mounted one folder have one copy. Empty where there is none yet.
 */
export function dataCopyReader({ dataDir, database }: DataStateOptions): () => string {
  const folder = database === null ? dataDir : dirname(database)
  let copy = ''
  return () => {
    if (copy === '' && folder !== null) copy = copyOf(folder)
    return copy
  }
}

function copyOf(folder: string): string {
  try {
    // Without the device: it differs from mount to mount.
    const { ino, birthtimeNs } = statSync(folder, { bigint: true })
    return createHash('sha256').update(`${ino} ${birthtimeNs}`).digest('base64url').slice(0, 16)
  } catch {
    return ''
  }
}

/** Relative to the folder: replicas may have mounted it in different places. */
function describe({ files, imports }: TableContents, dataDir: string): string {
  const loose = files.map(({ path, stamp }) => `${relative(dataDir, path)} ${stamp}`)
  const imported = imports.map(({ path, files: names }) => `${relative(dataDir, path)} ${names.length}`)
  return JSON.stringify([loose, imported])
}

function stampOf(paths: readonly string[]): string | null {
  try {
    const stats = paths.map(path => statSync(path, { bigint: true, throwIfNoEntry: false }))
    return stats.map(stat => (stat ? fileStamp(stat) : '-')).join('\n')
  } catch {
    return null
  }
}
