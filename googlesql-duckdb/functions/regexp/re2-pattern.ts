/**
 * Reads an RE2 pattern without running it: its groups, whether it can match the empty text, and most of its errors. The parser
 * is written by hand, so that a caller's pattern is never compiled as a JavaScript RegExp. Source: the page on RE2's syntax.
 */

export interface PatternFacts {
  /** The number of capturing groups. */
  readonly groups: number
  /** False only where every match certainly has at least one character. */
  readonly mayMatchEmpty: boolean
  /** The error in RE2's words; null where no error was found, although RE2 may still find one. */
  readonly error: string | null
  /** The pattern, with `\E` appended where a `\Q` is not closed. */
  readonly closed: string
  /** The pattern's alternatives, each as a sequence of pieces; meaningless where `error` is not null. */
  readonly alternatives: Alternatives
}

export type Alternatives = readonly (readonly Piece[])[]

/** An atom of a pattern (a character, a class, a group) with its quantifiers. */
export interface Piece {
  /** Indexes into the text `closed`: the start of the atom, its end, and the end of its quantifiers. */
  readonly start: number
  readonly atomEnd: number
  readonly end: number
  /** Whether the piece matches nothing and changes the flags of the pieces after it: `(?i)`. */
  readonly isFlags: boolean
  readonly mayBeLeftOut: boolean
  readonly mayRepeat: boolean
  /** Null for an atom that is not a group. */
  readonly group: {
    readonly captures: boolean
    readonly contentStart: number
    readonly alternatives: Alternatives
  } | null
}

const MAX_DEPTH = 1000

/** BigQuery's error for a pattern with several groups in the functions that extract. */
export const MORE_THAN_ONE_GROUP =
  'Regular expressions passed into extraction functions must not have more than 1 capturing group'

export function readPattern(pattern: string): PatternFacts {
  const reader = new PatternReader(pattern)
  const { mayMatchEmpty, alternatives } = reader.read()
  return {
    groups: reader.groups,
    mayMatchEmpty,
    error: reader.error,
    closed: reader.isQuoteOpen ? `${pattern}\\E` : pattern,
    alternatives,
  }
}

interface Read {
  readonly mayMatchEmpty: boolean
  readonly alternatives: Alternatives
}

interface ReadAtom {
  readonly mayMatchEmpty: boolean
  readonly isFlags?: boolean
  readonly group?: Piece['group']
}

const EMPTY_ATOM: ReadAtom = { mayMatchEmpty: true }
const FULL_ATOM: ReadAtom = { mayMatchEmpty: false }

class PatternReader {
  groups = 0
  error: string | null = null
  isQuoteOpen = false
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  read(): Read {
    const read = this.#alternation(0)
    if (this.error === null && this.#at < this.#pattern.length) this.#fail(`unexpected ): ${this.#pattern}`)
    return read
  }

  #fail(message: string): void {
    this.error ??= message
    this.#at = this.#pattern.length
  }

  #alternation(depth: number): Read {
    if (depth > MAX_DEPTH) this.#fail('expression nests too deeply')
    const alternatives: (readonly Piece[])[] = []
    let mayMatchEmpty = false
    for (;;) {
      const sequence = this.#sequence(depth)
      alternatives.push(sequence.pieces)
      mayMatchEmpty ||= sequence.mayMatchEmpty
      if (this.#pattern[this.#at] !== '|') return { mayMatchEmpty, alternatives }
      this.#at++
    }
  }

  #sequence(depth: number): { readonly mayMatchEmpty: boolean; readonly pieces: readonly Piece[] } {
    const pieces: Piece[] = []
    let mayMatchEmpty = true
    while (this.#at < this.#pattern.length) {
      const next = this.#pattern[this.#at]!
      if (next === '|' || next === ')') break
      if (next === '*' || next === '+' || next === '?') {
        this.#fail(`no argument for repetition operator: ${next}`)
        break
      }
      const start = this.#at
      const atom = this.#atom(depth)
      const atomEnd = this.#at
      const quantified = this.#quantifiers()
      const { isFlags = false, group = null } = atom
      pieces.push({ start, atomEnd, end: this.#at, isFlags, ...quantified, group })
      mayMatchEmpty &&= atom.mayMatchEmpty || quantified.mayBeLeftOut
    }
    return { mayMatchEmpty, pieces }
  }

  /**
   * Reads the quantifiers of an atom; returns whether they let it be skipped, and whether they let it match more than once.
   */
  #quantifiers(): Pick<Piece, 'mayBeLeftOut' | 'mayRepeat'> {
    let mayBeLeftOut = false
    let mayRepeat = false
    for (;;) {
      const next = this.#pattern[this.#at]
      if (next === '*' || next === '?') mayBeLeftOut = true
      if (next === '*' || next === '+') mayRepeat = true
      if (next === '{') {
        const repeat = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.#pattern.slice(this.#at, this.#at + 16))
        if (!repeat) return { mayBeLeftOut, mayRepeat }
        const [text, least, isRange, most] = repeat
        if (Number(least) === 0) mayBeLeftOut = true
        if (isRange ? most === '' || Number(most) > 1 : Number(least) > 1) mayRepeat = true
        this.#at += text.length - 1
      } else if (next !== '*' && next !== '+' && next !== '?') return { mayBeLeftOut, mayRepeat }
      this.#at++
      if (this.#pattern[this.#at] === '?') this.#at++
    }
  }

  #atom(depth: number): ReadAtom {
    const next = this.#pattern[this.#at]!
    if (next === '(') return this.#group(depth)
    if (next === '[') return this.#class()
    if (next === '\\') return this.#escape()
    this.#at += next >= '\ud800' && next < '\udc00' ? 2 : 1
    return next === '^' || next === '$' ? EMPTY_ATOM : FULL_ATOM
  }

  #group(depth: number): ReadAtom {
    const start = this.#at
    const opening = /^\((?:\?P<\w+>|\?[imsU-]*[:)]|(?!\?))/.exec(this.#pattern.slice(start, start + 256))?.[0]
    if (opening === undefined) {
      this.#fail(`invalid perl operator: ${this.#pattern.slice(start, start + 3)}`)
      return EMPTY_ATOM
    }
    this.#at += opening.length
    if (opening.startsWith('(?') && opening.endsWith(')')) return { mayMatchEmpty: true, isFlags: true }
    const captures = opening === '(' || opening.startsWith('(?P')
    if (captures) this.groups++
    const contentStart = this.#at
    const { mayMatchEmpty, alternatives } = this.#alternation(depth + 1)
    if (this.#pattern[this.#at] === ')') this.#at++
    else this.#fail(`missing ): ${this.#pattern}`)
    return { mayMatchEmpty, group: { captures, contentStart, alternatives } }
  }

  #class(): ReadAtom {
    const start = this.#at++
    if (this.#pattern[this.#at] === '^') this.#at++
    if (this.#pattern[this.#at] === ']') this.#at++
    for (;;) {
      const next = this.#pattern[this.#at]
      if (next === undefined) {
        this.#fail(`missing ]: ${this.#pattern.slice(start)}`)
        return FULL_ATOM
      }
      if (next === ']') {
        this.#at++
        return FULL_ATOM
      }
      if (next === '[' && this.#pattern[this.#at + 1] === ':') {
        const end = this.#pattern.indexOf(':]', this.#at + 2)
        this.#at = end < 0 ? this.#at + 1 : end + 2
      } else this.#at += next === '\\' ? 2 : 1
    }
  }

  #escape(): ReadAtom {
    const kind = this.#pattern[this.#at + 1]
    if (kind === undefined) {
      this.#fail('trailing \\')
      return EMPTY_ATOM
    }
    if (kind === 'Q') {
      const end = this.#pattern.indexOf('\\E', this.#at + 2)
      const isEmpty = (end < 0 ? this.#pattern.length : end) === this.#at + 2
      this.isQuoteOpen = end < 0
      this.#at = end < 0 ? this.#pattern.length : end + 2
      return isEmpty ? EMPTY_ATOM : FULL_ATOM
    }
    const long = LONG_ESCAPE.exec(this.#pattern.slice(this.#at, this.#at + 64))
    this.#at += long ? long[0].length : kind >= '\ud800' && kind < '\udc00' ? 3 : 2
    const isEmpty = kind === 'b' || kind === 'B' || kind === 'A' || kind === 'z' || kind === 'E'
    return isEmpty ? EMPTY_ATOM : FULL_ATOM
  }
}

/** Escapes of more than one character: properties (`\pL`, `\p{Greek}`) and code points in hexadecimal or octal digits. */
const LONG_ESCAPE = /^\\(?:[pP]\{[^}]*\}|[pP][^{]|x\{[^}]*\}|x[0-9A-Fa-f]{2}|0[0-7]{0,2}|[1-7][0-7]{1,2})/u

/** The error in the replacement of REGEXP_REPLACE, in RE2's words; null without an error. */
export function rewriteError(replacement: string, groups: number): string | null {
  let highest = 0
  for (let at = replacement.indexOf('\\'); at >= 0; at = replacement.indexOf('\\', at + 2)) {
    const next = replacement[at + 1]
    if (next === undefined) return "Rewrite schema error: '\\' not allowed at end."
    if (next >= '0' && next <= '9') highest = Math.max(highest, Number(next))
    else if (next !== '\\') return "Rewrite schema error: '\\' must be followed by a digit or '\\'."
  }
  if (highest <= groups) return null
  return `Rewrite schema requests ${highest} matches, but the regexp only has ${groups} parenthesized subexpressions.`
}

/**
 * The pattern with two groups before its own groups: group 1 is the text that is skipped before the match, group 2 is the
 * match. The lengths of these two groups in every match give the positions of the matches.
 */
export const withPrefix = (facts: PatternFacts): string => `(?s-U:(.*?))(${facts.closed})`
