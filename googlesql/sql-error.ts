/** A mistake in SQL text, in BigQuery's words, with its place in the text. */

/** Lines and columns are 1-based; a column counts characters (code points). Offsets count UTF-16 units. */
export interface Place {
  readonly line: number
  readonly column: number
}

export class SqlError extends Error {
  override readonly name = 'SqlError'
  /** The message without its place: `Unrecognized name: foo`. */
  readonly reason: string
  readonly offset: number
  readonly place: Place

  constructor(reason: string, source: string, offset: number) {
    const place = placeOf(source, offset)
    super(`${reason} at [${place.line}:${place.column}]`)
    this.reason = reason
    this.offset = offset
    this.place = place
  }
}

/** The place of an offset. Lines end with `\n`, `\r` or `\r\n`. */
function placeOf(source: string, offset: number): Place {
  const before = source.slice(0, offset).split(/\r\n|\n|\r/)
  return { line: before.length, column: [...before[before.length - 1]!].length + 1 }
}
