/** Writes JSON as bytes without a string per row; string values are copied as byte ranges of their source text. */

/** A text that is written often, prepared by `tokenOf`. */
export interface Token {
  readonly length: number
  /** The UTF-8 bytes, four per 32-bit integer, little-endian, padded with zeros. */
  readonly words: readonly number[]
}

export function tokenOf(text: string): Token {
  // A string with one character per byte.
  const bytes = isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
  const words: number[] = new Array(Math.ceil(bytes.length / WORD))
  for (let i = 0; i < words.length; i++) {
    let word = 0
    for (let j = Math.min(WORD, bytes.length - i * WORD) - 1; j >= 0; j--) {
      word = (word << 8) | bytes.charCodeAt(i * WORD + j)
    }
    words[i] = word
  }
  return { length: bytes.length, words }
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false
  return true
}

/** A text that should be JSON is malformed. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError'
}

const WORD = 4
const FIRST_SIZE = 131_072
const QUOTE = 0x22
const SLASH = 0x2f
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const SPACE = 0x20
const ZERO = 0x30
const COLON = 0x3a
const POINT = 0x2e
const LETTER_T = 0x54
/** `T12:34:56.123456` */
const CLOCK_LENGTH = 16
/** The most bytes that one step of copying a string writes: an escape. */
const ROOM = 8
/** A UTF-16 unit takes up to 3 bytes. */
const BYTES_PER_UNIT = 3
/** Up to this length a loop over the characters is cheaper than a call into V8. */
const LONG = 40

/** A text as bytes. `size` is its length: reading a DataView's own length costs V8 a function call. */
export type JsonText = Readonly<{ view: DataView; size: number }>

/** A growing byte buffer. */
export class JsonBytes {
  length = 0
  /** The offset in the source text after the closing quote of the last string that `plainStrings` copied. */
  plainEnd = 0
  #bytes = Buffer.allocUnsafeSlow(FIRST_SIZE)
  #view = new DataView(this.#bytes.buffer)
  #size = FIRST_SIZE

  /** Returns a copy of all bytes and empties the buffer. */
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
    // The padding zeros of a token are written too; the next write overwrites them.
    for (let i = 0; i < words.length; i++) view.setInt32(at + i * WORD, words[i]!, true)
    this.length = at + length
  }

  /** Appends a text unchanged. */
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

  /**
   * Appends a time of day, in microseconds since midnight, as `T12:34:56.123456`; a fraction that is not zero has 3 or 6
   * digits.
   */
  clock(microsOfDay: number): void {
    this.#makeRoom(CLOCK_LENGTH)
    const seconds = Math.floor(microsOfDay / 1_000_000)
    const minutes = Math.floor(seconds / 60)
    const hours = Math.floor(minutes / 60)
    this.#byteAndDigits(LETTER_T, hours, 2)
    this.#byteAndDigits(COLON, minutes - hours * 60, 2)
    this.#byteAndDigits(COLON, seconds - minutes * 60, 2)
    const micros = microsOfDay - seconds * 1_000_000
    const millis = Math.floor(micros / 1_000)
    if (micros === 0) return
    if (micros === millis * 1_000) this.#byteAndDigits(POINT, millis, 3)
    else this.#byteAndDigits(POINT, micros, 6)
  }

  /** Appends the byte, and then the integer, padded with zeros to `count` digits. */
  #byteAndDigits(byte: number, value: number, count: number): void {
    const view = this.#view
    view.setUint8(this.length, byte)
    let rest = value
    for (let at = this.length + count; at > this.length; at--) {
      const tens = Math.floor(rest / 10)
      view.setUint8(at, ZERO + rest - tens * 10)
      rest = tens
    }
    this.length += 1 + count
  }

  /** Appends a byte range of another text unchanged. */
  range(text: DataView, start: number, end: number): void {
    this.#makeRoom(end - start)
    const view = this.#view
    let at = this.length
    for (let i = start; i < end; i++) view.setUint8(at++, text.getUint8(i))
    this.length = at
  }

  /**
   * Copies consecutive strings of another text, each after its token, while they hold no escape. The first string's opening
   * quote is at `start` and its token is `tokens[first]`; a string without a token ends the copying. `between` is the text
   * from after a closing quote up to and including the next opening quote: 8 bytes. Returns the index of the first token
   * that was not written (`first` if no string was copied); `plainEnd` is set to the offset after the last string.
   */
  plainStrings(
    tokens: readonly (Token | null)[],
    first: number,
    text: JsonText,
    start: number,
    between: Token,
  ): number {
    const { view: other, size } = text
    const lastWord = size - 2 * WORD
    let [index, from] = [first, start]
    let token = start <= lastWord && other.getUint8(start) === QUOTE ? tokens[first]! : null
    while (token !== null) {
      const written = this.length
      this.token(token)
      this.#makeRoom(ROOM)
      const view = this.#view
      let at = this.length
      from += 1
      const last = Math.min(lastWord, from + this.#size - at - ROOM)
      let special = 0
      while (special === 0 && from <= last) {
        const word = other.getInt32(from, true)
        view.setInt32(at, word, true)
        special = specialBytes(word)
        const count = special === 0 ? WORD : firstMark(special)
        from += count
        at += count
      }
      if (special === 0 || other.getUint8(from) !== QUOTE) {
        this.length = written
        break
      }
      view.setUint8(at, QUOTE)
      this.length = at + 1
      this.plainEnd = from + 1
      index += 1
      from += 2 * WORD
      const isNext = index < tokens.length && from <= lastWord && isBetween(other, from, between)
      token = isNext ? tokens[index]! : null
    }
    return index
  }

  /**
   * Appends the token, and then a JSON string of another text, whose opening quote is at `start`. Returns the offset after
   * its closing quote. Escapes are normalised to those of JSON.stringify, which never makes the text longer. The other text
   * must be valid UTF-8. @throws JsonTextError.
   */
  tokenAndRestOfString(before: Token, text: DataView, start: number): number {
    this.token(before)
    const end = text.byteLength
    let from = start
    let at = this.length
    for (;;) {
      if (at + ROOM > this.#size) {
        this.length = at
        this.#grow(ROOM)
      }
      const view = this.#view
      const last = Math.min(end - WORD, from + this.#size - at - ROOM)
      while (from <= last) {
        const word = text.getInt32(from, true)
        view.setInt32(at, word, true)
        const special = specialBytes(word)
        if (special !== 0) {
          const count = firstMark(special)
          from += count
          at += count
          break
        }
        from += WORD
        at += WORD
      }
      if (from >= end) throw new JsonTextError('a string has no end')
      const byte = text.getUint8(from)
      if (byte === QUOTE) {
        view.setUint8(at, QUOTE)
        this.length = at + 1
        return from + 1
      }
      if (byte === BACKSLASH) {
        this.length = at
        from = this.#escape(text, from)
        at = this.length
      } else if (byte < SPACE) {
        throw new JsonTextError('a string holds a control character')
      } else {
        view.setUint8(at++, byte)
        from += 1
      }
    }
  }

  /** Copies the escape whose backslash is at `at`; the buffer must have room for it. */
  #escape(text: DataView, at: number): number {
    const letter = at + 1 < text.byteLength ? text.getUint8(at + 1) : 0
    if (letter === LETTER_U) return this.#unicodeEscape(text, at)
    if (letter === SLASH) {
      this.#view.setUint8(this.length++, SLASH)
    } else {
      if (!SHORT_ESCAPES.includes(letter)) throw new JsonTextError('a string holds an unknown escape')
      this.#view.setUint8(this.length++, BACKSLASH)
      this.#view.setUint8(this.length++, letter)
    }
    return at + 2
  }

  #unicodeEscape(text: DataView, at: number): number {
    const unit = hexUnit(text, at)
    if (unit >= 0xd800 && unit < 0xdc00 && isEscapeAt(text, at + UNICODE_ESCAPE)) {
      const low = hexUnit(text, at + UNICODE_ESCAPE)
      if (low >= 0xdc00 && low < 0xe000) {
        this.#write(String.fromCharCode(unit, low))
        return at + 2 * UNICODE_ESCAPE
      }
    }
    const quoted = JSON.stringify(String.fromCharCode(unit))
    this.#write(quoted.slice(1, -1))
    return at + UNICODE_ESCAPE
  }

  #write(text: string): void {
    this.length += this.#bytes.write(text, this.length, 'utf8')
  }

  #makeRoom(count: number): void {
    if (this.length + count > this.#size) this.#grow(count)
  }

  #grow(count: number): void {
    const bytes = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.length + count))
    this.#bytes.copy(bytes, 0, 0, this.length)
    this.#bytes = bytes
    this.#size = bytes.length
    this.#view = new DataView(bytes.buffer)
  }
}

/** Whether the 8 bytes of the text that end at `last` are this token. */
const isBetween = (text: DataView, last: number, { words }: Token): boolean =>
  text.getInt32(last + 1 - 2 * WORD, true) === words[0] && text.getInt32(last + 1 - WORD, true) === words[1]

/**
 * Marks the bytes of a 32-bit word that a JSON string must escape: quotes, backslashes and control characters. 0 means that
 * it has no such byte. The first mark is exact; later marks may be false ("Determine if a word has a byte less than n", Bit
 * Twiddling Hacks).
 */
export function specialBytes(word: number): number {
  // After this XOR a quote is 0x20, a space 0x22, and control characters stay below 0x20: one subtraction finds both.
  const turned = word ^ 0x02020202
  const backslash = word ^ 0x5c5c5c5c
  const below = ((turned - 0x21212121) & ~turned) | ((backslash - 0x01010101) & ~backslash)
  return below & 0x80808080
}

/** The index of the first marked byte of the word, from 0. */
export const firstMark = (special: number): number => (31 - Math.clz32(special & -special)) >> 3

/** The characters after the backslash of the short escapes that JSON.stringify writes: `"`, `\`, b, f, n, r, t. */
const SHORT_ESCAPES: readonly number[] = Array.from('"\\bfnrt', letter => letter.charCodeAt(0))
/** `\u0041` */
const UNICODE_ESCAPE = 6

const isEscapeAt = (text: DataView, at: number): boolean =>
  at + UNICODE_ESCAPE <= text.byteLength && text.getUint8(at) === BACKSLASH && text.getUint8(at + 1) === LETTER_U

/** The UTF-16 unit of `\u0041`. */
function hexUnit(text: DataView, at: number): number {
  if (at + UNICODE_ESCAPE > text.byteLength) throw new JsonTextError('a string has no end')
  let unit = 0
  for (let i = at + 2; i < at + UNICODE_ESCAPE; i++) {
    const byte = text.getUint8(i)
    const digit = byte < 0x3a ? byte - 0x30 : (byte | 0x20) - 0x57
    if (digit < 0 || digit > 15 || (byte > 0x39 && digit < 10)) throw new JsonTextError('a string holds a bad escape')
    unit = unit * 16 + digit
  }
  return unit
}
