/** Which files hold a table: `DIR/<dataset>/<table>.<format>`, or all in `DIR/<dataset>/<table>/`. */
import { type BigIntStats, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const FILE_FORMATS = ['parquet', 'ndjson', 'csv'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

/** A file as it was when it was looked at. Equal size and time of change mean equal contents. */
export interface DataFile {
  readonly path: string
  readonly format: FileFormat
  readonly compression: 'uncompressed' | 'gzip' | 'zstd'
  readonly size: bigint
  readonly mtimeNs: bigint
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
  return { path, format: kind.format, compression: kind.compression, size: stat.size, mtimeNs: stat.mtimeNs }
}

export const isUnchanged = (a: DataFile, b: DataFile | null): boolean =>
  b !== null && a.path === b.path && a.size === b.size && a.mtimeNs === b.mtimeNs

/** The files of `<dataset>.<table>`, sorted by path; none when there are none. */
export function filesOfTable(dataDir: string, tableName: string): readonly DataFile[] {
  const dot = tableName.lastIndexOf('.')
  if (dot <= 0 || !isFolderName(tableName.slice(0, dot)) || !isFolderName(tableName.slice(dot + 1))) return []
  const dataset = join(dataDir, tableName.slice(0, dot))
  const table = tableName.slice(dot + 1)
  const single = namesIn(dataset)
    .filter(name => fileKind(name)?.table === table)
    .map(name => join(dataset, name))
  const inFolder = namesIn(join(dataset, table)).map(name => join(dataset, table, name))
  return [...single, ...inFolder].sort().flatMap(path => statFile(path) ?? [])
}

/** The tables that the folder holds files of, `<dataset>.<table>`, sorted. */
export function tablesInFolder(dataDir: string): readonly string[] {
  const found = new Set<string>()
  for (const dataset of namesIn(dataDir)) {
    if (dataset.startsWith('.')) continue
    for (const name of namesIn(join(dataDir, dataset))) {
      if (name.startsWith('.')) continue
      const kind = fileKind(name)
      if (kind) found.add(`${dataset}.${kind.table}`)
      else if (namesIn(join(dataDir, dataset, name)).some(inner => fileKind(inner))) found.add(`${dataset}.${name}`)
    }
  }
  return [...found].sort()
}

// A table's name comes from SQL: it must not lead out of the folder.
const isFolderName = (name: string): boolean => name !== '' && name !== '..' && name !== '.' && !/[/\\\0]/.test(name)

/** None for a folder that is not there, or is none. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function tryStat(path: string): BigIntStats | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
}
