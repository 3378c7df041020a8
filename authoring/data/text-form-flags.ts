/** The flags that say how text files are written. */
import { TEXT_ENCODINGS, type TextForm } from '../../googlesql/index.js'
import { UsageError } from '../../runner/model/errors.js'
import { sourcesOf } from './import/formats/source-file.js'

export interface TextFormFlags {
  readonly delimiter?: string
  readonly encoding?: string
  readonly skipRows?: string
  readonly null?: readonly string[]
  readonly decimalComma?: boolean
  readonly rows?: string
}

const FLAGS_OF_CSV: readonly (readonly [keyof TextFormFlags, string])[] = [
  ['delimiter', '--delimiter'],
  ['encoding', '--encoding'],
  ['skipRows', '--skip-rows'],
  ['null', '--null'],
  ['decimalComma', '--decimal-comma'],
]

/** The form of these files that the flags declare. @throws UsageError, also for a flag about a format that none of the files has */
export function textFormOfFlags(flags: TextFormFlags, files: readonly string[], inputFormat?: string): TextForm {
  const { delimiter, skipRows, null: words, decimalComma, rows } = flags
  const hasFormat = (...formats: readonly string[]): boolean =>
    sourcesOf(files, inputFormat ?? null).some(({ format }) => formats.includes(format))
  const unusedFlag = FLAGS_OF_CSV.find(([name]) => flags[name] !== undefined)
  if (unusedFlag && !hasFormat('csv', 'tsv'))
    throw new UsageError([`${unusedFlag[1]} says how CSV is written, and no file here is CSV: ${files.join(', ')}`])
  if (rows !== undefined && !hasFormat('ndjson'))
    throw new UsageError([`--rows names a member of a JSON document, and no file here is JSON: ${files.join(', ')}`])
  const encoding = TEXT_ENCODINGS.find(name => name.toLowerCase() === flags.encoding?.toLowerCase())
  const character = delimiter === 'tab' || delimiter === '\\t' ? '\t' : delimiter
  if (character !== undefined && !/^[\x01-\t\v\f\x0e-!#-\x7f]$/.test(character))
    throw new UsageError([`--delimiter ${delimiter}: must be one ASCII character, or tab`])
  if (flags.encoding !== undefined && encoding === undefined)
    throw new UsageError([`--encoding ${flags.encoding}: must be one of ${TEXT_ENCODINGS.join(', ')}`])
  if (skipRows !== undefined && !/^\d{1,9}$/.test(skipRows))
    throw new UsageError([`--skip-rows ${skipRows}: must be the number of a line, or 0`])
  return {
    ...(character !== undefined && { delimiter: character }),
    ...(encoding !== undefined && { encoding }),
    ...(skipRows !== undefined && { skipLeadingRows: Number(skipRows) }),
    ...(words && { nullMarkers: [...new Set(['', ...words])] }),
    ...(decimalComma && { decimalComma }),
    ...(rows && { rows }),
  }
}
