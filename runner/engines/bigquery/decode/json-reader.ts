/** Reads JSON text from its bytes, step by step, without creating values. */
import { firstMark, JsonTextError, specialBytes } from './json-bytes.js'

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
const ZERO = 0x30
const NINE = 0x39
const SPACE = 0x20
export const WORD = 4

/** Four bytes as a little-endian integer. */
export const wordOf = (text: string): number => Buffer.from(text, 'latin1').readInt32LE()
const NULL = wordOf('null')
/** The most bytes that are compared at once, including derived classes. */
const LOOK_AHEAD = 11

/** Every step throws JsonTextError where the text is not what the step expects. The text must be valid UTF-8. */
export class JsonReader {
  /** The offset of the next byte to read. */
  at = 0
  readonly view: DataView
  /** The length of the text in bytes. */
  readonly size: number
  /** The offset from which bytes are no longer compared at once. */
  protected readonly last: number
  readonly #bytes: Buffer

  constructor(text: Buffer) {
    this.#bytes = text
    this.view = new DataView(text.buffer, text.byteOffset, text.byteLength)
    this.size = text.byteLength
    this.last = text.byteLength - LOOK_AHEAD
  }

  /** Skips white space and returns the next byte; 0 at the end. */
  next(): number {
    const byte = this.#bytes[this.at]!
    return byte > SPACE ? byte : this.#nextAfterSpace()
  }

  #nextAfterSpace(): number {
    const bytes = this.#bytes
    let at = this.at
    while (at < bytes.length && isSpace(bytes[at]!)) at += 1
    this.at = at
    return at < bytes.length ? bytes[at]! : 0
  }

  /** Skips the symbol if it is next; returns whether it was. */
  take(symbol: number): boolean {
    if (this.#bytes[this.at] !== symbol && this.next() !== symbol) return false
    this.at += 1
    return true
  }

  expect(symbol: number): void {
    if (!this.take(symbol)) throw this.#unexpected()
  }

  expectEnd(): void {
    if (this.next() !== 0 || this.at < this.size) throw this.#unexpected()
  }

  takeNull(): boolean {
    if (this.next() !== LETTER_N) return false
    if (this.at > this.size - WORD || this.view.getInt32(this.at, true) !== NULL) throw this.#unexpected()
    this.at += WORD
    return true
  }

  /** Goes past these bytes where they are next. */
  takeBytes(bytes: Uint8Array): boolean {
    const { view, at } = this
    if (at > this.last) return false
    for (let i = 0; i < bytes.length; i++) if (view.getUint8(at + i) !== bytes[i]) return false
    this.at = at + bytes.length
    return true
  }

  /**
   * The offset of the closing quote where a string with an integer comes next, of at most `maxDigits` digits and without
   * leading zeros; 0 where anything else does. Does not move.
   */
  integerEnd(maxDigits: number): number {
    const { view, at: start } = this
    if (start > this.last - maxDigits || view.getUint8(start) !== QUOTE) return 0
    const first = start + (view.getUint8(start + 1) === MINUS ? 2 : 1)
    let at = first
    let byte = view.getUint8(at)
    while (byte >= ZERO && byte <= NINE && at - first < maxDigits) byte = view.getUint8(++at)
    if (byte !== QUOTE || at === first) return 0
    const isZero = view.getUint8(first) === ZERO
    return isZero && at !== start + 2 ? 0 : at
  }

  /** The value of the integer whose closing quote is at `end`, see `integerEnd`; exact up to 2^53. Does not move. */
  integer(end: number): number {
    const { view, at } = this
    const isNegative = view.getUint8(at + 1) === MINUS
    let value = 0
    for (let i = at + (isNegative ? 2 : 1); i < end; i++) value = value * 10 + view.getUint8(i) - ZERO
    return isNegative ? -value : value
  }

  /** The string that is next. */
  text(): string {
    this.expect(QUOTE)
    const start = this.at
    const end = plainEnd(this.view, start)
    if (this.view.getUint8(end) === QUOTE) {
      this.at = end + 1
      return this.#bytes.toString('utf8', start, end)
    }
    this.at = stringEnd(this.view, end)
    return this.#parsed(start - 1) as string
  }

  /** Goes past a value; reads only the brackets and strings of lists and objects, so it may be malformed. */
  skipValue(): void {
    const first = this.next()
    if (first === OPEN_LIST || first === OPEN_OBJECT) this.at = bracketsEnd(this.view, this.at)
    else if (first === QUOTE) this.at = stringEnd(this.view, this.at + 1)
    else this.at = this.#wordEnd(this.at)
  }

  /** The offset after a number, true, false or null. */
  #wordEnd(start: number): number {
    let at = start
    for (; at < this.size; at++) {
      const byte = this.view.getUint8(at)
      if (byte <= SPACE || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST) break
    }
    if (at === start) throw this.#unexpected()
    return at
  }

  /** Goes past a colon and a value, which must be JSON. */
  protected skipMember(): void {
    this.expect(COLON)
    this.next()
    const start = this.at
    this.skipValue()
    this.#parsed(start)
  }

  /** The value of the text from there to here. */
  #parsed(start: number): unknown {
    try {
      return JSON.parse(this.#bytes.toString('utf8', start, this.at))
    } catch {
      throw new JsonTextError(`it is broken near byte ${start + 1}`)
    }
  }

  #unexpected(): JsonTextError {
    return new JsonTextError(this.next() === 0 ? 'it ends too soon' : `it has another form at byte ${this.at + 1}`)
  }
}

/**
 * The offset after the closing bracket of a list or an object. All rows of an answer go through here, so the loop over the
 * words of strings is written out: calls would take a third of the time.
 */
function bracketsEnd(view: DataView, start: number): number {
  // V8 calls a function for a view's length.
  const size = view.byteLength
  const last = size - LOOK_AHEAD
  let depth = 0
  for (let at = start; at < size; ) {
    const byte = view.getUint8(at++)
    if (byte === QUOTE) {
      for (let special = 0; special === 0 && at < last; ) {
        special = specialBytes(view.getInt32(at, true))
        at += special === 0 ? WORD : firstMark(special)
      }
      const isShort = at < last && view.getUint8(at) === QUOTE
      at = isShort ? at + 1 : stringEnd(view, at)
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth += 1
    } else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && --depth === 0) {
      return at
    }
  }
  throw new JsonTextError('a bracket is not closed')
}

/** The offset after the closing quote of a string whose text goes on at `from`. */
function stringEnd(view: DataView, from: number): number {
  for (let at = plainEnd(view, from); ; at = plainEnd(view, at + 2)) {
    const byte = view.getUint8(at)
    if (byte === QUOTE) return at + 1
    if (byte !== BACKSLASH) throw new JsonTextError('a string holds a control character')
  }
}

/** The first quote, backslash or control character from there on. */
function plainEnd(view: DataView, from: number): number {
  const size = view.byteLength
  let at = from
  for (; at <= size - WORD; at += WORD) {
    const special = specialBytes(view.getInt32(at, true))
    if (special !== 0) return at + firstMark(special)
  }
  for (; at < size; at++) {
    const byte = view.getUint8(at)
    if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) return at
  }
  throw new JsonTextError('a string has no end')
}

/** RFC 8259 §2: space, tab, line feed, carriage return. */
const isSpace = (byte: number): boolean => byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09
