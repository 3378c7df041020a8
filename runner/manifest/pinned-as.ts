/**
 * Compiles a `pinned_as`: the pattern that a token's pin becomes where its parameter is a regular expression. Its language is
 * so small that a look at the pieces beside {pin} proves that a pin never matches the text of another value.
 */
import type { PinnedPattern } from '../model/param.js'
import { quoteForRe2, re2Problem } from '../model/re2.js'

/** One of these characters: once, or as `?`, `*` or `+` say. */
interface Piece {
  readonly characters: ReadonlySet<string>
  readonly isOptional: boolean
  readonly isRepeated: boolean
}

interface PinPattern {
  /** The texts before and after {pin}. */
  readonly prefix: string
  readonly suffix: string
  /** The pieces after {pin}, without the end. */
  readonly after: readonly Piece[]
  /** The characters that may follow instead of the end of the text; null where the pattern does not end with `$`. */
  readonly end: ReadonlySet<string> | null
}

const PIN = '{pin}'
const ESCAPED = '\\\\[!-/:-@[-`{-~]'
const CLASS = `\\[((?:${ESCAPED}|[^\\\\[\\]^])+)\\]`
const PIECE = new RegExp(`(?:(${ESCAPED}|[^\\\\.+*?()|[\\]{}^$])|${CLASS})([?+*]?)`, 'suy')
const END = new RegExp(`(?:\\$|\\(${CLASS}\\|\\$\\))$`, 'suy')

/** The rest of a sentence that says what is wrong with the pattern; null where it compiles. */
export function pinnedAsMistake(text: string): string | null {
  const pattern = readPinnedAs(text)
  return typeof pattern === 'string' ? pattern : null
}

/** Compiles a pattern. A pattern with a mistake has no text for any pin. */
export function compilePinnedAs(source: string): PinnedPattern {
  const pattern = readPinnedAs(source)
  return Object.freeze({
    source,
    textFor(pin: string): string | null {
      if (typeof pattern === 'string' || pin === '' || pin.includes('\0') || !saysWhereItEnds(pattern, pin)) return null
      return pattern.prefix + quoteForRe2(pin) + pattern.suffix
    },
  })
}

/** The pattern, or its mistake. */
function readPinnedAs(text: string): PinPattern | string {
  const at = text.indexOf(PIN)
  if (at < 0) return `holds no ${PIN}, which is where the pinned value goes`
  const [prefix, suffix] = [text.slice(0, at), text.slice(at + PIN.length)]
  if (suffix.includes(PIN)) return `holds ${PIN} twice`
  if (!text.startsWith('^')) return 'does not begin with ^, so a pin would reach every text that mentions its value'
  const before = readPieces(prefix.slice(1), false)
  const after = readPieces(suffix, true)
  if (typeof before === 'string') return before
  if (typeof after === 'string') return after
  if (!before.pieces.every(isClear)) {
    return `does not say where a value begins: before ${PIN}, what follows ?, * or + must be a character that they do not repeat`
  }
  const pattern = { prefix, suffix, after: after.pieces, end: after.end }
  if (!saysWhereItEnds(pattern, '') || [...edgeOf(pattern)].some(isPlain)) {
    return `does not say where a value ends; put after ${PIN} something that no value holds, such as \\. or / or $`
  }
  return re2Problem(`${prefix}x${suffix}`) ?? pattern
}

/** Whether there is one way only to match this piece, so that the text before {pin} ends at one place. */
function isClear({ isOptional, isRepeated, characters }: Piece, index: number, pieces: readonly Piece[]): boolean {
  const next = pieces[index + 1]
  if (!isOptional && !isRepeated) return true
  return next !== undefined && !next.isOptional && !meet(next.characters, characters)
}

/** Whether every value may have this character: a letter, a digit, `_`, `-` or a character outside ASCII. */
const isPlain = (character: string): boolean => /[\w-]|[^\0-\x7f]/u.test(character)

/** The characters directly after a value, besides the end of the text. */
const edgeOf = ({ after, end }: PinPattern): ReadonlySet<string> => after[0]?.characters ?? end ?? new Set()

/**
 * Whether a value with the characters of this pin can end at one place only. That is so if the pin does not have the character
 * after {pin}. It is also so if each text has that character a fixed number of times between {pin} and its end: a longer value
 * would leave too few of them.
 */
function saysWhereItEnds(pattern: PinPattern, pin: string): boolean {
  const { after, end } = pattern
  const [first] = after
  if (first?.isOptional || (!first && !end)) return false
  const pinCharacters = new Set(pin)
  if (!meet(edgeOf(pattern), pinCharacters)) return true
  if (!first || first.characters.size > 1 || !end || meet(end, pinCharacters) || [...end].some(isPlain)) return false
  const isCounted = (piece: Piece): boolean =>
    !meet(piece.characters, first.characters) || (piece.characters.size === 1 && !piece.isOptional && !piece.isRepeated)
  return after.every(piece => isCounted(piece) && !meet(piece.characters, end))
}

const meet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => [...a].some(character => b.has(character))

/** Reads pieces; those of `( … )?` count as optional. Only the text after {pin} has groups and an end. */
function readPieces(text: string, isAfter: boolean): (Pick<PinPattern, 'end'> & { pieces: Piece[] }) | string {
  const pieces: Piece[] = []
  let isInGroup = false
  for (let at = 0; at < text.length; ) {
    const end = isAfter && !isInGroup ? matchAt(END, text, at) : null
    if (end) return { pieces, end: charactersOf(end[1] ?? '') }
    const group = isAfter ? matchAt(isInGroup ? /\)\?/y : /\((?:\?:)?/y, text, at) : null
    const piece = group ? null : matchAt(PIECE, text, at)
    if (!group && !piece) {
      return `holds ${text.slice(at, at + 8)}, which is not allowed here; there may be characters, classes such as [a-z0-9-], ?, * or + behind them, and behind ${PIN} ( … )? and, last, $ or ([/?#]|$)`
    }
    if (group) isInGroup = !isInGroup
    if (piece) {
      const [, character, members, sign = ''] = piece
      const isOptional = isInGroup || sign === '?' || sign === '*'
      pieces.push({ characters: charactersOf(character ?? members!), isOptional, isRepeated: /[*+]/.test(sign) })
    }
    at += (group ?? piece)![0].length
  }
  return isInGroup ? 'has a ( without its )?' : { pieces, end: null }
}

/** The characters of a class without its brackets, or one character; some are escaped with `\`. */
function charactersOf(source: string): ReadonlySet<string> {
  const characters = new Set<string>()
  for (const [, from, to] of source.matchAll(/\\?(.)(?:-\\?(.))?/gsu)) {
    characters.add(from!)
    for (let code = from!.codePointAt(0)!; to !== undefined && code <= to.codePointAt(0)!; code++) {
      characters.add(String.fromCodePoint(code))
    }
  }
  return characters
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}
