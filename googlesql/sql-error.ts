/** A mistake in SQL text, in BigQuery's words, with its place in the text. */
import type { SqlMistake, SyntaxForm } from './mistakes.js'

/** Lines and columns are 1-based; a column counts characters (code points). Offsets count UTF-16 units. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** A mistake in SQL text, as checks report it: the message is without its place. */
export interface SqlProblem extends Place {
  readonly message: string
  readonly mistake?: SqlMistake | undefined
}

export class SqlError extends Error {
  override readonly name = 'SqlError'
  /** The message without its place: `Unrecognized name: foo`. */
  readonly reason: string
  readonly offset: number
  readonly place: Place
  /** The kind of mistake; undefined where no advice or check needs it. */
  readonly mistake: SqlMistake | undefined

  constructor(reason: string, source: string, offset: number, mistake?: SqlMistake) {
    const place = placeOf(source, offset)
    super(`${reason} at [${place.line}:${place.column}]`)
    this.reason = reason
    this.offset = offset
    this.place = place
    this.mistake = mistake
  }

  get problem(): SqlProblem {
    return { ...this.place, message: this.reason, ...(this.mistake && { mistake: this.mistake }) }
  }
}

/** The result of `work`, or the mistake in SQL that it throws. @throws any other error */
export function orMistake<T>(work: () => T): T | SqlError {
  try {
    return work()
  } catch (thrown) {
    if (thrown instanceof SqlError) return thrown
    throw thrown
  }
}

/** A mistake in syntax: `Syntax error: Unclosed comment`. */
export const syntaxError = (
  reason: string,
  source: string,
  offset: number,
  form: SyntaxForm = 'other',
  expected: readonly string[] = [],
): SqlError => new SqlError(`Syntax error: ${reason}`, source, offset, { code: 'syntax', form, expected })

/** The place of an offset. Lines end with `\n`, `\r` or `\r\n`. */
function placeOf(source: string, offset: number): Place {
  const lines = source.slice(0, offset).split(/\r\n|\n|\r/)
  return { line: lines.length, column: [...lines[lines.length - 1]!].length + 1 }
}

/** The offset of a place; where the text has no such place, the nearest offset in it. */
export function offsetOf(source: string, { line, column }: Place): number {
  let offset = 0
  const ends = /\r\n|\n|\r/g
  for (let i = 1; i < line; i++) {
    if (ends.exec(source) === null) return source.length
    offset = ends.lastIndex
  }
  const prefix = [...source.slice(offset, offset + 2 * column)].slice(0, column - 1).join('')
  return Math.min(source.length, offset + prefix.length)
}
