/** The bytes of a file or of standard input, taken out of gzip or zstd. */
import { basename, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { UsageError } from '../../../../model/errors.js'
import { type FileFormat, fileKind } from '../../tables/data-folder.js'
import { type Compression, decompressed, openFile } from '../../tables/decompress.js'

/** Something to import. */
export interface ImportSource {
  /** As messages name it. */
  readonly name: string
  /** Null for standard input. */
  readonly path: string | null
  readonly format: FileFormat
  readonly compression: Compression
}

const NO_FORMAT = 'must end with .ndjson, .jsonl, .csv or .parquet, the first three also with .gz or .zst behind it'

/**
 * What these names stand for, `-` being standard input.
 * @param inputFormat of standard input and of files whose names tell none: `ndjson`, `csv.gz`, …
 * @throws UsageError for a name that tells no format.
 */
export function sourcesOf(names: readonly string[], inputFormat: string | null): readonly ImportSource[] {
  const given = inputFormat === null ? null : fileKind(`input.${inputFormat}`)
  const problems: string[] = []
  if (inputFormat !== null && given === null) problems.push(`--input-format: input.${inputFormat} ${NO_FORMAT}`)
  if (names.filter(name => name === '-').length > 1) problems.push('standard input can be read only once')
  const sources = names.flatMap((name): ImportSource[] => {
    const isInput = name === '-'
    const kind = (isInput ? null : kindOf(name)) ?? given
    if (kind) {
      const { format, compression } = kind
      return [{ name: isInput ? 'standard input' : name, path: isInput ? null : resolve(name), format, compression }]
    }
    if (isInput && inputFormat === null)
      problems.push('standard input needs --input-format: ndjson, csv, parquet, ndjson.gz, …')
    else if (inputFormat === null) problems.push(`${name}: the name ${NO_FORMAT}; or say --input-format`)
    return []
  })
  if (problems.length > 0) throw new UsageError(problems)
  return sources
}

/** Hidden files count too: whoever names one means it. */
const kindOf = (path: string): ReturnType<typeof fileKind> => fileKind(basename(path).replace(/^\.+/, ''))

/** Chunks of the uncompressed bytes. @throws the stream's or the decompressor's error. */
export function bytesOf({ path, compression }: ImportSource, standardInput: () => Readable): AsyncIterable<Buffer> {
  return decompressed(path === null ? standardInput() : openFile(path), compression)
}
