/** Tokenises a text that is similar to one already tokenised, as variants of a manifest are, and reuses the equal parts. */
import { endOf, readToken, refuseStrange, skipBlank, type Token } from '../../../googlesql/index.js'

export interface TokenizedText {
  readonly source: string
  readonly tokens: readonly Token[]
}

/** How many characters after its end can affect a token; rounded up. */
const LOOK_AHEAD = 4
/** How many tokens before it can affect a token. */
const LOOK_BACK = 2

/**
 * The same tokens as `tokenize(source)`.
 *
 * @throws SqlError as `tokenize` does
 */
export function tokenizeAlike(source: string, other: TokenizedText): readonly Token[] {
  refuseStrange(source)
  return new Reading(source, other).tokens()
}

/** Walks both texts from one shared part to the next. */
class Reading {
  readonly #source: string
  readonly #other: TokenizedText
  readonly #tokens: Token[] = []
  /** The offset after the last token. */
  #end = 0
  /** The index of the other text's token that comes next if this text continues in the same way. */
  #next = 0
  /** The offset of the last token here minus its offset there. */
  #shift = 0
  /** The number of tokens before this position that equal those before the other's next token, at the same distances. */
  #same = LOOK_BACK
  /** The offset from which both texts are equal up to their ends. */
  readonly #tail: number

  constructor(source: string, other: TokenizedText) {
    this.#source = source
    this.#other = other
    this.#tail = tailOf(source, other.source)
  }

  tokens(): readonly Token[] {
    for (;;) {
      if (this.#same >= LOOK_BACK) this.#takeShared()
      const at = skipBlank(this.#source, this.#end)
      if (at >= this.#source.length) break
      const token = readToken(this.#source, at, this.#tokens)
      this.#tokens.push(token)
      this.#end = token.end
      this.#findLike(token)
    }
    this.#tokens.push(endOf(this.#source))
    return this.#tokens
  }

  /** Takes over tokens while the texts are equal: a token depends only on the two before it and a few characters after it. */
  #takeShared(): void {
    const { source, tokens } = this.#other
    const shift = this.#shift
    const last = tokens.length - 1
    const until = differenceAt(this.#source, this.#end, source, this.#end - shift)
    const isToEnd = until === this.#source.length && until - shift === source.length
    const limit = isToEnd ? until : until - LOOK_AHEAD
    for (; this.#next < last; this.#next += 1) {
      const token = tokens[this.#next]!
      if (token.end + shift > limit) return
      this.#tokens.push(shift === 0 ? token : moved(token, shift))
      this.#end = token.end + shift
    }
  }

  /**
   * Finds the next shared token: usually one token replaces another; where tokens are missing on one side, the texts meet
   * again at their common tail.
   */
  #findLike(token: Token): void {
    const { source, tokens } = this.#other
    if (token.at >= this.#tail) {
      const offset = token.at + source.length - this.#source.length
      while (this.#next > 0 && tokens[this.#next - 1]!.at >= offset) this.#next -= 1
      while (tokens[this.#next]!.at < offset) this.#next += 1
    }
    const like = tokens[this.#next]!
    const shift = token.at - like.at
    if (token.kind !== like.kind || token.term !== like.term || token.end - like.end !== shift) this.#same = 0
    else this.#same = shift === this.#shift ? this.#same + 1 : 1
    this.#shift = shift
    if (this.#next < tokens.length - 1) this.#next += 1
  }
}

const moved = ({ kind, term, text, bytes, at, end }: Token, shift: number): Token => ({
  kind,
  term,
  text,
  bytes,
  at: at + shift,
  end: end + shift,
})

/** The offset in `a` of the first difference, comparing from these offsets on. */
function differenceAt(a: string, from: number, b: string, fromB: number): number {
  const length = Math.min(a.length - from, b.length - fromB)
  let i = 0
  while (i < length && a.charCodeAt(from + i) === b.charCodeAt(fromB + i)) i += 1
  return from + i
}

/** The offset in `a` where the common tail of both texts begins. */
function tailOf(a: string, b: string): number {
  const shift = b.length - a.length
  let i = a.length
  while (i > 0 && i + shift > 0 && a.charCodeAt(i - 1) === b.charCodeAt(i - 1 + shift)) i -= 1
  return i
}
