/**
 * `imports.json` in a table's folder lists the imports of the table. It is replaced by one rename, so that a reader sees all
 * of an import or nothing; folders that it does not list are not part of the table.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { PartitionUnit } from '../../../../googlesql/data.js'
import { fileStamp } from '../../../model/file-stamp.js'
import { QueryFault } from '../../../model/query-fault.js'

export const IMPORTS_FILE = 'imports.json'

/** The contents of `imports.json`. */
export interface Imports {
  readonly version: 1
  /** Oldest first. */
  readonly imports: readonly ImportEntry[]
  /** Files that no import wrote and that an import has replaced, relative to the dataset's folder. */
  readonly replaced: readonly ReplacedFile[]
  /** Folders of replaced imports; they are removed once no query can be reading them. */
  readonly retired: readonly { readonly id: string; readonly atMs: number }[]
}

export interface ImportEntry {
  /** The name of its folder in the table's folder. */
  readonly id: string
  readonly rows: number
  /** The partitioning; null where the table had none. */
  readonly partition: ImportPartition | null
  /** Paths relative to the import's folder: `_partition=2026-01-31/1.parquet`. */
  readonly files: readonly string[]
}

/** Each file holds the rows of one partition, which the name of its folder gives. */
export interface ImportPartition {
  readonly column: string
  readonly unit: PartitionUnit
}

/** A replaced file with its size and time of change: a file of the same name with other values is a new file. */
export interface ReplacedFile {
  readonly path: string
  readonly size: string
  readonly mtimeNs: string
}

const NO_IMPORTS: Imports = { version: 1, imports: [], replaced: [], retired: [] }

/** The key of hive-style folders such as `_partition=2026-01-31`. BigQuery allows no column name with this prefix. */
export const PARTITION_KEY = '_partition'

/** Reads the imports of a table; empty where nothing was imported. @throws QueryFault for an invalid file. */
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
    // Reported below.
  }
  throw new QueryFault(`${join(tableFolder, IMPORTS_FILE)} is not what an import writes`)
}

const NOT_THERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR'])

/** A stamp that changes with the file; '' where it does not exist. */
export function importsStamp(tableFolder: string): string {
  try {
    const stat = statSync(join(tableFolder, IMPORTS_FILE), { bigint: true, throwIfNoEntry: false })
    return stat ? fileStamp(stat) : ''
  } catch (error) {
    if (NOT_THERE.has((error as NodeJS.ErrnoException).code ?? '')) return ''
    throw error
  }
}
