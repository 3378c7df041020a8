/**
 * Finds the files of a table: `DIR/<dataset>/<table>.<format>`, all files below `DIR/<dataset>/<table>/` and
 * `DIR/<dataset>/<table>.<format>/`, and the files of the imports that `imports.json` names there.
 */
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isShardOf } from '../../../../googlesql/data.js'
import { PATTERN_LETTERS } from '../../../../googlesql-duckdb/names-and-types.js'
import { memo } from '../../../model/bounded-map.js'
import { fileStamp } from '../../../model/file-stamp.js'
import { QueryFault } from '../../../model/query-fault.js'
import { fileReason, SETTING } from '../../../platform/write-failure.js'
import type { Compression } from './decompress.js'
import { type FolderKey, type KeyColumn, keyOfFolder } from './folder-keys.js'
import {
  IMPORT_ID,
  IMPORTS_FILE,
  type ImportPartition,
  type Imports,
  importsStamp,
  readImports,
} from './imports-file.js'
import { entriesIn, namesIn, tryStat } from './try-stat.js'
import { isTableLog, isWritersOwn, otherCase, type UnreadFile, whyUnread } from './unread-files.js'

/** `ndjson`: each line is a row as JSON, or the file is an array of rows. `tsv`: CSV with tabs. */
export type FileFormat = 'parquet' | 'ndjson' | 'csv' | 'tsv'

export type TextFormat = Exclude<FileFormat, 'parquet'>

/** A file, and its state when it was looked at. */
export interface DataFile {
  readonly path: string
  readonly format: FileFormat
  readonly compression: Compression
  readonly size: bigint
  readonly mtimeNs: bigint
  /** See fileStamp. */
  readonly stamp: string
  /** The keys of the folders in which it lies. */
  readonly keys: readonly FolderKey[]
}

/** A copy of a text file, which does not change while it is converted. It has a folder of its own, for files that are made from it. */
export interface TextFile {
  readonly path: string
  /** The path of the file that was copied, for errors. */
  readonly name: string
  readonly format: TextFormat
  readonly compression: Compression
  /** The columns that the names of its folders give. */
  readonly keys: readonly KeyColumn[]
}

/**
 * Why this data folder cannot be used, and what to do; null where it can be read. An empty folder is valid; a missing one
 * means a wrong path, an unmounted volume, or a first start.
 */
export function dataFolderFault(dataDir: string | null): string | null {
  if (dataDir === null) return null
  try {
    readdirSync(dataDir)
    return null
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ENOENT'
      ? `the data folder ${dataDir} is not there: make it, fill it by \`sluice sample --data ${dataDir}\`, or name another with ${SETTING.data}`
      : `the data folder ${dataDir} cannot be read: ${fileReason(cause)}; ${SETTING.data} names another`
  }
}

const FILE_NAME = /^(.+?)\.(parquet|parq|ndjson|jsonl|json|csv|tsv)(?:\.(gz|zst))?$/i

const FORMATS: Readonly<Record<string, FileFormat>> = { parq: 'parquet', jsonl: 'ndjson', json: 'ndjson' }

/** The table's name, format and compression from a file's name; null for any other file. */
export function fileKind(name: string): (Pick<DataFile, 'format' | 'compression'> & { readonly table: string }) | null {
  const parts = FILE_NAME.exec(name)
  if (!parts || name.startsWith('.')) return null
  const [, , ending = '', compressionEnding] = parts.map(part => part?.toLowerCase())
  const format = FORMATS[ending] ?? (ending as FileFormat)
  const compression = compressionEnding === 'gz' ? 'gzip' : compressionEnding === 'zst' ? 'zstd' : 'uncompressed'
  // Parquet is compressed internally; DuckDB cannot read Parquet inside gzip.
  return format === 'parquet' && compression !== 'uncompressed' ? null : { table: parts[1]!, format, compression }
}

/** The file's current state; null when it is missing or not a regular file of a known format. */
export function statFile(path: string, keys: readonly FolderKey[] = []): DataFile | null {
  const kind = fileKind(path.slice(path.lastIndexOf('/') + 1))
  const stat = kind && tryStat(path)
  if (!kind || !stat?.isFile()) return null
  const { size, mtimeNs } = stat
  return { ...kind, path, size, mtimeNs, stamp: fileStamp(stat), keys }
}

/** The files of one import, which never change. */
export interface ImportedFiles {
  /** The path of the import's folder. */
  readonly path: string
  readonly files: readonly string[]
  readonly partition: ImportPartition | null
}

/** The files and imports of a table. */
export interface TableContents {
  readonly files: readonly DataFile[]
  readonly imports: readonly ImportedFiles[]
}

/** A key that identifies a file in its state (by its stamp), or an import, which never changes and has no stamp. */
export const keyOf = (path: string, stamp: string | null): string => `${path} ${stamp ?? ''}`

/** The keys of the files and imports. @param named gives the text of a path in the keys */
export const keysOf = ({ files, imports }: TableContents, named = (path: string) => path): readonly string[] => [
  ...files.map(({ path, stamp }) => keyOf(named(path), stamp)),
  ...imports.map(({ path }) => keyOf(named(path), null)),
]

const NO_CONTENTS: TableContents = { files: [], imports: [] }

/**
 * A listing of dataset folders, shared by tables that are read together: otherwise, each of hundreds of tables would list the
 * hundreds of files of its dataset.
 */
export type Listing = (dataset: string, table: string) => readonly string[]

/** A listing: it gives the names in a dataset's folder that are the name of the table in any case, alone or with a dot after it. */
export function newListing(): Listing {
  const datasets = new Map<string, ReadonlyMap<string, readonly string[]>>()
  return (dataset, table) => memo(datasets, dataset, namesByTable).get(table.toLowerCase()) ?? []
}

function namesByTable(dataset: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  for (const name of namesIn(dataset)) {
    const table = tableOf(name).toLowerCase()
    names.set(table, [...(names.get(table) ?? []), name])
  }
  return names
}

/** The table to which a name in a dataset's folder belongs. */
const tableOf = (name: string): string => name.split('.', 1)[0]!

/** The kind of a file in a dataset's folder; null for one that is not read, such as `orders.2026.csv`. */
function kindInDataset(name: string): ReturnType<typeof fileKind> {
  const kind = fileKind(name)
  return kind?.table === tableOf(name) ? kind : null
}

/** Reads the contents of tables; unchanged `imports.json` files are not read again. */
export class FolderReader {
  /** Null without a data folder: then all tables are empty. */
  readonly #dataDir: string | null
  /** The contents of each `imports.json` that was read, by the table's folder. */
  readonly #imports = new Map<string, { stamp: string; imports: Imports; parts: readonly ImportedFiles[] }>()

  constructor(dataDir: string | null) {
    this.#dataDir = dataDir
  }

  /**
   * The contents of a table, with files sorted by path. Tables that are read together share `listing`.
   * @throws QueryFault when a file is not read, when `imports.json` is invalid or names missing files, or when a folder cannot be
   * read.
   */
  contents(tableName: string, listing = newListing()): TableContents {
    const dataDir = this.#dataDir
    if (dataDir === null) return NO_CONTENTS
    if (PATTERN_LETTERS.test(tableName))
      throw new QueryFault(`${tableName}: no files are read of a table with *, ? or [ in its name`)
    const place = placeOf(dataDir, tableName)
    if (place === null) return NO_CONTENTS
    const { imports, parts } = this.#importsOf(place.folder)
    for (const { path } of parts) {
      if (!tryStat(path))
        throw new QueryFault(`${tableName}: the folder ${path} is gone, though ${IMPORTS_FILE} names it`)
    }
    const { files, unread } = filesInPlace(dataDir, tableName, listing)
    if (unread[0]) throw new QueryFault(`${unread[0].path} is not read: ${unread[0].reason}`)
    // The tables of a data folder that is not there must not be treated as empty.
    const fault = files.length + parts.length === 0 ? dataFolderFault(dataDir) : null
    if (fault !== null) throw new QueryFault(fault)
    return { files: withoutReplaced(files, place.dataset, imports), imports: parts }
  }

  #importsOf(folder: string) {
    const stamp = importsStamp(folder)
    const cached = this.#imports.get(folder)
    if (cached?.stamp === stamp) return cached
    const imports = readImports(folder)
    const parts = imports.imports.map(({ id, files, partition }) => {
      const path = join(folder, id)
      return { path, files: files.map(file => join(path, file)), partition }
    })
    const entry = { stamp, imports, parts }
    this.#imports.set(folder, entry)
    return entry
  }
}

/** All files of `<dataset>.<table>`, including imported ones, sorted by path. */
export function filesOfTable(dataDir: string, tableName: string, listing?: Listing): readonly DataFile[] {
  const { files, imports } = new FolderReader(dataDir).contents(tableName, listing)
  const imported = imports.flatMap(part => part.files).flatMap(path => statFile(path) ?? [])
  return [...files, ...imported].sort(byPath)
}

/**
 * The files in the folder of a table, or beside the folder, that no import has written; an import may have replaced some of them. And the
 * paths there that are not read, with reasons. Both are sorted by path.
 */
export function filesInPlace(dataDir: string, tableName: string, listing = newListing()) {
  const place = placeOf(dataDir, tableName)
  const files: DataFile[] = []
  const unread: UnreadFile[] = []
  if (place === null) return { files, unread }
  const { dataset, folder, table } = place

  function addPath(path: string, name: string, kind: ReturnType<typeof fileKind>, keys: readonly FolderKey[]): void {
    const file = kind && statFile(path, keys)
    if (file) {
      files.push(file)
      return
    }
    const mayHaveFiles = (kind !== null || path.startsWith(`${folder}/`)) && !isTableLog(name)
    // Links to folders are not followed, since they can lead in a circle.
    if (mayHaveFiles && lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      walk(path, [...keys, ...keyOfFolder(name)])
      return
    }
    const reason = whyUnread(path, fileKind(name) !== null, tableName)
    if (reason !== null) unread.push({ path, reason })
  }

  function walk(path: string, keys: readonly FolderKey[], isOwn = isWritersOwn): void {
    for (const name of namesIn(path)) if (!isOwn(name)) addPath(join(path, name), name, fileKind(name), keys)
  }

  for (const name of listing(dataset, table)) {
    const path = join(dataset, name)
    const kind = kindInDataset(name)
    if (!kind && isOwnName(name)) continue
    if (tableOf(name) !== table) unread.push({ path, reason: otherCase(name, tableName) })
    else if (name !== table) addPath(path, name, kind, [])
  }
  walk(folder, [], isOwnName)
  return { files: files.sort(byPath), unread: unread.sort(byPath) }
}

const byPath = (a: { readonly path: string }, b: { readonly path: string }): number => (a.path < b.path ? -1 : 1)

/** Whether the name belongs to an import, or to a writer's own files, which are not rows. */
const isOwnName = (name: string): boolean => isWritersOwn(name) || name === IMPORTS_FILE || IMPORT_ID.test(name)

function withoutReplaced(files: readonly DataFile[], dataset: string, { replaced }: Imports): readonly DataFile[] {
  if (replaced.length === 0) return files
  const replacedKeys = new Set(replaced.map(({ path, size, mtimeNs }) => `${join(dataset, path)} ${size} ${mtimeNs}`))
  return files.filter(({ path, size, mtimeNs }) => !replacedKeys.has(`${path} ${size} ${mtimeNs}`))
}

/** The folders of a table and of its dataset; null for a name that no table in the data folder can have. */
function placeOf(dataDir: string, tableName: string) {
  const dot = tableName.lastIndexOf('.')
  if (dot <= 0 || !isFolderName(tableName.slice(0, dot)) || !isFolderName(tableName.slice(dot + 1))) return null
  const dataset = join(dataDir, tableName.slice(0, dot))
  const table = tableName.slice(dot + 1)
  return { dataset, folder: join(dataset, table), table }
}

/** The folders in the data folder; each is a dataset, possibly without tables. */
export function datasetsInFolder(dataDir: string): readonly string[] {
  return namesIn(dataDir).filter(
    name => !name.startsWith('.') && (tryStat(join(dataDir, name))?.isDirectory() ?? false),
  )
}

/** The names `<dataset>.<table>` of all tables that have a file, readable or not. Sorted. */
export const tablesInFolder = (dataDir: string): readonly string[] =>
  namesIn(dataDir)
    .filter(dataset => !dataset.startsWith('.'))
    .flatMap(dataset => tablesIn(dataDir, dataset, ({ name }) => holdsFiles(dataDir, dataset, name)))
    .sort()

/** The names of the shards in the data folder with this prefix, `<dataset>.<first letters of the table>`. Sorted. */
export function shardsInFolder(dataDir: string, prefix: string): readonly string[] {
  const dataset = prefix.slice(0, Math.max(0, prefix.lastIndexOf('.')))
  const all = tablesIn(dataDir, dataset, entry => !entry.isFile())
  return all.filter(table => isShardOf(table, prefix)).sort()
}

/** The tables of a dataset; `isTable` decides about an entry with the name of a table. */
function tablesIn(dataDir: string, dataset: string, isTable: (entry: Dirent) => boolean): readonly string[] {
  const tables = new Set<string>()
  for (const entry of isFolderName(dataset) ? entriesIn(join(dataDir, dataset)) : []) {
    const { name } = entry
    const table = tableOf(name)
    if (isOwnName(name) && !kindInDataset(name)) continue
    // A file .md is not a table: a dataset's description is often beside its tables.
    if (!isFolderName(table) || name.endsWith('.md')) continue
    if (table !== name || isTable(entry)) tables.add(`${dataset}.${table}`)
  }
  return [...tables]
}

/**
 * Whether a part of a table's name may be a folder name. Names come from SQL, so they must not lead out of the folder or be
 * glob patterns.
 */
export const isFolderName = (name: string): boolean =>
  name !== '' && name !== '..' && name !== '.' && !/[/\\\0]/.test(name) && !PATTERN_LETTERS.test(name)

function holdsFiles(dataDir: string, dataset: string, table: string): boolean {
  const { files, unread } = filesInPlace(dataDir, `${dataset}.${table}`, () => [])
  if (files.length + unread.length > 0) return true
  const isImported = namesIn(join(dataDir, dataset, table)).includes(IMPORTS_FILE)
  return isImported && filesOfTable(dataDir, `${dataset}.${table}`).length > 0
}
