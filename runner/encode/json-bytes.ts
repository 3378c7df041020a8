/** JSON text straight to its bytes: without a string for each row, and without one for each quoted value. */

/** Text that is written often, made by `tokenOf`. */
export interface Token {
  readonly length: number
  /** Its UTF-8 bytes, four in each as an integer of 32 bits, the first the lowest, zeros behind them. */
  readonly words: readonly number[]
}

export function tokenOf(text: string): Token {
  // One character for each byte.
  const bytes = /[^\u0000-\u007f]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text
  const words: number[] = []
  for (let i = 0; i < bytes.length; i += WORD) {
    let word = 0
    for (let j = Math.min(WORD, bytes.length - i) - 1; j >= 0; j--) word = (word << 8) | bytes.charCodeAt(i + j)
    words.push(word)
  }
  return { length: bytes.length, words }
}

const WORD = 4
const FIRST_SIZE = 131_072
const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20

/** From this length on, two calls into V8 are cheaper than a look at each character. */
const LONG = 40
/** What neither JSON escapes nor UTF-8 writes in more than one byte. */
const NOT_PLAIN = /[^ !#-[\]-\u007f]/
/** A UTF-16 unit takes up to 3 bytes; and what comes after the last text may be a quote. */
const BYTES_PER_UNIT = 3

/** Bytes that grow at their end. */
export class JsonBytes {
  length = 0
  #bytes = Buffer.allocUnsafeSlow(FIRST_SIZE)
  #view = new DataView(this.#bytes.buffer)

  /** A copy of all bytes; none are left. */
  take(): Buffer {
    const taken = Buffer.allocUnsafeSlow(this.length)
    this.#bytes.copy(taken, 0, 0, this.length)
    this.length = 0
    return taken
  }

  token({ length, words }: Token): void {
    this.#makeRoom(length + WORD)
    const view = this.#view
    const at = this.length
    // The zeros behind a token are written too, and then written over.
    for (let i = 0; i < words.length; i++) view.setInt32(at + i * WORD, words[i]!, true)
    this.length = at + length
  }

  /** Text as it is. */
  plain(text: string): void {
    const count = text.length
    this.#makeRoom(count * BYTES_PER_UNIT)
    const bytes = this.#bytes
    const start = this.length
    let i = 0
    for (; i < count && count < LONG; i++) {
      const unit = text.charCodeAt(i)
      if (unit > 0x7f) break
      bytes[start + i] = unit
    }
    this.length = start + (i === count ? count : bytes.write(text, start, 'utf8'))
  }

  /** `before`, which ends in the opening quote, and the rest of the string's JSON text, as JSON.stringify writes it. */
  string(before: Token, text: string): void {
    this.token(before)
    if (text.length < LONG) this.#shortString(text)
    else this.#longString(text)
  }

  #shortString(text: string): void {
    const count = text.length
    this.#makeRoom(count * BYTES_PER_UNIT + 1)
    const bytes = this.#bytes
    let at = this.length
    for (let i = 0; i < count; i++) {
      const unit = text.charCodeAt(i)
      if (unit < SPACE || unit > 0x7f || unit === QUOTE || unit === BACKSLASH) {
        this.#stringFrom(text, i, at)
        return
      }
      bytes[at++] = unit
    }
    bytes[at++] = QUOTE
    this.length = at
  }

  /** Of the text, `from` units are written, up to `at`: letters of two and three bytes are what is mostly met. */
  #stringFrom(text: string, from: number, start: number): void {
    const bytes = this.#bytes
    let at = start
    for (let i = from; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (isEscaped(unit)) {
        this.#escapedString(text)
        return
      }
      if (unit < 0x80) {
        bytes[at++] = unit
      } else if (unit < 0x800) {
        bytes[at++] = 0xc0 | (unit >> 6)
        bytes[at++] = 0x80 | (unit & 0x3f)
      } else {
        bytes[at++] = 0xe0 | (unit >> 12)
        bytes[at++] = 0x80 | ((unit >> 6) & 0x3f)
        bytes[at++] = 0x80 | (unit & 0x3f)
      }
    }
    bytes[at++] = QUOTE
    this.length = at
  }

  #longString(text: string): void {
    if (NOT_PLAIN.test(text)) {
      this.#escapedString(text)
      return
    }
    this.#makeRoom(text.length + 1)
    this.length += this.#bytes.write(text, this.length, 'latin1')
    this.#bytes[this.length++] = QUOTE
  }

  #escapedString(text: string): void {
    const escaped = JSON.stringify(text).slice(1)
    this.#makeRoom(escaped.length * BYTES_PER_UNIT)
    this.length += this.#bytes.write(escaped, this.length, 'utf8')
  }

  #makeRoom(count: number): void {
    if (this.length + count > this.#bytes.length) this.#grow(count)
  }

  #grow(count: number): void {
    const bytes = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.length + count))
    this.#bytes.copy(bytes, 0, 0, this.length)
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer)
  }
}

/** Surrogates too: JSON.stringify escapes those that have no partner. */
const isEscaped = (unit: number): boolean =>
  unit < SPACE || unit === QUOTE || unit === BACKSLASH || (unit >= 0xd800 && unit < 0xe000)
