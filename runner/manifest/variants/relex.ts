/** Cuts a text into tokens that is much like another one, as the variants of a manifest are: what is the same is not read again. */
import { endOf, readToken, refuseStrange, skipBlank, type Token } from '../../../googlesql/index.js'

export interface TokenizedText {
  readonly source: string
  readonly tokens: readonly Token[]
}

/** How far behind its end the reading of a token looks; rounded up. */
const LOOK_AHEAD = 4
/** How many tokens before it the reading of a token looks at. */
const LOOK_BACK = 2

/**
 * What `tokenize` makes of `source`.
 *
 * @throws SqlError as `tokenize` does
 */
export function tokenizeAlike(source: string, other: TokenizedText): readonly Token[] {
  refuseStrange(source)
  return new Reading(source, other).tokens()
}

/** Goes through both texts, from one piece that they share to the next. */
class Reading {
  readonly #source: string
  readonly #other: TokenizedText
  readonly #tokens: Token[] = []
  /** Behind the last token. */
  #end = 0
  /** The other's token that comes next, should this text go on as that one does. */
  #next = 0
  /** How much further the last token stands here than there. */
  #shift = 0
  /** Tokens before this place that are as the other's before its next one, each as far from it; from the beginning all are. */
  #same = LOOK_BACK
  /** From here to the end both texts are the same. */
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

  /** Tokens depend on the two before them and on little behind them: as long as the texts are the same, so are they. */
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

  /** Mostly one token stands for another. Where some are here or there alone, the texts meet again at their common tail. */
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

/** The offset in `a` of the first character that differs, from these offsets on. */
function differenceAt(a: string, from: number, b: string, fromB: number): number {
  const length = Math.min(a.length - from, b.length - fromB)
  let i = 0
  while (i < length && a.charCodeAt(from + i) === b.charCodeAt(fromB + i)) i += 1
  return from + i
}

/** The offset in `a` from which on `b` ends as it does. */
function tailOf(a: string, b: string): number {
  const shift = b.length - a.length
  let i = a.length
  while (i > 0 && i + shift > 0 && a.charCodeAt(i - 1) === b.charCodeAt(i - 1 + shift)) i -= 1
  return i
}
