/** The first rows of a stored result as the text of an answer, copied from its bytes: no number is read, so none is rounded. */
import { rowsOf } from '../formats/rows.js'
import type { StoredResult } from '../model/ports.js'

export interface ExcerptBounds {
  readonly maxRows: number
  /** The most bytes of the text without its note. */
  readonly maxBytes: number
}

const HEAD = '"result":['
const CLOSE = '}'

/**
 * As many whole rows as fit. `isTruncated` says whether the query has more rows, on later pages too. `text` is
 * `{"result":[…],"row_count":…,"truncated":…}` on one line; `before` is a JSON object whose members come first.
 * @throws JsonTextError where the body is not a result.
 */
export function excerptOf(
  { body, rowCount, isTruncated: isCut, page }: Pick<StoredResult, 'body' | 'rowCount' | 'isTruncated' | 'page'>,
  { maxRows, maxBytes }: ExcerptBounds,
) {
  const tail = (isTruncated: boolean): string =>
    `],"row_count":${page?.totalRows ?? rowCount},"truncated":${isTruncated}`
  // `false` is longer than `true`.
  let bytes = HEAD.length + tail(false).length + 2 * CLOSE.length
  const rows: string[] = []
  for (const text of rowsOf(body, maxBytes)) {
    if (rows.length === maxRows) break
    bytes += Buffer.byteLength(text) + (rows.length > 0 ? 1 : 0)
    if (bytes > maxBytes) break
    rows.push(text)
  }
  const isTruncated = isCut || rows.length < rowCount || typeof page?.next === 'string'
  // Between values of JSON there may be line ends, which over stdio would end the message.
  const shown = rows.join().replace(/[\r\n]/g, ' ')
  return {
    rows: rows.length,
    isTruncated,
    text(note: string | null, before: Readonly<Record<string, unknown>> = {}) {
      const first = Object.entries(before).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`)
      const last = note === null ? '' : `,"note":${JSON.stringify(note)}`
      return `{${first.join('')}${HEAD}${shown}${tail(isTruncated)}${last}${CLOSE}`
    },
  }
}
