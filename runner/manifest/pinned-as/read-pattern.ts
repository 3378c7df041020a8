/**
 * Parses a `pinned_as`: a regular expression with one {pin}. It accepts the part of RE2's syntax that means the same in every
 * RE2 and in which no text before {pin} can change the meaning of a quoted value (flags, open quotations, half an escape).
 */
import { ANY, type CodeRange, complement, normalized } from './code-ranges.js'

const PIN = '{pin}'

/** The syntax tree of a regular expression. */
export type Pattern =
  | { readonly kind: 'characters'; readonly of: readonly CodeRange[] }
  | { readonly kind: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly options: readonly Pattern[] }
  /** A repetition; `most` is null where it is unbounded. */
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly least: number; readonly most: number | null }
  /** The anchors: beginning and end of the text. */
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }

export interface PatternAroundPin {
  readonly before: Pattern
  readonly after: Pattern
  /** The source texts of both parts. */
  readonly prefix: string
  readonly suffix: string
}

/** The patterns before and after {pin}, or the rest of a sentence that says what is wrong: `holds {pin} twice`. */
export function readPinnedAs(text: string): PatternAroundPin | { readonly mistake: string } {
  const reader = new PatternReader(text)
  const around = reader.read()
  if (reader.mistake !== null) return { mistake: reader.mistake }
  return around ?? { mistake: `holds no ${PIN}, which is where the pinned value goes` }
}

/** RE2's limit for the count of a repetition. */
const MAX_REPEAT = 1000
const MAX_DEPTH = 50

const DIGIT: readonly CodeRange[] = [[0x30, 0x39]]
const WORD: readonly CodeRange[] = normalized([...DIGIT, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]])
const SPACE: readonly CodeRange[] = normalized([
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
])
const CLASSES: Readonly<Record<string, readonly CodeRange[]>> = {
  d: DIGIT,
  D: complement(DIGIT),
  s: SPACE,
  S: complement(SPACE),
  w: WORD,
  W: complement(WORD),
}
const CONTROLS: Readonly<Record<string, number>> = { a: 7, t: 9, n: 10, v: 11, f: 12, r: 13 }

const one = (code: number): Pattern => ({ kind: 'characters', of: [[code, code]] })

/** The only code point of the set; null where it has none or several. */
function soleCode(ranges: readonly CodeRange[]): number | null {
  const [first] = ranges
  return ranges.length === 1 && first && first[0] === first[1] ? first[0] : null
}

class PatternReader {
  mistake: string | null = null
  readonly #text: string
  #at = 0
  #depth = 0
  #pinAt = -1
  /** The pattern before {pin}, at the outermost level. */
  #before: Pattern | null = null

  constructor(text: string) {
    this.#text = text
  }

  /** Parses the pattern; null where it has no {pin}. */
  read(): PatternAroundPin | null {
    const after = this.#sequence()
    if (this.#peek() === ')') this.#fail('is not a regular expression: there is a ) without its (')
    if (this.#peek() === '|')
      this.#fail('has a | outside of a group, and one of its sides would match without the pinned value')
    if (this.#before === null) return null
    const [prefix, suffix] = [this.#text.slice(0, this.#pinAt), this.#text.slice(this.#pinAt + PIN.length)]
    return { before: this.#before, after, prefix, suffix }
  }

  #peek(): string | undefined {
    return this.mistake === null ? this.#text[this.#at] : undefined
  }

  #fail(mistake: string): void {
    this.mistake ??= mistake
  }

  /** Parses a sequence. At the outermost level the result is the part after {pin}, if the sequence has one. */
  #sequence(): Pattern {
    let parts: Pattern[] = []
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek()) {
      if (this.#text.startsWith(PIN, this.#at)) {
        this.#pin(parts)
        parts = []
      } else if (/[*+?]/.test(next)) this.#fail(`is not a regular expression: there is nothing for ${next} to repeat`)
      else parts.push(this.#repeated(this.#atom(next)))
    }
    return { kind: 'sequence', parts }
  }

  #pin(parts: readonly Pattern[]): void {
    if (this.#depth > 0) this.#fail(`has ${PIN} in a group; it must stand outside of all`)
    if (this.#before !== null) this.#fail(`holds ${PIN} twice`)
    this.#before = { kind: 'sequence', parts }
    this.#pinAt = this.#at
    this.#at += PIN.length
    if (/^(?:[*+?]|\{\d)/.test(this.#text.slice(this.#at))) this.#fail(`repeats ${PIN}, which would change the value`)
  }

  #choice(): Pattern {
    const options = [this.#sequence()]
    while (this.#peek() === '|') {
      this.#at++
      options.push(this.#sequence())
    }
    return options.length === 1 ? options[0]! : { kind: 'choice', options }
  }

  #repeated(part: Pattern): Pattern {
    const found = /^(?:([*+?])|\{(\d{1,4})(,?)(\d{0,4})\})\??/.exec(this.#text.slice(this.#at))
    if (found === null || this.mistake !== null) return part
    if (part.kind === 'start' || part.kind === 'end') this.#fail('repeats ^ or $')
    this.#at += found[0].length
    if (/^(?:[*+?]|\{\d)/.test(this.#text.slice(this.#at)))
      this.#fail('is not a regular expression: it repeats a repetition')
    const [, sign, from, comma, to] = found
    if (sign !== undefined) return { kind: 'repeat', part, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : null }
    const least = Number(from)
    const most = to !== '' ? Number(to) : comma === ',' ? null : least
    if (least > MAX_REPEAT || (most ?? 0) > MAX_REPEAT) this.#fail(`repeats something more than ${MAX_REPEAT} times`)
    if (most !== null && most < least) this.#fail(`is not a regular expression: ${found[0]} ends before it begins`)
    return { kind: 'repeat', part, least, most }
  }

  #atom(next: string): Pattern {
    if (next === '(') return this.#group()
    if (next === '[') return this.#class()
    if (next === '\\') return this.#escape()
    if (next === '{') this.#fail(`holds a { that begins neither ${PIN} nor a repetition; write \\{`)
    const code = this.#text.codePointAt(this.#at)!
    this.#at += code > 0xffff ? 2 : 1
    if (next === '^') return { kind: 'start' }
    if (next === '$') return { kind: 'end' }
    return next === '.' ? { kind: 'characters', of: ANY } : one(code)
  }

  #group(): Pattern {
    if (this.#text.startsWith('(?', this.#at) && !this.#text.startsWith('(?:', this.#at)) {
      this.#fail('holds a group that begins with (?, such as flags; only ( and (?: are allowed')
    }
    this.#at += this.#text.startsWith('(?:', this.#at) ? 3 : 1
    if (++this.#depth > MAX_DEPTH) this.#fail('nests groups too deeply')
    const inner = this.#choice()
    this.#depth--
    if (this.#peek() === ')') this.#at++
    else this.#fail('is not a regular expression: there is a ( without its )')
    return inner
  }

  #escape(): Pattern {
    return this.#anchor() ?? { kind: 'characters', of: this.#escaped() }
  }

  #anchor(): Pattern | null {
    const kind = this.#text[this.#at + 1]
    if (kind !== 'A' && kind !== 'z') return null
    this.#at += 2
    return { kind: kind === 'A' ? 'start' : 'end' }
  }

  /** The characters that an escape stands for, inside or outside a class. */
  #escaped(): readonly CodeRange[] {
    const rest = this.#text.slice(this.#at)
    const hex = /^\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/.exec(rest)
    const kind = rest[1] ?? ''
    this.#at += hex?.[0].length ?? 2
    if (hex !== null) {
      const code = Number.parseInt(hex[1] ?? hex[2]!, 16)
      if (code > 0x10ffff) this.#fail(`is not a regular expression: ${hex[0]} is not a character`)
      return [[code, code]]
    }
    if (Object.hasOwn(CLASSES, kind)) return CLASSES[kind]!
    if (Object.hasOwn(CONTROLS, kind)) return [[CONTROLS[kind]!, CONTROLS[kind]!]]
    if (/^[!-/:-@[-^`{-~ ]$/.test(kind)) return [[kind.charCodeAt(0), kind.charCodeAt(0)]]
    this.#fail(
      kind === '' ? 'is not a regular expression: it ends with \\' : `holds \\${kind}, which is not allowed here`,
    )
    return []
  }

  #class(): Pattern {
    this.#at++
    const isNegated = this.#peek() === '^'
    if (isNegated) this.#at++
    const ranges: CodeRange[] = []
    for (let isFirst = true; isFirst || this.#peek() !== ']'; isFirst = false) {
      if (this.#peek() === undefined) {
        this.#fail('is not a regular expression: there is a [ without its ]')
        return { kind: 'characters', of: [] }
      }
      if (this.#text.startsWith('[:', this.#at)) this.#fail('holds a class such as [:alpha:]; write a range')
      if (this.#text.startsWith(PIN, this.#at)) this.#fail(`has ${PIN} in a class, where it means its letters`)
      ranges.push(...this.#range())
    }
    this.#at++
    const of = normalized(ranges)
    return { kind: 'characters', of: isNegated ? complement(of) : of }
  }

  /** Parses a member of a class: a character, an escape, or a range. */
  #range(): readonly CodeRange[] {
    const from = this.#member()
    if (this.#text[this.#at] !== '-' || this.#text[this.#at + 1] === ']') return from
    this.#at++
    const to = this.#member()
    const [least, most] = [soleCode(from), soleCode(to)]
    if (least === null || most === null || most < least) {
      this.#fail('is not a regular expression: a range in a class must go from a character up to another')
    }
    return [[least ?? 0, most ?? 0]]
  }

  #member(): readonly CodeRange[] {
    if (this.#peek() === '\\') return this.#escaped()
    const code = this.#text.codePointAt(this.#at) ?? 0
    this.#at += code > 0xffff ? 2 : 1
    return [[code, code]]
  }
}
