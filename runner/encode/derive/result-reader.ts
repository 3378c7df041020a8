/** Reads a stored result, `{"result":[{…},…]}`, row by row and cell by cell, from its bytes. */
import { JsonTextError } from '../json-bytes.js'
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  JsonReader,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from '../json-reader.js'
import { ByteWriter } from './byte-writer.js'

const SPACE = 0x20
const LETTER_U = 0x75
/** Longer strings are searched by V8. */
const SHORT = 64

/**
 * The members of an object are read by position: a STRUCT's fields may have equal names, or none. Every step throws
 * JsonTextError where the text has another form.
 */
export class ResultReader extends JsonReader {
  readonly bytes: Buffer
  /** Where the text of the last `readString` is: bytes `sourceStart` to `sourceEnd` of `source`, without escapes. */
  source: Buffer
  sourceStart = 0
  sourceEnd = 0
  readonly #unescaped = new ByteWriter(0)
  #isFirst = true

  /** Reads up to the first row. */
  constructor(json: Uint8Array) {
    const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
    super(bytes)
    this.bytes = bytes
    this.source = bytes
    this.expect(OPEN_OBJECT)
    this.skipName()
    this.expect(OPEN_LIST)
  }

  /** Whether a row is next; its object then is. After the last row, reads to the end. */
  hasRow(): boolean {
    if (this.take(CLOSE_LIST)) {
      this.expect(CLOSE_OBJECT)
      this.expectEnd()
      return false
    }
    if (!this.#isFirst) this.expect(COMMA)
    this.#isFirst = false
    return true
  }

  /** Goes to the value of an object's member, the first of which has the index 0. */
  toMember(index: number): void {
    this.expect(index === 0 ? OPEN_OBJECT : COMMA)
    this.skipName()
  }

  /** Goes past the end of an object with this many members. */
  closeObject(memberCount: number): void {
    if (memberCount === 0) this.expect(OPEN_OBJECT)
    this.expect(CLOSE_OBJECT)
  }

  /** Goes past a member's name and its colon. */
  skipName(): void {
    this.expect(QUOTE)
    this.at = this.#stringEnd(this.at) + 1
    this.expect(COLON)
  }

  /** The end offset of a number, true, false or the text of a string that begins at `at`. */
  readWord(): number {
    const { bytes } = this
    if (this.next() === QUOTE) {
      this.at += 1
      return this.#stringEnd(this.at)
    }
    let end = this.at
    for (; end < this.size; end++) {
      const byte = bytes[end]!
      if (byte <= SPACE || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST) break
    }
    if (end === this.at) throw new JsonTextError(`a value is missing at byte ${end + 1}`)
    return end
  }

  /** Skips what `readWord` has read, and its closing quote. */
  endWord(end: number): void {
    this.at = this.bytes[end] === QUOTE ? end + 1 : end
  }

  /** Reads a string: its text is in `source` from then on until the next string is read. */
  readString(): void {
    this.expect(QUOTE)
    const { bytes, at } = this
    let end = at
    const short = Math.min(this.size, at + SHORT)
    for (; end < short; end++) {
      const byte = bytes[end]!
      if (byte === QUOTE || byte === BACKSLASH) break
    }
    if (end === short) end = this.#longPlainEnd(end)
    if (bytes[end] === QUOTE) {
      this.source = bytes
      this.sourceStart = at
      this.sourceEnd = end
      this.at = end + 1
    } else {
      this.#unescape(at, end)
    }
  }

  /** The next quote or backslash. */
  #longPlainEnd(from: number): number {
    const quote = this.bytes.indexOf(QUOTE, from)
    if (quote < 0) throw new JsonTextError('a string has no end')
    const backslash = this.bytes.subarray(from, quote).indexOf(BACKSLASH)
    return backslash < 0 ? quote : from + backslash
  }

  /** The closing quote of a string whose text begins at `from`. */
  #stringEnd(from: number): number {
    const { bytes, size } = this
    for (let at = from; at < size; at++) {
      const byte = bytes[at]!
      if (byte === QUOTE) return at
      if (byte === BACKSLASH) at += 1
    }
    throw new JsonTextError('a string has no end')
  }

  /** The string that begins at `start`, whose first backslash is at `backslash`. */
  #unescape(start: number, backslash: number): void {
    const { bytes } = this
    const out = this.#unescaped
    out.length = 0
    out.range(bytes, start, backslash)
    let at = backslash
    for (;;) {
      const letter = bytes[at + 1]
      if (letter === LETTER_U) {
        at = this.#unescapeUnicode(at)
      } else {
        const meant = letter === undefined ? undefined : MEANT[letter]
        if (meant === undefined) throw new JsonTextError(`a string holds an unknown escape at byte ${at + 1}`)
        out.byte(meant)
        at += 2
      }
      const next = this.#longPlainEnd(at)
      out.range(bytes, at, next)
      at = next
      if (bytes[at] === QUOTE) break
    }
    this.at = at + 1
    this.source = out.bytes
    this.sourceStart = 0
    this.sourceEnd = out.length
  }

  /** The escapes `\u0041` in a row from there, as surrogates may be pairs; lone ones become U+FFFD, as UTF-8 has none. */
  #unescapeUnicode(start: number): number {
    const { bytes } = this
    let text = ''
    let at = start
    while (bytes[at] === BACKSLASH && bytes[at + 1] === LETTER_U) {
      const digits = bytes.toString('latin1', at + 2, at + 6)
      if (!/^[\da-f]{4}$/i.test(digits)) throw new JsonTextError(`a string holds a bad escape at byte ${at + 1}`)
      text += String.fromCharCode(Number.parseInt(digits, 16))
      at += 6
    }
    this.#unescaped.text(text)
    return at
  }
}

/** What the letters after a backslash mean, by their code. */
const MEANT: readonly (number | undefined)[] = (() => {
  const meant: (number | undefined)[] = []
  for (const [letter, text] of [
    ['"', '"'],
    ['\\', '\\'],
    ['/', '/'],
    ['b', '\b'],
    ['f', '\f'],
    ['n', '\n'],
    ['r', '\r'],
    ['t', '\t'],
  ] as const) {
    meant[letter.charCodeAt(0)] = text.charCodeAt(0)
  }
  return meant
})()
