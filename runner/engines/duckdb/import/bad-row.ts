/** What is wrong with one row of a file. */

/** Never shown as it is: it becomes one line of a report. */
export class BadRowError extends Error {
  override readonly name = 'BadRowError'
  /** Where in the row, in bytes from its beginning. */
  readonly offset: number
  /** `metadata[0].request`; '' for the row as a whole. */
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

const MAX_SHOWN = 60

/** Text of a file as a report quotes it: on one line, and not more than its beginning. */
export function shown(text: string): string {
  const visible = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  return visible.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
