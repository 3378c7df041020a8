/** Parses an answer of BigQuery's, and its rows some at a time. */
import { isRecord } from '../../../model/is-record.js'
import { readJson } from '../../../model/read-json.js'
import { unexpected } from './unexpected-cell.js'

/** After about so many characters of rows, other work of the process can have its turn. */
const SLICE_LENGTH = 65_536
/** A part that is longer, because of a row that is, takes more than a turn may. */
const LONG_LENGTH = 262_144

/**
 * The JSON value; undefined for a text that is not JSON. Its member `rows`, if it has one, is an iterable of parts of the list, which are parsed when they are read
 * (and throw an UnexpectedCellError): a page of 10 MB would keep the process for more than 100 ms, and its objects would all
 * live at once. A long part is the text of its rows.
 */
export function parseAnswer(text: string): unknown {
  // In a string, these quotes would be escaped.
  const start = text.indexOf('"rows":[{"f":[') + '"rows":['.length
  const end = text.lastIndexOf(']}]') + ']}'.length
  if (start >= '"rows":['.length && start < end) {
    const rest = readJson(text.slice(0, start) + text.slice(end))
    if (isRecord(rest)) return { ...rest, rows: slices(text, start, end) }
  }
  // An answer with white space, or whose rows are not followed by the members that BigQuery writes after them.
  const answer = readJson(text)
  return isRecord(answer) && 'rows' in answer ? { ...answer, rows: [answer['rows']] } : answer
}

/** Wherever the text is cut, slices that are JSON each make the same list as the whole text. */
function* slices(text: string, start: number, end: number): Iterable<unknown> {
  for (let from = start; from < end; ) {
    const next = text.indexOf(',{"f":[', from + SLICE_LENGTH)
    const to = next < 0 || next > end ? end : next
    const part = text.slice(from, to)
    yield part.length > LONG_LENGTH ? part : parseRows(part)
    from = to + 1
  }
}

/** The rows of a part. @throws UnexpectedCellError. */
export function parseRows(part: string): readonly unknown[] {
  const rows = readJson(`[${part}]`)
  if (rows === undefined) throw unexpected('JSON')
  return rows as readonly unknown[]
}
