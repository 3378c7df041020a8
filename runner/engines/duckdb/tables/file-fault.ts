/** Describes errors of data files for authors, with their place, in place of DuckDB's messages. */

import { NATIVE_ERROR_MARK } from '../../../../googlesql-duckdb/names-and-types.js'
import { beginning } from '../../../model/cause-text.js'
import { QueryFault } from '../../../model/query-fault.js'

/** Thrown for a file that was not opened. */
export class UnopenedFileError extends QueryFault {
  readonly reason: string
  constructor(path: string, reason: string, cause?: unknown) {
    super(`${path}: ${reason}`, { cause })
    this.reason = reason
  }
}

export const LEADS_OUT =
  'it is a link, or is in a folder that is one, which leads out of the folders that the engine may read'

/** Our message for messages of DuckDB that match the pattern. `$1` stands for the pattern's first group. */
export interface Wording {
  readonly pattern: RegExp
  readonly message: string
}

/** The first wording whose pattern matches the text, with its message filled in; null where none matches. */
export function wordingOf<W extends Wording>(text: string, wordings: readonly W[]) {
  for (const wording of wordings) {
    const { pattern, message: template } = wording
    const match = pattern.exec(text)
    if (match) return { wording, message: template.replace(/\$(\d)/g, (_, group) => match[group] ?? '') }
  }
  return null
}

/** The longest message, in characters: it may quote a row of any length. */
const MAX_LENGTH = 300

const WORDINGS: readonly Wording[] = [
  {
    // DuckDB checks the access to the target of a link.
    pattern: /^Permission Error: Cannot access file/m,
    message: LEADS_OUT,
  },
  {
    pattern: /^Out of Memory Error|failed to (?:allocate|pin|offload)/m,
    message: 'it cannot be converted in the memory that the engine has (--engine-memory)',
  },
]

/** The message for an error; `format` is the expected format of the file. */
export function fileFault(error: unknown, format: string): string {
  if (error instanceof UnopenedFileError) return error.reason
  const text = error instanceof Error ? error.message : String(error)
  const markAt = text.indexOf(NATIVE_ERROR_MARK)
  if (markAt >= 0) return beginning(text.slice(markAt + NATIVE_ERROR_MARK.length).split('\n')[0]!, MAX_LENGTH)
  const match = wordingOf(text, WORDINGS)
  if (match) return beginning(match.message, MAX_LENGTH)
  return format === 'Parquet'
    ? beginning(`${NOT_PARQUET}: ${reasonOf(text)}`, MAX_LENGTH)
    : `it cannot be read as ${format}`
}

const NOT_PARQUET = 'it cannot be read as Parquet'

/** DuckDB's reason, without the path under which it read the file. */
const reasonOf = (text: string): string =>
  text
    .split('\n', 1)[0]!
    .replace(/^[\w ]+ Error: (?:Failed to read file "[^"]*": )?/, '')
    .replace(/ ?(["'])\/.*?\1/g, '')
