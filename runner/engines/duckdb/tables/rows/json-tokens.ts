/**
 * Reads JSON's tokens from the text of a row, and checks them by RFC 8259. People write these rows, so a mistake is reported with its place
 * and with what was expected there.
 */
import { BadRowError, excerptOf } from './bad-row.js'

/** BigQuery's limit on the depth of a JSON value. */
export const MAX_DEPTH = 500

/** A cursor over one row. Each method reads from the offset `at` and moves `at` to the end of what it has read. */
export class JsonTokens {
  at = 0
  #row = ''
  readonly #path: () => string

  /** `path` returns the path of the value that is being read, for errors. */
  constructor(path: () => string) {
    this.#path = path
  }

  /** Starts a row. */
  open(row: string): void {
    this.#row = row
    this.at = 0
  }

  /** The next character that is not white space, or '' at the end. */
  peek(): string {
    this.#pass(SPACE)
    return this.#row.charAt(this.at)
  }

  /** The error for the current value. @param at the offset in the row at which it is wrong */
  fault(at: number, found: string, expected: string, path = this.#path()): BadRowError {
    return new BadRowError(Buffer.byteLength(this.#row.slice(0, at)), path, found, expected)
  }

  /** The error for a token that JSON does not allow here. */
  unexpected(expected: string): BadRowError {
    if (this.peek() === '') return this.fault(this.at, 'the end of the row', expected)
    return this.fault(this.at, this.#excerpt(), this.isNext('NaN') ? `${expected}; NaN is none, write null` : expected)
  }

  /** Reads a string, from its opening quote to after its closing quote. */
  string(): void {
    const begin = this.at++
    while (this.#pass(PLAIN) && this.#pass(ESCAPE));
    const next = this.#row.charAt(this.at)
    if (next === '') throw this.fault(begin, 'a string without an end', 'a closing quote')
    if (next !== '"')
      throw this.fault(this.at, this.#excerpt(), 'a character that a string of JSON may have, or one of its escapes')
    this.at++
  }

  #excerpt(): string {
    return `"${excerptOf(this.#row.slice(this.at, this.at + MAX_FOUND))}"`
  }

  number(): void {
    if (!this.#pass(NUMBER)) throw this.unexpected('a JSON value')
  }

  /** Whether the next characters are `word`. */
  isNext(word: string): boolean {
    return this.#row.startsWith(word, this.at)
  }

  /** Reads and checks a value of any kind, and skips it. */
  skip(depth = 0): void {
    const first = this.peek()
    if (first === '"') {
      this.string()
      return
    }
    if (beginsNumber(first)) {
      this.number()
      return
    }
    if (this.#pass(WORD)) return
    if (first !== '{' && first !== '[') throw this.unexpected('a JSON value')
    if (depth >= MAX_DEPTH) {
      throw this.fault(this.at, 'a value within more than 500 others', 'fewer levels')
    }
    this.members(() => {
      if (first === '{') this.key()
      this.skip(depth + 1)
    })
  }

  /** Reads the object or list that begins here, and calls `readMember` where a member begins. */
  members(readMember: (index: number) => void): void {
    const close = this.#row[this.at++] === '{' ? '}' : ']'
    if (this.peek() === close) {
      this.at++
      return
    }
    for (let index = 0; ; index++) {
      readMember(index)
      const next = this.peek()
      if (next !== ',' && next !== close) throw this.unexpected(`"," or "${close}"`)
      this.at++
      if (next === close) return
    }
  }

  /** The text of the string that begins here. */
  text(): string {
    const start = this.at
    this.string()
    const raw = this.textFrom(start)
    return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
  }

  /** Reads a key and its colon. */
  key(): string {
    if (this.peek() !== '"') throw this.unexpected('a key in quotes')
    const key = this.text()
    if (this.peek() !== ':') throw this.unexpected('":"')
    this.at++
    return key
  }

  /** The text from an offset to here. */
  textFrom(start: number): string {
    return this.#row.slice(start, this.at)
  }

  /** If the pattern matches here, moves behind the match. Returns whether it matches. */
  #pass(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    const isHere = pattern.test(this.#row)
    if (isHere) this.at = pattern.lastIndex
    return isHere
  }
}

/** The most characters of a row that are taken for a message. */
const MAX_FOUND = 400

/** RFC 8259 §2: space, tab, line feed, carriage return. */
const SPACE = /[ \n\r\t]*/y
const WORD = /null|true|false/y
/** RFC 8259 §6. No other character of a number follows. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![-+.eE\d])/y
/** RFC 8259 §7: the characters that need no escape in a string. */
const PLAIN = /[^"\\\x00-\x1f]*/y
/** An escape in a string. The two halves of a surrogate pair must follow each other. */
const ESCAPE =
  /\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[\da-fA-F]{4}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})/y

export const beginsNumber = (character: string): boolean => /^[-\d]/.test(character)
