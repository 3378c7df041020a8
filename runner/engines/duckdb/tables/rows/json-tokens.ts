/**
 * Reads JSON's tokens from bytes of UTF-8, and checks them by RFC 8259. They are rows that people write, so a
 * mistake is reported with its place and with what was expected there.
 */
import { BadRowError, shown } from './bad-row.js'

export const COMMA = 0x2c
export const QUOTE = 0x22
export const OPEN_LIST = 0x5b
export const CLOSE_LIST = 0x5d
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d
export const COLON = 0x3a
/** The first byte of `null`. */
export const LETTER_N = 0x6e
export const BACKSLASH = 0x5c
const MINUS = 0x2d
export const NULL = Buffer.from('null')
export const TRUE = Buffer.from('true')
export const FALSE = Buffer.from('false')
const LOWER_U = 0x75
const PLUS = 0x2b
const POINT = 0x2e
const UPPER_E = 0x45
const LOWER_E = 0x65
/** BigQuery's limit on the depth of a JSON value. */
export const MAX_DEPTH = 500

/** A cursor over one row of `bytes`. Each method reads from the offset `at` and moves `at` to the end of what it has read. */
export class JsonTokens {
  bytes: Buffer = Buffer.alloc(0)
  start = 0
  at = 0
  end = 0
  /** Whether the last string contains an escape. */
  #hasEscape = false
  readonly #path: () => string

  /** `path` returns the path of the value that is being read, for errors. */
  constructor(path: () => string) {
    this.#path = path
  }

  /** Starts a row; `end` is the offset after its last byte. */
  open(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes
    this.start = start
    this.at = start
    this.end = end
  }

  /** The next byte that is not white space, or -1 at the end. */
  peek(): number {
    const { bytes, end } = this
    let { at } = this
    while (at < end) {
      const byte = bytes[at]!
      if (!isSpace(byte)) {
        this.at = at
        return byte
      }
      at++
    }
    this.at = at
    return -1
  }

  expect(byte: number): void {
    if (this.peek() !== byte) throw this.unexpected(`"${String.fromCharCode(byte)}"`)
    this.at++
  }

  /** The error for the current value, which is wrong from `at` on. */
  bad(at: number, found: string, expected: string): BadRowError {
    return new BadRowError(at - this.start, this.#path(), found, expected)
  }

  /** The error for a token that JSON does not allow here. */
  unexpected(expected: string): BadRowError {
    if (this.peek() < 0) return this.bad(this.at, 'the end of the row', expected)
    return this.bad(this.at, `"${shown(this.textFrom(this.at, this.end))}"`, expected)
  }

  /** Reads a string, from its opening quote to after its closing quote. */
  string(): void {
    const { bytes, end, at: begin } = this
    let at = begin + 1
    this.#hasEscape = false
    while (at < end) {
      const byte = bytes[at]!
      if (byte === QUOTE) {
        this.at = at + 1
        return
      }
      if (byte === BACKSLASH) {
        this.#hasEscape = true
        at = this.#escape(at)
      } else if (byte < 0x20) {
        const code = byte.toString(16).padStart(4, '0')
        throw this.bad(at, `the byte \\u${code} in a string`, 'it escaped')
      } else at++
    }
    throw this.bad(begin, 'a string without an end', 'a closing quote')
  }

  #escape(at: number): number {
    const { bytes, end } = this
    const letter = at + 1 < end ? bytes[at + 1]! : -1
    if (letter !== LOWER_U) {
      if (letter >= 0 && '"\\/bfnrt'.includes(String.fromCharCode(letter))) return at + 2
      throw this.bad(at, 'an escape that JSON does not have', 'one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u')
    }
    const unit = this.#unit(at)
    if (unit < 0xd800 || unit > 0xdfff) return at + 6
    const next = unit < 0xdc00 && bytes[at + 6] === BACKSLASH && bytes[at + 7] === LOWER_U ? this.#unit(at + 6) : 0
    if (next >= 0xdc00 && next <= 0xdfff) return at + 12
    throw this.bad(at, 'half of a surrogate pair', 'both halves')
  }

  #unit(at: number): number {
    const digits = this.textFrom(at + 2, Math.min(at + 6, this.end))
    if (/^[0-9a-fA-F]{4}$/.test(digits)) return Number.parseInt(digits, 16)
    throw this.bad(at, `"\\u${shown(digits)}"`, 'four hexadecimal digits behind \\u')
  }

  number(): void {
    let at = this.at + 1
    while (at < this.end && isOfNumber(this.bytes[at]!)) at++
    if (!NUMBER.test(this.wholeText(this.at, at))) throw this.unexpected('a JSON value')
    this.at = at
  }

  /** Whether the next bytes are `word`. */
  standsHere(word: Uint8Array): boolean {
    const { bytes, at } = this
    if (at + word.length > this.end) return false
    for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false
    return true
  }

  /** Reads and checks a value of any kind, and skips it. */
  skip(depth = 0): void {
    const byte = this.peek()
    if (byte === QUOTE) {
      this.string()
      return
    }
    if (beginsNumber(byte)) {
      this.number()
      return
    }
    for (const word of [NULL, TRUE, FALSE]) {
      if (this.standsHere(word)) {
        this.at += word.length
        return
      }
    }
    if (byte !== OPEN_OBJECT && byte !== OPEN_LIST) throw this.unexpected('a JSON value')
    if (depth >= MAX_DEPTH) {
      throw this.bad(this.at, 'a value within more than 500 others', 'fewer levels')
    }
    this.members(() => {
      if (byte === OPEN_OBJECT) this.key()
      this.skip(depth + 1)
    })
  }

  /** Reads the object or list that begins here, and calls `readMember` where a member begins. */
  members(readMember: (index: number) => void): void {
    const close = this.bytes[this.at++] === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_LIST
    if (this.peek() === close) {
      this.at++
      return
    }
    for (let index = 0; ; index++) {
      readMember(index)
      const next = this.peek()
      if (next !== COMMA && next !== close) throw this.unexpected(`"," or "${String.fromCharCode(close)}"`)
      this.at++
      if (next === close) return
    }
  }

  /** The text of the string that begins here. */
  text(): string {
    const start = this.at
    this.string()
    const raw = this.wholeText(start, this.at)
    return this.#hasEscape ? (JSON.parse(raw) as string) : raw.slice(1, -1)
  }

  /** Reads a key and its colon. */
  key(): string {
    if (this.peek() !== QUOTE) throw this.unexpected('a key in quotes')
    const key = this.text()
    this.expect(COLON)
    return key
  }

  /** The text between two offsets, cut to a few hundred bytes, which is enough for messages. */
  textFrom(start: number, end: number): string {
    return this.bytes.toString('utf8', start, Math.min(end, start + 400))
  }

  /** The whole text between two offsets. */
  wholeText(start: number, end: number): string {
    return this.bytes.toString('utf8', start, end)
  }
}

/** RFC 8259 §2: space, tab, line feed, carriage return. */
export const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** RFC 8259 §6. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A digit, a sign, a point, or the letter before an exponent. */
const isOfNumber = (byte: number): boolean =>
  isDigit(byte) || byte === MINUS || byte === PLUS || byte === POINT || byte === UPPER_E || byte === LOWER_E

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39

export const beginsNumber = (byte: number): boolean => byte === MINUS || isDigit(byte)
