/**
 * `imports.json` in a table's folder lists the imports of the table. It is replaced by one rename, so that a reader sees an
 * import completely or not at all. Folders that it does not list are not part of the table.
 */
import { join } from 'node:path'
import type { PartitionUnit } from '../../../../googlesql/data.js'
import { fileStamp } from '../../../model/file-stamp.js'
import { isRecord } from '../../../model/is-record.js'
import { QueryFault } from '../../../model/query-fault.js'
import { readJson } from '../../../model/read-json.js'
import { readOrdinaryFile } from '../../../platform/read-ordinary-file.js'
import { fileReason } from '../../../platform/write-failure.js'
import { isNotThere, tryStat } from './try-stat.js'

export const IMPORTS_FILE = 'imports.json'
/** The name of an import's folder. */
export const IMPORT_ID = /^\d{8}T\d{9}Z-[0-9a-f]{8}$/

/** The contents of `imports.json`. */
export interface Imports {
  readonly version: 1
  /** Oldest first. */
  readonly imports: readonly ImportEntry[]
  /**
   * Files that were not written by an import, and that an import has replaced. The paths are relative to the dataset's folder.
   */
  readonly replaced: readonly ReplacedFile[]
  /** Folders of replaced imports; they are removed once no query can be reading them. */
  readonly retired: readonly { readonly id: string; readonly atMs: number }[]
}

export interface ImportEntry {
  /** The name of the import's folder in the table's folder. */
  readonly id: string
  readonly rows: number
  /** The partitioning; null if the table was not partitioned. */
  readonly partition: ImportPartition | null
  /** Paths relative to the import's folder: `_partition=2026-01-31/1.parquet`. */
  readonly files: readonly string[]
}

/**
 * The partitioning of an import: each file holds the rows of one partition, whose value is in the name of the file's folder.
 */
export interface ImportPartition {
  readonly column: string
  readonly unit: PartitionUnit
}

/**
 * A replaced file with its size and modification time. If a file of the same name has another size or time, it is a new file.
 */
export interface ReplacedFile {
  readonly path: string
  readonly size: string
  readonly mtimeNs: string
}

const NO_IMPORTS: Imports = { version: 1, imports: [], replaced: [], retired: [] }

/** The key of hive-style folders such as `_partition=2026-01-31`. BigQuery allows no column name with this prefix. */
export const PARTITION_KEY = '_partition'

/** Reads the imports of a table; empty where nothing was imported. @throws QueryFault for a file that cannot be read, or is invalid. */
export function readImports(tableFolder: string): Imports {
  const path = join(tableFolder, IMPORTS_FILE)
  let text: string
  try {
    text = readOrdinaryFile(path)
  } catch (cause) {
    if (isNotThere(cause)) return NO_IMPORTS
    throw new QueryFault(`${path} cannot be read: ${fileReason(cause)}`, { cause })
  }
  const value = readJson(text)
  if (isRecord(value) && value['version'] === 1 && Array.isArray(value['imports'])) return { ...NO_IMPORTS, ...value }
  throw new QueryFault(`${path} is not what an import writes`)
}

/** A stamp that changes with the file; '' where it does not exist. */
export function importsStamp(tableFolder: string): string {
  const stat = tryStat(join(tableFolder, IMPORTS_FILE))
  return stat ? fileStamp(stat) : ''
}
