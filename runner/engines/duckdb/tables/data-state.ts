/** Fingerprints of the data of tables: the names, sizes and change times of their files. */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { isComputedView, isWildcard, prefixOf } from '../../../../googlesql/data.js'
import { memo } from '../../../model/bounded-map.js'
import { fileStamp } from '../../../model/file-stamp.js'
import type { SessionOptions } from '../process/messages.js'
import { FolderReader, keysOf, newListing, shardsInFolder } from './data-folder.js'
import { tryStat } from './try-stat.js'

type DataStateOptions = Pick<SessionOptions, 'dataDir' | 'database'>

/** Equal fingerprints mean equal data. Null when the files cannot be determined, or the data is not in files. */
export type DataState = (tables: readonly string[]) => string | null

/** Takes a fingerprint on each call; calls in one turn of the event loop share it. */
export function dataStateReader({ dataDir, database }: DataStateOptions): DataState {
  if (database !== null) return () => stampOf([database, `${database}.wal`])
  if (dataDir === null) return () => null
  const reader = new FolderReader(dataDir)
  /**
   * The fingerprints of this turn of the event loop. All its calls may share them, since each call had arrived before the turn
   * began.
   */
  const fingerprints = new Map<string, string | null>()
  let listing = newListing()

  function fingerprint(table: string): string | null {
    // A view of INFORMATION_SCHEMA depends on the list of all tables, which no fingerprint of a table covers.
    if (isComputedView(table)) return null
    try {
      const names = isWildcard(table) ? shardsInFolder(dataDir!, prefixOf(table)) : [table]
      // The paths are relative, since replicas may mount the data folder at different places.
      return JSON.stringify(names.map(name => keysOf(reader.contents(name, listing), path => relative(dataDir!, path))))
    } catch {
      return null // The query will report the error.
    }
  }

  function stateOf(table: string): string | null {
    if (fingerprints.size === 0)
      setImmediate(() => {
        fingerprints.clear()
        listing = newListing()
      })
    return memo(fingerprints, table, fingerprint)
  }

  return tables => {
    const states = [...tables].sort().map(table => [table, stateOf(table)])
    if (states.some(([, state]) => state === null)) return null
    return createHash('sha256').update(JSON.stringify(states)).digest('base64url')
  }
}

/**
 * Identifies this copy of the data: fingerprints of two copies differ even if their contents are equal. Replicas that mount
 * the same folder share one copy. '' where the folder does not exist yet.
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
    // The device number is left out, since it differs between mounts.
    const { ino, birthtimeNs } = statSync(folder, { bigint: true })
    return createHash('sha256').update(`${ino} ${birthtimeNs}`).digest('base64url').slice(0, 16)
  } catch {
    return ''
  }
}

function stampOf(paths: readonly string[]): string | null {
  try {
    return paths
      .map(tryStat)
      .map(stat => (stat ? fileStamp(stat) : '-'))
      .join('\n')
  } catch {
    return null
  }
}
