/** Reads the decompressed bytes of a file or of standard input. */
import { basename, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { type FileFormat, fileKind } from '../../../../runner/engines/duckdb/tables/data-folder.js'
import {
  type Compression,
  decompressed,
  incompleteMessage,
  openFile,
} from '../../../../runner/engines/duckdb/tables/decompress.js'
import { type FolderKey, keysInPath } from '../../../../runner/engines/duckdb/tables/folder-keys.js'
import { UsageError } from '../../../../runner/model/errors.js'
import { QueryFault } from '../../../../runner/model/query-fault.js'
import { fileReason } from '../../../../runner/platform/write-failure.js'

/** A source of rows to import. */
export interface ImportSource {
  /** The name in messages. */
  readonly name: string
  /** The path; null for standard input. */
  readonly path: string | null
  readonly format: FileFormat
  readonly compression: Compression
  /** The keys of the folders in its name. */
  readonly keys: readonly FolderKey[]
}

const FORMAT_NAMES = 'ndjson, jsonl, json, csv or tsv, which .gz or .zst may follow, or parquet'

/** What to do with files of other programs. */
const REMEDIES: readonly (readonly [ending: RegExp, remedy: string])[] = [
  [/\.(?:xls[xmb]?|ods|numbers)$/i, 'a workbook is not read: save its sheet as CSV UTF-8'],
  [
    /\.(?:sqlite3?|db3?)$/i,
    "a database is not read: write a table as CSV, as `sqlite3 -csv -header FILE 'SELECT * FROM …'` does",
  ],
  [/\.(?:bz2|xz|zip|7z)$/i, 'only .gz and .zst are decompressed: unpack it first'],
]

/**
 * The sources with these names; `-` is standard input.
 * @param inputFormat the format of standard input and of files whose names do not show it: `ndjson`, `csv.gz`, …
 * @throws UsageError for a name that does not show its format, if `inputFormat` is null.
 */
export function sourcesOf(names: readonly string[], inputFormat: string | null): readonly ImportSource[] {
  const input = inputFormat === null ? null : fileKind(`input.${inputFormat}`)
  const problems: string[] = []
  if (inputFormat !== null && input === null) problems.push(`--input-format ${inputFormat}: must be ${FORMAT_NAMES}`)
  if (names.filter(name => name === '-').length > 1) problems.push('standard input can be read only once')
  const sources = names.flatMap((name): ImportSource[] => {
    const isInput = name === '-'
    const kind = (isInput ? null : kindOf(name)) ?? input
    if (kind) {
      const { format, compression } = kind
      const more = { format, compression, keys: keysInPath(name) }
      return isInput ? [{ name: 'standard input', path: null, ...more }] : [{ name, path: resolve(name), ...more }]
    }
    if (isInput && inputFormat === null)
      problems.push('standard input needs --input-format: ndjson, csv, parquet, ndjson.gz, …')
    else if (inputFormat === null)
      problems.push(
        `${name}: ${REMEDIES.find(([ending]) => ending.test(name))?.[1] ?? 'the name must end with .ndjson, .jsonl, .json, .csv or .tsv, which .gz or .zst may follow, or with .parquet; or give --input-format'}`,
      )
    return []
  })
  if (problems.length > 0) throw new UsageError(problems)
  return sources
}

/** The format by the file's name. Hidden files are accepted, since they were named explicitly. */
const kindOf = (path: string): ReturnType<typeof fileKind> => fileKind(basename(path).replace(/^\.+/, ''))

/**
 * The decompressed bytes in chunks; if the consumer stops early, the file is closed. @throws QueryFault naming a source that
 * cannot be read.
 */
export async function* byteChunks(source: ImportSource, standardInput: () => Readable): AsyncGenerator<Buffer> {
  const { path, compression } = source
  try {
    yield* decompressed(path === null ? standardInput() : openFile(path), compression)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const reason = compression === 'uncompressed' ? message : incompleteMessage(compression, message)
    const why = typeof code === 'string' && code.startsWith('E') ? `it cannot be read: ${fileReason(cause)}` : reason
    throw new QueryFault(`${source.name}: ${why}`, { cause })
  }
}
