/** RE2's regular expressions in this process: matching takes time linear in the text, whatever the pattern and the text are. */
import { RE2JS, RE2JSSyntaxException } from 're2js'
import { patternSize } from '../../googlesql/data.js'
import { BoundedMap, memo } from './bounded-map.js'

/** How much the counted repetitions and the classes of Unicode of a pattern may add to its text. */
const MAX_ADDED = 1_000
/** The size of a class of Unicode, which is a list of ranges here. */
export const UNICODE_CLASS = 20

/** An author's pattern as it is applied: to the whole value. */
export class Pattern {
  readonly source: string
  readonly #compiled: RE2JS

  /** The source must have no problem. */
  constructor(source: string) {
    this.source = source
    this.#compiled = RE2JS.compile(source)
  }

  matches(text: string): boolean {
    return this.#compiled.testExact(text)
  }
}

/** The results of the latest checks, so that a text that is sent again is not compiled again. */
const checked = new BoundedMap<string, string | null>(1_000)

/** Why a text is not a regular expression that may be used; the rest of a sentence. Null where it is. */
export const re2Problem = (text: string): string | null => memo(checked, text, findProblem)

function findProblem(text: string): string | null {
  const { pieces, hasAngleName } = patternSize(text, UNICODE_CLASS)
  // A pattern whose size is beyond what a number can hold has the size NaN.
  if (!(pieces <= text.length + MAX_ADDED)) {
    return `is too large: its repetitions and classes may stand for at most ${MAX_ADDED} characters`
  }
  if (hasAngleName) return 'is not a valid RE2 regular expression: write (?P<name>…) instead of (?<name>…)'
  try {
    RE2JS.compile(text)
    return null
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    return `is not a valid RE2 regular expression: ${error.error}`
  }
}

/** The pattern that matches this text and no other. */
export const quoteForRe2 = (text: string): string => RE2JS.quote(text)
