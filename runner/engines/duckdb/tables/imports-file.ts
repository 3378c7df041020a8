/**
 * `imports.json` in a table's folder: which imports the table is made of. It is replaced by one rename, so that a reader sees
 * all of an import or nothing; folders that it does not name are no part of the table.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileStamp } from '../../../model/file-stamp.js'
import { QueryFault } from '../../../model/query-fault.js'

export const IMPORTS_FILE = 'imports.json'

export const PARTITION_UNITS = ['HOUR', 'DAY', 'MONTH', 'YEAR'] as const
export type PartitionUnit = (typeof PARTITION_UNITS)[number]

/** What `imports.json` holds. */
export interface Imports {
  readonly version: 1
  /** Oldest first. */
  readonly imports: readonly ImportEntry[]
  /** Files beside the imports that a replacing import has taken the place of, relative to the dataset's folder. */
  readonly replaced: readonly ReplacedFile[]
  /** Folders of imports that were replaced; they are removed once no query can be reading them. */
  readonly retired: readonly { readonly id: string; readonly atMs: number }[]
}

export interface ImportEntry {
  /** The name of its folder, in the table's. */
  readonly id: string
  readonly rows: number
  /** Null where the table had no partitioning. */
  readonly partition: ImportPartition | null
  /** Relative to the import's folder: `_partition=2026-01-31/1.parquet`. */
  readonly files: readonly string[]
}

/** Each file holds rows of one partition, which its folder is named by. */
export interface ImportPartition {
  readonly column: string
  readonly unit: PartitionUnit
}

/** Size and time are those of the file that was replaced: another one of its name is a new file. */
export interface ReplacedFile {
  readonly path: string
  readonly size: string
  readonly mtimeNs: string
}

const NO_IMPORTS: Imports = { version: 1, imports: [], replaced: [], retired: [] }

/** The key of a hive-style folder: `_partition=2026-01-31`. BigQuery allows no column whose name begins so. */
export const PARTITION_KEY = '_partition'

/** Those of the table in this folder; none where nothing was imported. @throws QueryFault for a file that is none of ours. */
export function readImports(tableFolder: string): Imports {
  let text: string
  try {
    text = readFileSync(join(tableFolder, IMPORTS_FILE), 'utf8')
  } catch (error) {
    if (NOT_THERE.has((error as NodeJS.ErrnoException).code ?? '')) return NO_IMPORTS
    throw error
  }
  try {
    const value = JSON.parse(text) as Imports
    if (value.version === 1 && Array.isArray(value.imports)) return { ...NO_IMPORTS, ...value }
  } catch {
    // Said below.
  }
  throw new QueryFault(`${join(tableFolder, IMPORTS_FILE)} is not what an import writes`)
}

const NOT_THERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR'])

/** Changes whenever the file does; '' where there is none. */
export function importsStamp(tableFolder: string): string {
  try {
    const stat = statSync(join(tableFolder, IMPORTS_FILE), { bigint: true, throwIfNoEntry: false })
    return stat ? fileStamp(stat) : ''
  } catch (error) {
    if (NOT_THERE.has((error as NodeJS.ErrnoException).code ?? '')) return ''
    throw error
  }
}
