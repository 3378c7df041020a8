/**
 * Where the capturing group of a pattern has matched. DuckDB gives the texts of groups and not their places, so the pattern
 * is rewritten with groups around what stands before that one: the lengths of their texts add up to its place.
 */
import { type Alternatives, type PatternFacts, type Piece, withPrefix } from './re2-pattern.js'

export interface PlacedPattern {
  /** As `withPrefix`, with more groups. */
  readonly text: string
  /** Its group that is the pattern's own, or whose text is the whole match where the pattern has none. */
  readonly group: number
  /**
   * Groups whose lengths, added to that of the prefix, make the place of `group`; those with a minus are taken off. Null where
   * lengths do not tell the place: RE2 keeps what a group has captured in an earlier turn of a repetition around it, if the last
   * turn passes it over.
   */
  readonly lengths: readonly number[] | null
}

/** Of a pattern with at most one capturing group. */
export function placedPattern(facts: PatternFacts): PlacedPattern {
  if (facts.groups === 0) return { text: withPrefix(facts), group: WHOLE, lengths: [] }
  const writer = new Writer(facts.closed)
  const placed = writer.alternatives(facts.alternatives, 0, facts.closed.length)
  if (writer.isUncertain) return { text: withPrefix(facts), group: WHOLE + 1, lengths: null }
  return { text: `(?s-U:(.*?))(${placed})`, group: writer.group, lengths: writer.lengths }
}

/** The group of the whole match in a pattern `withPrefix`. */
const WHOLE = 2

class Writer {
  readonly lengths: number[] = []
  group = 0
  isUncertain = false
  readonly #pattern: string
  #last = WHOLE
  /** Inside of a repetition. */
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
    const before = this.#grouped(pieces.slice(0, at))
    return `${this.#pattern.slice(start, first)}${before}${this.#holder(piece)}${this.#pattern.slice(piece.end, end)}`
  }

  /** Flags would reach no further than a group around them, so they stay outside. */
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

  /** The last turn of a repetition ends where the repetition does. */
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
