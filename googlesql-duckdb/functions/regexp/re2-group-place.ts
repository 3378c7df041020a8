/**
 * Finds where the capturing group of a pattern matched. DuckDB returns the texts of groups, not their positions, so the
 * pattern is rewritten with groups around the parts before that group: the lengths of their texts add up to its position.
 */
import { type Alternatives, type PatternFacts, type Piece, withPrefix } from './re2-pattern.js'

export interface PlacedPattern {
  /** The pattern of `withPrefix`, with further groups. */
  readonly text: string
  /** The number of the pattern's own group, or of the whole match where the pattern has no group. */
  readonly group: number
  /**
   * The groups whose lengths, added to that of the prefix, give the position of `group`; a negative number subtracts the
   * length. Null where lengths do not give the position: when the last iteration of a repetition skips the group, RE2 keeps
   * the text that the group captured in an earlier iteration.
   */
  readonly lengths: readonly number[] | null
}

/** Rewrites a pattern with at most one capturing group. */
export function placedPattern(facts: PatternFacts): PlacedPattern {
  if (facts.groups === 0) return { text: withPrefix(facts), group: WHOLE, lengths: [] }
  const writer = new Writer(facts.closed)
  const placed = writer.alternatives(facts.alternatives, 0, facts.closed.length)
  if (writer.isUncertain) return { text: withPrefix(facts), group: WHOLE + 1, lengths: null }
  return { text: `(?s-U:(.*?))(${placed})`, group: writer.group, lengths: writer.lengths }
}

/** The number of the whole match's group in a `withPrefix` pattern. */
const WHOLE = 2

class Writer {
  readonly lengths: number[] = []
  group = 0
  isUncertain = false
  readonly #pattern: string
  #last = WHOLE
  /** Whether the writer is inside a repetition. */
  #isRepeated = false

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  alternatives(alternatives: Alternatives, start: number, end: number): string {
    const pieces = alternatives.find(sequence => sequence.some(holdsCapture))
    const at = pieces?.findIndex(holdsCapture) ?? -1
    const piece = pieces?.[at]
    if (!pieces || !piece) return this.#pattern.slice(start, end)
    if (this.#isRepeated && (alternatives.length > 1 || piece.mayBeLeftOut)) this.isUncertain = true
    const first = pieces[0]!.start
    const prefix = this.#grouped(pieces.slice(0, at))
    return `${this.#pattern.slice(start, first)}${prefix}${this.#holder(piece)}${this.#pattern.slice(piece.end, end)}`
  }

  /** Puts pieces in groups, except flags: inside a group they would have no effect after it. */
  #grouped(pieces: readonly Piece[]): string {
    let text = ''
    for (let i = 0; i < pieces.length; ) {
      let next = i
      while (next < pieces.length && !pieces[next]!.isFlags) next++
      if (next > i) {
        this.lengths.push(this.#open())
        text += `(${this.#pattern.slice(pieces[i]!.start, pieces[next - 1]!.end)})`
      }
      if (next < pieces.length) text += this.#pattern.slice(pieces[next]!.start, pieces[next]!.end)
      i = next + 1
    }
    return text
  }

  /**
   * The piece that contains the pattern's group. In a repetition, the group matched in the last iteration, which ends where the
   * repetition ends: it starts at the length of the repetition minus that of the iteration.
   */
  #holder(piece: Piece): string {
    const { captures } = piece.group!
    const quantifiers = this.#pattern.slice(piece.atomEnd, piece.end)
    if (!piece.mayRepeat) return `${captures ? this.#capture(piece) : this.#content(piece)}${quantifiers}`
    this.lengths.push(this.#open())
    this.lengths.push(-(this.#last + 1))
    if (captures) return `(${this.#capture(piece)}${quantifiers})`
    this.#open()
    this.#isRepeated = true
    return `((${this.#content(piece)})${quantifiers})`
  }

  #capture(piece: Piece): string {
    this.group = this.#open()
    return this.#pattern.slice(piece.start, piece.atomEnd)
  }

  #content({ start, atomEnd, group }: Piece): string {
    const { contentStart, alternatives } = group!
    return `${this.#pattern.slice(start, contentStart)}${this.alternatives(alternatives, contentStart, atomEnd)}`
  }

  #open(): number {
    this.#last++
    return this.#last
  }
}

const holdsCapture = ({ group }: Piece): boolean =>
  group !== null && (group.captures || group.alternatives.some(sequence => sequence.some(holdsCapture)))
