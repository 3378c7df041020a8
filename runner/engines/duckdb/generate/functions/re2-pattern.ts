/**
 * What can be told of an RE2 pattern by reading it, without running it: its groups, whether it may match nothing, and
 * most of its mistakes. A hand-written reader, so that no pattern of a caller's ever becomes a JavaScript RegExp.
 * Source of the syntax: RE2's own page of it.
 */

export interface PatternFacts {
  /** Capturing groups. */
  readonly groups: number
  /** False only where it is certain that every match has a character. */
  readonly mayMatchEmpty: boolean
  /** In RE2's words; null where none was found, which does not mean that RE2 will find none. */
  readonly error: string | null
  /**
   * Three parts of a pattern with one capturing group that stands on its own at the outermost level: what is before it,
   * the group, what follows. `flags` is the flag group that begins the pattern, or nothing. Null for other patterns.
   */
  readonly parts: {
    readonly flags: string
    readonly before: string
    readonly group: string
    readonly after: string
  } | null
  /** The pattern, with an `\E` where a quotation is left open. */
  readonly closed: string
}

const MAX_DEPTH = 1000

/** What the functions that extract say of a pattern with several groups. */
export const MORE_THAN_ONE_GROUP =
  'Regular expressions passed into extraction functions must not have more than 1 capturing group'

export function readPattern(pattern: string): PatternFacts {
  const reader = new PatternReader(pattern)
  const mayMatchEmpty = reader.read()
  return {
    groups: reader.groups,
    mayMatchEmpty,
    error: reader.error,
    parts: reader.error === null ? reader.parts() : null,
    closed: reader.isQuoteOpen ? `${pattern}\\E` : pattern,
  }
}

class PatternReader {
  groups = 0
  error: string | null = null
  isQuoteOpen = false
  readonly #pattern: string
  #at = 0
  #hasTopAlternation = false
  #leadingFlagsEnd = 0
  #hasInnerFlags = false
  #lone: { start: number; end: number } | null = null

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  read(): boolean {
    const mayMatchEmpty = this.#alternation(0)
    if (this.error === null && this.#at < this.#pattern.length) this.#fail(`unexpected ): ${this.#pattern}`)
    return mayMatchEmpty
  }

  parts(): PatternFacts['parts'] {
    const lone = this.#lone
    if (this.groups !== 1 || !lone || this.#hasTopAlternation || this.#hasInnerFlags || this.isQuoteOpen) return null
    const flags = this.#pattern.slice(0, this.#leadingFlagsEnd)
    return {
      flags,
      before: this.#pattern.slice(this.#leadingFlagsEnd, lone.start),
      group: this.#pattern.slice(lone.start, lone.end),
      after: this.#pattern.slice(lone.end),
    }
  }

  #fail(message: string): void {
    this.error ??= message
    this.#at = this.#pattern.length
  }

  #alternation(depth: number): boolean {
    if (depth > MAX_DEPTH) this.#fail('expression nests too deeply')
    let mayMatchEmpty = false
    for (;;) {
      mayMatchEmpty = this.#sequence(depth) || mayMatchEmpty
      if (this.#pattern[this.#at] !== '|') return mayMatchEmpty
      if (depth === 0) this.#hasTopAlternation = true
      this.#at++
    }
  }

  #sequence(depth: number): boolean {
    let mayMatchEmpty = true
    while (this.#at < this.#pattern.length) {
      const next = this.#pattern[this.#at]!
      if (next === '|' || next === ')') break
      if (next === '*' || next === '+' || next === '?') {
        this.#fail(`no argument for repetition operator: ${next}`)
        break
      }
      const start = this.#at
      const groupsBefore = this.groups
      const isAtomEmpty = this.#atom(depth)
      const end = this.#at
      const isOptional = this.#quantifiers()
      if (depth === 0 && this.groups === groupsBefore + 1 && this.#isCapture(start)) {
        this.#lone = this.#at === end ? { start, end } : null
      }
      mayMatchEmpty = mayMatchEmpty && (isAtomEmpty || isOptional)
    }
    return mayMatchEmpty
  }

  #isCapture(start: number): boolean {
    return this.#pattern[start] === '(' && (this.#pattern[start + 1] !== '?' || this.#pattern[start + 2] === 'P')
  }

  /** Passes over the quantifiers of an atom; whether they let it be left out. */
  #quantifiers(): boolean {
    let isOptional = false
    for (;;) {
      const next = this.#pattern[this.#at]
      if (next === '*' || next === '?') isOptional = true
      else if (next === '{') {
        const repeat = /^\{(\d+)(?:,(\d*))?\}/.exec(this.#pattern.slice(this.#at, this.#at + 16))
        if (!repeat) return isOptional
        if (Number(repeat[1]) === 0) isOptional = true
        this.#at += repeat[0].length - 1
      } else if (next !== '+') return isOptional
      this.#at++
      if (this.#pattern[this.#at] === '?') this.#at++
    }
  }

  #atom(depth: number): boolean {
    const next = this.#pattern[this.#at]!
    if (next === '(') return this.#group(depth)
    if (next === '[') return this.#class()
    if (next === '\\') return this.#escape()
    this.#at += next >= '\ud800' && next < '\udc00' ? 2 : 1
    return next === '^' || next === '$'
  }

  #group(depth: number): boolean {
    const start = this.#at
    const opening = /^\((?:\?P<\w+>|\?[imsU-]*[:)]|(?!\?))/.exec(this.#pattern.slice(start, start + 256))?.[0]
    if (opening === undefined) {
      this.#fail(`invalid perl operator: ${this.#pattern.slice(start, start + 3)}`)
      return true
    }
    this.#at += opening.length
    if (opening.startsWith('(?') && opening.endsWith(')')) {
      if (start === this.#leadingFlagsEnd && depth === 0) this.#leadingFlagsEnd = this.#at
      else this.#hasInnerFlags = true
      return true
    }
    if (opening === '(' || opening.startsWith('(?P')) this.groups++
    const mayMatchEmpty = this.#alternation(depth + 1)
    if (this.#pattern[this.#at] === ')') this.#at++
    else this.#fail(`missing ): ${this.#pattern}`)
    return mayMatchEmpty
  }

  #class(): boolean {
    const start = this.#at++
    if (this.#pattern[this.#at] === '^') this.#at++
    if (this.#pattern[this.#at] === ']') this.#at++
    for (;;) {
      const next = this.#pattern[this.#at]
      if (next === undefined) {
        this.#fail(`missing ]: ${this.#pattern.slice(start)}`)
        return false
      }
      if (next === ']') {
        this.#at++
        return false
      }
      if (next === '[' && this.#pattern[this.#at + 1] === ':') {
        const end = this.#pattern.indexOf(':]', this.#at + 2)
        this.#at = end < 0 ? this.#at + 1 : end + 2
      } else this.#at += next === '\\' ? 2 : 1
    }
  }

  #escape(): boolean {
    const kind = this.#pattern[this.#at + 1]
    if (kind === undefined) {
      this.#fail('trailing \\')
      return true
    }
    if (kind === 'Q') {
      const end = this.#pattern.indexOf('\\E', this.#at + 2)
      const isEmpty = (end < 0 ? this.#pattern.length : end) === this.#at + 2
      this.isQuoteOpen = end < 0
      this.#at = end < 0 ? this.#pattern.length : end + 2
      return isEmpty
    }
    const braced = /^\\[pPx]\{[^}]*\}/.exec(this.#pattern.slice(this.#at, this.#at + 64))
    this.#at += braced ? braced[0].length : kind >= '\ud800' && kind < '\udc00' ? 3 : 2
    return kind === 'b' || kind === 'B' || kind === 'A' || kind === 'z' || kind === 'E'
  }
}

/** What is wrong with the replacement of REGEXP_REPLACE, in RE2's words, or null. */
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
 * The pattern with what is passed over in front of it as group 1 and its own match as group 2; its groups follow. From
 * the lengths of the two in every match, the places of the matches are known.
 */
export const withPrefix = (facts: PatternFacts): string => `(?s-U:(.*?))(${facts.closed})`

/** The same for a pattern of one group that stands on its own: group 3 is what is before it within the match, group 4 itself. */
export function withPlacedGroup(parts: NonNullable<PatternFacts['parts']>): string {
  return `${parts.flags}(?s-U:(.*?))((${parts.before})${parts.group}${parts.after})`
}
