/**
 * Which files hold a table: `DIR/<dataset>/<table>.<format>`, all in `DIR/<dataset>/<table>/`, and those of the imports that
 * `imports.json` there names.
 */
import { type BigIntStats, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PATTERN_LETTERS } from '../../../../googlesql-duckdb/data.js'
import { fileReason, SETTING } from '../../../files/write-failure.js'
import { fileStamp } from '../../../model/file-stamp.js'
import { QueryFault } from '../../../model/query-fault.js'
import type { Compression } from './decompress.js'
import { IMPORTS_FILE, type ImportPartition, type Imports, importsStamp, readImports } from './imports-file.js'

export const FILE_FORMATS = ['parquet', 'ndjson', 'csv'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

/** A file as it was when it was looked at. */
export interface DataFile {
  readonly path: string
  readonly format: FileFormat
  readonly compression: Compression
  readonly size: bigint
  readonly mtimeNs: bigint
  /** See fileStamp. */
  readonly stamp: string
}

/**
 * Why there are no tables in this folder, and what to do; null where it can be read. One that is there and empty is what
 * somebody has made: one that is not is a wrong path, a volume that is not mounted, or a first start.
 */
export function dataFolderFault(dataDir: string): string | null {
  try {
    readdirSync(dataDir)
    return null
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ENOENT'
      ? `the data folder ${dataDir} is not there: make it, fill it by \`sluice sample --data ${dataDir}\`, or name another with ${SETTING.data}`
      : `the data folder ${dataDir} cannot be read: ${fileReason(cause)}; ${SETTING.data} names another`
  }
}

const NAME = /^(.+?)\.(parquet|ndjson|jsonl|csv)(?:\.(gz|zst))?$/

/** The table's name, format and compression by a file's name; null for a file that is none of ours. */
export function fileKind(name: string): (Pick<DataFile, 'format' | 'compression'> & { readonly table: string }) | null {
  const parts = NAME.exec(name)
  if (!parts || name.startsWith('.')) return null
  const format = parts[2] === 'jsonl' ? 'ndjson' : (parts[2] as FileFormat)
  const compression = parts[3] === 'gz' ? 'gzip' : parts[3] === 'zst' ? 'zstd' : 'uncompressed'
  // Parquet is compressed inside; DuckDB reads no Parquet inside of gzip.
  return format === 'parquet' && compression !== 'uncompressed' ? null : { table: parts[1]!, format, compression }
}

/** The file as it is now; null when it is gone or no regular file of a known format. */
export function statFile(path: string): DataFile | null {
  const kind = fileKind(path.slice(path.lastIndexOf('/') + 1))
  const stat = kind && tryStat(path)
  if (!kind || !stat?.isFile()) return null
  const { size, mtimeNs } = stat
  return { path, format: kind.format, compression: kind.compression, size, mtimeNs, stamp: fileStamp(stat) }
}

export const isUnchanged = (a: DataFile, b: DataFile | null): boolean =>
  b !== null && a.path === b.path && a.stamp === b.stamp

/** Files of one import. They never change. */
export interface ImportedFiles {
  /** Of the import's folder. */
  readonly path: string
  readonly files: readonly string[]
  readonly partition: ImportPartition | null
}

/** What a table is made of. */
export interface TableContents {
  readonly files: readonly DataFile[]
  readonly imports: readonly ImportedFiles[]
}

const NOTHING: TableContents = { files: [], imports: [] }

/** Looks what tables are made of; what has not changed is not read again. */
export interface FolderReader {
  /**
   * Files are sorted by path. Tables that are looked at together share `listing`.
   * @throws QueryFault when `imports.json` is broken or names what is gone, or a folder cannot be read.
   */
  readonly contents: (tableName: string, listing?: Listing) => TableContents
}

/** The files of datasets as one look found them: for each table by itself, hundreds of tables would list hundreds of files each. */
export interface Listing {
  /** The names of the dataset's own files that hold this table. */
  readonly namesOf: (dataset: string, table: string) => readonly string[]
}

export function newListing(): Listing {
  const datasets = new Map<string, ReadonlyMap<string, readonly string[]>>()
  return {
    namesOf: (dataset, table) => {
      const known = datasets.get(dataset) ?? namesByTable(dataset)
      datasets.set(dataset, known)
      return known.get(table) ?? []
    },
  }
}

function namesByTable(dataset: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  for (const name of namesIn(dataset)) {
    const table = fileKind(name)?.table
    if (table !== undefined) names.set(table, [...(names.get(table) ?? []), name])
  }
  return names
}

export function folderReader(dataDir: string): FolderReader {
  const known = new Map<
    string,
    { readonly stamp: string; readonly imports: Imports; readonly parts: readonly ImportedFiles[] }
  >()
  const importsOf = (folder: string) => {
    const stamp = importsStamp(folder)
    const before = known.get(folder)
    if (before?.stamp === stamp) return before
    const imports = readImports(folder)
    const parts = imports.imports.map(({ id, files, partition }) => {
      const path = join(folder, id)
      return { path, files: files.map(file => join(path, file)), partition }
    })
    const now = { stamp, imports, parts }
    known.set(folder, now)
    return now
  }
  return {
    contents: (tableName, listing = newListing()) => {
      if (PATTERN_LETTERS.test(tableName))
        throw new QueryFault(`${tableName}: no files are read of a table with *, ? or [ in its name`)
      const place = placeOf(dataDir, tableName)
      if (place === null) return NOTHING
      const { imports, parts } = importsOf(place.folder)
      for (const { path } of parts) {
        if (!tryStat(path))
          throw new QueryFault(`${tableName}: the folder ${path} is gone, though ${IMPORTS_FILE} names it`)
      }
      const files = looseFiles(dataDir, tableName, listing)
      if (files.length + parts.length === 0) requireFolder(dataDir)
      return { files: withoutReplaced(files, place.dataset, imports), imports: parts }
    },
  }
}

/** That nothing is in a folder may be believed only of a folder. @throws QueryFault. */
function requireFolder(dataDir: string): void {
  const fault = tryStat(dataDir)?.isDirectory() ? null : dataFolderFault(dataDir)
  if (fault !== null) throw new QueryFault(fault)
}

/** All files of `<dataset>.<table>`, imported ones too, sorted by path; none when there are none. */
export function filesOfTable(dataDir: string, tableName: string, listing?: Listing): readonly DataFile[] {
  const { files, imports } = folderReader(dataDir).contents(tableName, listing)
  const imported = imports.flatMap(part => part.files).flatMap(path => statFile(path) ?? [])
  return [...files, ...imported].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Those that lie in the folder by themselves, whether an import has replaced them or not. */
export function looseFiles(dataDir: string, tableName: string, listing = newListing()): readonly DataFile[] {
  const place = placeOf(dataDir, tableName)
  if (place === null) return []
  const { dataset, folder, table } = place
  const single = listing.namesOf(dataset, table).map(name => join(dataset, name))
  const inFolder = namesIn(folder).map(name => join(folder, name))
  return [...single, ...inFolder].sort().flatMap(path => statFile(path) ?? [])
}

function withoutReplaced(files: readonly DataFile[], dataset: string, { replaced }: Imports): readonly DataFile[] {
  if (replaced.length === 0) return files
  const gone = new Set(replaced.map(({ path, size, mtimeNs }) => `${join(dataset, path)} ${size} ${mtimeNs}`))
  return files.filter(({ path, size, mtimeNs }) => !gone.has(`${path} ${size} ${mtimeNs}`))
}

interface Place {
  readonly dataset: string
  readonly folder: string
  readonly table: string
}

/** Null for a name that is none of a table in the folder. */
function placeOf(dataDir: string, tableName: string): Place | null {
  const dot = tableName.lastIndexOf('.')
  if (dot <= 0 || !isFolderName(tableName.slice(0, dot)) || !isFolderName(tableName.slice(dot + 1))) return null
  const dataset = join(dataDir, tableName.slice(0, dot))
  const table = tableName.slice(dot + 1)
  return { dataset, folder: join(dataset, table), table }
}

/** The folders in the data folder: each is a dataset, with tables or yet without. */
export function datasetsInFolder(dataDir: string): readonly string[] {
  return namesIn(dataDir).filter(
    name => !name.startsWith('.') && (tryStat(join(dataDir, name))?.isDirectory() ?? false),
  )
}

/** The tables that the folder holds files of, `<dataset>.<table>`, sorted. */
export function tablesInFolder(dataDir: string): readonly string[] {
  const found = new Set<string>()
  for (const dataset of namesIn(dataDir)) {
    if (dataset.startsWith('.') || !isFolderName(dataset)) continue
    for (const name of namesIn(join(dataDir, dataset))) {
      const kind = fileKind(name)
      if (name.startsWith('.') || !isFolderName(kind?.table ?? name)) continue
      if (kind) found.add(`${dataset}.${kind.table}`)
      else if (holdsFiles(dataDir, dataset, name)) found.add(`${dataset}.${name}`)
    }
  }
  return [...found].sort()
}

/** A table's name comes from SQL: it must not lead out of the folder, nor be a pattern that DuckDB finds other folders by. */
export const isFolderName = (name: string): boolean =>
  name !== '' && name !== '..' && name !== '.' && !/[/\\\0]/.test(name) && !PATTERN_LETTERS.test(name)

function holdsFiles(dataDir: string, dataset: string, table: string): boolean {
  const names = namesIn(join(dataDir, dataset, table))
  return (
    names.some(fileKind) || (names.includes(IMPORTS_FILE) && filesOfTable(dataDir, `${dataset}.${table}`).length > 0)
  )
}

const NOT_THERE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])
const isNotThere = (error: unknown): boolean => NOT_THERE.has((error as NodeJS.ErrnoException).code)

/** None for a folder that is not there, or is none. @throws QueryFault for one that cannot be read: it may hold any. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (cause) {
    if (isNotThere(cause)) return []
    throw new QueryFault(`the folder ${folder} cannot be read: ${fileReason(cause)}`, { cause })
  }
}

function tryStat(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch (error) {
    if (isNotThere(error)) return null
    throw error
  }
}
