/** The flags that say how text files are written. */
import { TEXT_ENCODINGS, type TextForm } from '../../googlesql/index.js'
import { UsageError } from '../../runner/model/errors.js'

export interface TextFormFlags {
  readonly delimiter?: string
  readonly encoding?: string
  readonly skipRows?: string
  readonly null?: readonly string[]
  readonly decimalComma?: boolean
  readonly rows?: string
}

/** What the flags say. @throws UsageError */
export function textFormOfFlags(flags: TextFormFlags): TextForm {
  const { delimiter, skipRows, null: words, decimalComma, rows } = flags
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
    ...(words && { nullMarkers: ['', ...words] }),
    ...(decimalComma && { decimalComma }),
    ...(rows && { rows }),
  }
}
