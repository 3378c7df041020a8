/** RE2's regular expressions in this process: matching takes time linear in the text, whatever the pattern and the text are. */
import { RE2JS, RE2JSSyntaxException } from 're2js'
import { patternSize } from '../../googlesql/data.js'
import { BoundedMap, memo } from './bounded-map.js'

/** The most characters that the counted repetitions and the classes of Unicode of a pattern may add to its text. */
const MAX_ADDED = 1_000
/** The size of a class of Unicode, which is a list of ranges here. */
export const UNICODE_CLASS = 20
/** A pattern that disregards case somewhere: RE2 then looks up each character of its ranges, and 50 of them count as one piece. */
const DISREGARDS_CASE = /\(\?[a-zA-Z]*i/
const LOOKUPS_PER_PIECE = 50
/** The characters that each further pattern of a list counts for, whatever its text is. */
const PIECES_OF_PATTERN = 10

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
const checkResults = new BoundedMap<string, string | null>(1_000)

/** Why a text is not a regular expression that may be used; the rest of a sentence. Null where it is. */
export const re2Problem = (text: string): string | null => memo(checkResults, text, findProblem)

/** Why these patterns are too large, together, to be compiled; the rest of a sentence. Null where they are not. */
export function sizeProblem(texts: readonly string[]): string | null {
  let added = (texts.length - 1) * PIECES_OF_PATTERN
  for (const text of texts) {
    const { pieces, ranged } = patternSize(text, UNICODE_CLASS)
    added += pieces - text.length + (DISREGARDS_CASE.test(text) ? ranged / LOOKUPS_PER_PIECE : 0)
  }
  // The size is NaN where no number can hold it. Such a pattern is too large as well.
  if (added <= MAX_ADDED) return null
  return `is too large: its repetitions and classes may stand for at most ${MAX_ADDED} characters`
}

function findProblem(text: string): string | null {
  const tooLarge = sizeProblem([text])
  if (tooLarge !== null) return tooLarge
  const { hasAngleName } = patternSize(text, UNICODE_CLASS)
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
