/** Cuts the text of a GoogleSQL query into tokens. */

import { BoundedMap, memo } from '../memo.js'
import { type SqlError, syntaxError } from '../sql-error.js'
import { RESERVED_KEYWORDS } from './keywords.js'
import { readQuoted } from './quoted-text.js'

export type TokenKind = 'identifier' | 'quoted' | 'int' | 'float' | 'string' | 'bytes' | 'symbol' | 'end'

export interface Token {
  readonly kind: TokenKind
  /**
   * The text that the grammar compares: an unquoted word in upper case, or a symbol. Empty for every other token, and for a
   * word after a dot, which is always a name, even if it is a keyword (`t.from`).
   */
  readonly term: string
  /**
   * A name as written, the value of a string with its escapes resolved, or an integer in decimal; for other tokens the
   * characters in the source.
   */
  readonly text: string
  /** The value of a bytes literal; null for other tokens. */
  readonly bytes: Uint8Array | null
  /** Offsets in the source: `at` of the first character, `end` after the last. */
  readonly at: number
  readonly end: number
}

// White space includes the Unicode spaces and the backspace. Source: GoogleSQL's own tokenizer.
const SPACE = /[ \t\n\r\b\f\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/y
const NUMBER = /0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y
const QUOTE = /([rR]?[bB]?|[bB][rR])("""|'''|"|')/y
// `>>` stays two tokens, because ARRAY<ARRAY<INT64>> ends with it; the expression parser joins them.
const SYMBOL = /<<|<=|>=|!=|<>|\|\||\|>|=>|->|@@|[-+*/~&|^=<>().,[\]:;?{}@]/y
const SURROGATE_OR_NUL = /[\0\ud800-\udfff]/
const LONE_SURROGATE_OR_NUL = /[\0\p{Surrogate}]/u

/**
 * The classes of ASCII characters, by character code. A table is faster than regular expressions, and thousands of manifests
 * have some 100 million characters.
 */
const WORD_START = 1
const WORD_PART = 2
const DIGIT = 4
const QUOTE_START = 8
/** A symbol that is not the beginning of a longer one. */
const PLAIN_SYMBOL = 16
const CLASSES: readonly number[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  const has = (pattern: RegExp, flag: number): number => (pattern.test(character) ? flag : 0)
  return (
    has(/[A-Za-z_]/, WORD_START) |
    has(/\w/, WORD_PART) |
    has(/[0-9]/, DIGIT) |
    has(/[rRbB"']/, QUOTE_START) |
    has(/[+*~&^().,[\]:;?{}]/, PLAIN_SYMBOL)
  )
})

/**
 * The tokens of `source`, without white space and comments; the last one has the kind `end`.
 *
 * @throws SqlError at a literal that is not closed or not valid, and at a character that is not part of the language
 */
export function tokenize(source: string): readonly Token[] {
  refuseStrange(source)
  const tokens: Token[] = []
  for (let i = skipBlank(source, 0); i < source.length; ) {
    const token = readToken(source, i, tokens)
    tokens.push(token)
    i = skipBlank(source, token.end)
  }
  tokens.push(endOf(source))
  return tokens
}

/** @throws SqlError at a character that is not allowed anywhere, not even in literals and comments: NUL, a lone surrogate */
export function refuseStrange(source: string): void {
  const strange = SURROGATE_OR_NUL.test(source) ? LONE_SURROGATE_OR_NUL.exec(source) : null
  if (strange !== null) throw illegalCharacter(source, strange.index)
}

/** The token of the kind `end`, which is the last one of every source. */
export const endOf = ({ length }: string): Token => ({
  kind: 'end',
  term: '',
  text: '',
  bytes: null,
  at: length,
  end: length,
})

/** The offset after the white space and comments that begin at `from`; `from` itself where there are none. */
export function skipBlank(source: string, from: number): number {
  for (let i = from; ; ) {
    const code = source.charCodeAt(i)
    if (code === 32 || code === 10) {
      i += 1
      continue
    }
    if (is(WORD_PART, code)) return i
    const next = skipOddBlank(source, i)
    if (next === i) return i
    i = next
  }
}

/**
 * The offset after the comment, or after the white space other than spaces and line feeds, at `i`; `i` where neither is
 * there.
 */
function skipOddBlank(source: string, i: number): number {
  const character = source[i]
  if (character === undefined) return i
  if (character === '#' || (character === '-' && source[i + 1] === '-')) {
    let end = i
    while (end < source.length && source[end] !== '\n' && source[end] !== '\r') end++
    return end
  }
  if (character === '/' && source[i + 1] === '*') {
    const end = source.indexOf('*/', i + 2)
    if (end < 0) throw syntaxError('Unclosed comment', source, i)
    return end + 2
  }
  if (character > ' ' && character < '\x7f') return i
  SPACE.lastIndex = i
  return SPACE.test(source) ? SPACE.lastIndex : i
}

/** The token at `i`, which must not be white space or a comment; `preceding` has the tokens before it. */
export function readToken(source: string, i: number, preceding: readonly Token[]): Token {
  const previous = preceding[preceding.length - 1]
  const code = source.charCodeAt(i)
  if (previous?.term === '.' && is(WORD_PART, code)) {
    const end = wordEnd(source, i)
    return { kind: 'identifier', term: '', text: source.slice(i, end), bytes: null, at: i, end }
  }
  if (is(QUOTE_START, code)) {
    QUOTE.lastIndex = i
    const quote = QUOTE.exec(source)
    if (quote !== null) return readLiteral(source, i, quote[1]!.toLowerCase(), quote[2]!)
  }
  if (is(WORD_START, code)) {
    const end = wordEnd(source, i)
    const word = source.slice(i, end)
    return { kind: 'identifier', term: upperCase(word), text: word, bytes: null, at: i, end }
  }
  if (code === 96) {
    const name = readQuoted(source, i, i + 1, { quote: '`', isRaw: false, isBytes: false, what: 'identifier literal' })
    if (name.text === '') throw syntaxError('Invalid empty identifier', source, i)
    if (name.text.includes('\0')) throw syntaxError('An identifier cannot contain \\x00', source, i)
    return { kind: 'quoted', term: '', text: name.text, bytes: null, at: i, end: name.end }
  }
  if (is(DIGIT, code) || (code === 46 && is(DIGIT, source.charCodeAt(i + 1)) && !canTakeDot(previous))) {
    return readNumber(source, i, preceding)
  }
  const symbol = is(PLAIN_SYMBOL, code) ? source[i]! : match(SYMBOL, source, i)
  if (symbol === null) throw illegalCharacter(source, i)
  return { kind: 'symbol', term: symbol, text: symbol, bytes: null, at: i, end: i + symbol.length }
}

/** Whether the character is in the class. False for NaN, the code after the end of a text. */
const is = (flag: number, code: number): boolean => code < 128 && (CLASSES[code]! & flag) !== 0

/** The offset after the word whose first character is at `i`. */
function wordEnd(source: string, i: number): number {
  let end = i + 1
  while (is(WORD_PART, source.charCodeAt(end))) end += 1
  return end
}

/** A cache of words and their upper case, because texts repeat a small number of words. */
const upperCases = new BoundedMap<string, string>(10_000)
/** V8 stores a longer slice as a view of its text, so that a map of such words would keep whole texts in memory. */
const MAX_KEPT_LENGTH = 12

const toUpper = (word: string): string => word.toUpperCase()
const upperCase = (word: string): string =>
  word.length > MAX_KEPT_LENGTH ? toUpper(word) : memo(upperCases, word, toUpper)

function readLiteral(source: string, at: number, prefix: string, quote: string): Token {
  const isBytes = prefix.includes('b')
  const what = isBytes ? 'bytes literal' : 'string literal'
  const form = { quote, isRaw: prefix.includes('r'), isBytes, what }
  const { text, bytes, end } = readQuoted(source, at, at + prefix.length + quote.length, form)
  return { kind: isBytes ? 'bytes' : 'string', term: '', text, bytes, at, end }
}

function readNumber(source: string, at: number, preceding: readonly Token[]): Token {
  let text = match(NUMBER, source, at)!
  // In `my-project-1.dataset.t` the dot ends a part of the path; it is not a decimal point.
  if (text.endsWith('.') && /[A-Za-z_`]/.test(source[at + text.length] ?? '') && isInDashedName(at, preceding)) {
    text = text.slice(0, -1)
  }
  const end = at + text.length
  if (/[A-Za-z_]/.test(source[end] ?? '')) {
    throw syntaxError('Missing whitespace between literal and alias', source, end, 'digit-before-name')
  }
  if (/^0[xX]/.test(text)) return { kind: 'int', term: '', text: BigInt(text).toString(), bytes: null, at, end }
  if (/^[0-9]+$/.test(text)) {
    return { kind: 'int', term: '', text: text.replace(/^0+(?=[0-9])/, ''), bytes: null, at, end }
  }
  return { kind: 'float', term: '', text, bytes: null, at, end }
}

/** Whether `name-`, without white space, comes immediately before `at`. */
function isInDashedName(at: number, preceding: readonly Token[]): boolean {
  const dash = preceding[preceding.length - 1]
  const name = preceding[preceding.length - 2]
  return dash?.term === '-' && dash.end === at && name?.end === dash.at && name.kind === 'identifier'
}

/** Whether a dot after this token is a field access, so that digits after the dot are a name and not a number. */
function canTakeDot(token: Token | undefined): boolean {
  if (token === undefined) return false
  if (token.kind === 'identifier') return !RESERVED_KEYWORDS.has(token.term)
  return token.kind === 'quoted' || token.term === ')' || token.term === ']'
}

function match(pattern: RegExp, source: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0] ?? null
}

function illegalCharacter(source: string, at: number): SqlError {
  const shown = JSON.stringify(String.fromCodePoint(source.codePointAt(at)!))
  return syntaxError(`Illegal input character ${shown}`, source, at, 'illegal-character')
}
