/** Parses an answer of BigQuery: its rows are parsed in parts, while they are read. */
import { isRecord } from '../../../model/is-record.js'
import { readJson } from '../../../model/read-json.js'
import { unexpected } from './unexpected-cell.js'

/** About how many characters of rows are parsed before other work of the process has its turn. */
const SLICE_LENGTH = 65_536
/** A part with more characters, since it has a long row, would take too long for one turn: a thread decodes it (long-rows.ts). */
const LONG_LENGTH = 262_144

/**
 * The JSON value; undefined for a text that is not JSON. Its member `rows`, if it has one, is an iterable of parts of the list. Each part
 * is parsed when it is read, and may then throw an UnexpectedCellError: parsing a page of 10 MB at once would block the process for more
 * than 100 ms, and all its objects would be in memory together. A long part is not parsed: it is the text of its rows.
 */
export function parseAnswer(text: string): unknown {
  // These characters cannot stand in a string of the answer, where the quotes would be escaped.
  const start = text.indexOf('"rows":[{"f":[') + '"rows":['.length
  const end = text.lastIndexOf(']}]') + ']}'.length
  if (start >= '"rows":['.length && start < end) {
    const rest = readJson(text.slice(0, start) + text.slice(end))
    if (isRecord(rest)) return { ...rest, rows: slices(text, start, end) }
  }
  // The answer has no rows, or is not written as BigQuery writes it: a proxy may have changed its white space.
  const answer = readJson(text)
  return isRecord(answer) && 'rows' in answer ? { ...answer, rows: [answer['rows']] } : answer
}

/** Cuts the text before rows. A cut may fall inside a value, but then its slices are not JSON, and `parseRows` throws. */
function* slices(text: string, start: number, end: number): Iterable<unknown> {
  for (let from = start; from < end; ) {
    const next = text.indexOf(',{"f":[', from + SLICE_LENGTH)
    const to = next < 0 || next > end ? end : next
    const part = text.slice(from, to)
    yield part.length > LONG_LENGTH ? part : parseRows(part)
    from = to + 1
  }
}

/** The rows of a part. @throws UnexpectedCellError for a part that is not JSON. */
export function parseRows(part: string): readonly unknown[] {
  const rows = readJson(`[${part}]`)
  if (rows === undefined) throw unexpected('JSON')
  return rows as readonly unknown[]
}
