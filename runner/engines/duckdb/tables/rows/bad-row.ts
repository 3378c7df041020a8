/** The error for one bad row of a file. */

/** A mistake in a row. The error itself is never shown; it becomes one line of a report. */
export class BadRowError extends Error {
  override readonly name = 'BadRowError'
  /** The offset in the row, in bytes. */
  readonly offset: number
  /** The path of the value, such as `metadata[0].request`; '' for the whole row. */
  readonly path: string
  readonly found: string
  readonly expected: string

  constructor(offset: number, path: string, found: string, expected: string) {
    super(`${path === '' ? '' : `${path}: `}found ${found}, expected ${expected}`)
    this.offset = offset
    this.path = path
    this.found = found
    this.expected = expected
  }
}

const MAX_EXCERPT = 60

/** Quotes text of a file for a report: on one line, and only its beginning. */
export function excerptOf(text: string): string {
  const visible = text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}…` : text
  return visible.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
