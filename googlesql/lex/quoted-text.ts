/** Reads the text between the quotes of a string, bytes or identifier literal, and resolves its escapes. */

import { type SqlError, syntaxError } from '../sql-error.js'

/** The form of a literal: its quotes, and the meaning of its prefix. */
export interface QuoteForm {
  /** `'`, `"`, a backtick, or three equal quotes. */
  readonly quote: string
  /** True for the prefix `r`: a backslash and the character after it are kept as they are. */
  readonly isRaw: boolean
  readonly isBytes: boolean
  /** What messages call the literal: `string literal`. */
  readonly noun: string
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...Object.fromEntries([...'\\?"\'`'].map(symbol => [symbol, symbol])),
}

const BACKSLASH = 92
const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/**
 * Reads a literal that begins at `at`, perhaps with a prefix, and whose opening quote ends at `from`. `end` is the offset after its
 * closing quote; `bytes` is null for text, and `text` is empty for bytes.
 *
 * @throws SqlError when the literal is not closed, or has an escape that GoogleSQL does not know.
 */
export function readQuoted(source: string, at: number, from: number, form: QuoteForm) {
  const { quote, isRaw, isBytes } = form
  const isTriple = quote.length === 3
  const first = quote.charCodeAt(0)
  // Bytes are collected in pieces, because an escape may stand for a byte that is not valid UTF-8.
  const pieces: Uint8Array[] = []
  let text = ''
  let start = from
  let i = from
  const unclosed = (): SqlError =>
    isTriple ? syntaxError(`Unclosed triple-quoted ${form.noun}`, source, at) : unclosedOnLine(source, at, form)
  for (;;) {
    if (i >= source.length) throw unclosed()
    const code = source.charCodeAt(i)
    if (code === first && (!isTriple || source.startsWith(quote, i))) break
    if (code === BACKSLASH) {
      if (isRaw) {
        if (!isTriple && isLineEnd(source.charCodeAt(i + 1))) throw unclosed()
        // The next iteration reads a carriage return after the backslash and makes it a line feed.
        i += source.charCodeAt(i + 1) === CARRIAGE_RETURN ? 1 : 2
        continue
      }
      text += source.slice(start, i)
      const escaped = readEscape(source, i, at, form)
      if (isBytes && escaped.byte !== null) {
        pieces.push(Buffer.from(text), Uint8Array.of(escaped.byte))
        text = ''
      } else {
        text += escaped.text
      }
      i = escaped.end
      start = i
    } else if (isLineEnd(code)) {
      if (!isTriple) throw unclosed()
      if (code === CARRIAGE_RETURN) {
        // Lines of a triple-quoted literal end with \n, whatever line ends the file has.
        text += source.slice(start, i) + '\n'
        if (source.charCodeAt(i + 1) === LINE_FEED) i++
        start = i + 1
      }
      i++
    } else {
      i++
    }
  }
  text += source.slice(start, i)
  const end = i + quote.length
  if (!isBytes) return { text, bytes: null, end }
  return { text: '', bytes: new Uint8Array(Buffer.concat([...pieces, Buffer.from(text)])), end }
}

const unclosedOnLine = (source: string, at: number, { quote, noun: what }: QuoteForm): SqlError =>
  syntaxError(`Unclosed ${what}`, source, at, quote === '`' ? 'unclosed-name' : 'unclosed-text')

function isLineEnd(code: number): boolean {
  return code === LINE_FEED || code === CARRIAGE_RETURN
}

/** Reads an escape. `byte` is the value of a hexadecimal or octal escape; null for other escapes. */
function readEscape(source: string, i: number, at: number, form: QuoteForm) {
  const letter = source[i + 1]
  if (letter === undefined) throw unclosedOnLine(source, at, form)
  const simple = SIMPLE_ESCAPES[letter]
  if (simple !== undefined) return { text: simple, byte: null, end: i + 2 }
  if (letter === 'x' || letter === 'X') {
    const value = digits(source, i + 2, 2, /^[0-9a-fA-F]{2}$/, 16)
    if (value === null) throw illegal(source, i, `\\${letter} must be followed by 2 hex digits`)
    return { text: String.fromCharCode(value), byte: value, end: i + 4 }
  }
  if (letter >= '0' && letter <= '7') {
    const value = digits(source, i + 1, 3, /^[0-3][0-7]{2}$/, 8)
    if (value === null) throw illegal(source, i, 'Octal escape must be followed by 3 octal digits, at most \\377')
    return { text: String.fromCharCode(value), byte: value, end: i + 4 }
  }
  if (letter === 'u' || letter === 'U') {
    if (form.isBytes) throw illegal(source, i, `Unicode escape sequence \\${letter} cannot be used in bytes literals`)
    const width = letter === 'u' ? 4 : 8
    const value = digits(source, i + 2, width, /^[0-9a-fA-F]+$/, 16)
    if (value === null) throw illegal(source, i, `\\${letter} must be followed by ${width} hex digits`)
    if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
      throw illegal(source, i, `Unicode value ${source.slice(i, i + 2 + width)} is invalid`)
    }
    return { text: String.fromCodePoint(value), byte: null, end: i + 2 + width }
  }
  if (isLineEnd(letter.charCodeAt(0))) throw syntaxError('Illegal escaped newline', source, i)
  throw illegal(source, i, `\\${String.fromCodePoint(source.codePointAt(i + 1)!)}`)
}

function digits(source: string, from: number, width: number, form: RegExp, radix: number): number | null {
  const text = source.slice(from, from + width)
  return text.length === width && form.test(text) ? Number.parseInt(text, radix) : null
}

function illegal(source: string, at: number, problem: string): SqlError {
  return syntaxError(`Illegal escape sequence: ${problem}`, source, at)
}
