/** Cuts the text of a GoogleSQL query into tokens. */

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
const BLANK =
  /(?:[ \t\n\r\b\f\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|(?:#|--)[^\n\r]*|\/\*[^*]*\*+(?:[^*/][^*]*\*+)*\/)*/y
const WORD = /[A-Za-z_]\w*/y
const WORD_AFTER_DOT = /\w+/y
const NUMBER = /0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y
const QUOTE = /([rR]?[bB]?|[bB][rR])("""|'''|"|')/y
// `>>` stays two tokens, because ARRAY<ARRAY<INT64>> ends with it; the expression parser joins them.
const SYMBOL = /<<|<=|>=|!=|<>|\|\||\|>|=>|->|@@|[-+*/~&|^=<>().,[\]:;?{}@]/y
const SURROGATE_OR_NUL = /[\0\ud800-\udfff]/
const LONE_SURROGATE_OR_NUL = /[\0\p{Surrogate}]/u

/**
 * The tokens of `source`, without white space and comments; the last one has the kind `end`.
 *
 * @throws SqlError at a literal that is not closed or not valid, and at a character that is not part of the language
 */
export function tokenize(source: string): readonly Token[] {
  checkCharacters(source)
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
export function checkCharacters(source: string): void {
  const illegal = SURROGATE_OR_NUL.test(source) ? LONE_SURROGATE_OR_NUL.exec(source) : null
  if (illegal !== null) throw illegalCharacter(source, illegal.index)
}

/** The token of the kind `end`, the last token of every source. */
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
  const end = from + match(BLANK, source, from)!.length
  if (source.startsWith('/*', end)) throw syntaxError('Unclosed comment', source, end)
  return end
}

/** The token at `i`, which must not be white space or a comment; `preceding` has the tokens before it. */
export function readToken(source: string, i: number, preceding: readonly Token[]): Token {
  const previous = preceding[preceding.length - 1]
  const afterDot = previous?.term === '.' ? match(WORD_AFTER_DOT, source, i) : null
  if (afterDot !== null) return wordToken('', afterDot, i)
  QUOTE.lastIndex = i
  const quote = QUOTE.exec(source)
  if (quote !== null) return readLiteral(source, i, quote[1]!.toLowerCase(), quote[2]!)
  const word = match(WORD, source, i)
  if (word !== null) return wordToken(word.toUpperCase(), word, i)
  if (source[i] === '`') {
    const name = readQuoted(source, i, i + 1, { quote: '`', isRaw: false, isBytes: false, noun: 'identifier literal' })
    if (name.text === '') throw syntaxError('Invalid empty identifier', source, i)
    if (name.text.includes('\0')) throw syntaxError('An identifier cannot contain \\x00', source, i)
    return { kind: 'quoted', term: '', text: name.text, bytes: null, at: i, end: name.end }
  }
  const number = match(NUMBER, source, i)
  if (number !== null && !(number[0] === '.' && canTakeDot(previous))) return readNumber(number, source, i, preceding)
  const symbol = match(SYMBOL, source, i)
  if (symbol === null) throw illegalCharacter(source, i)
  return { kind: 'symbol', term: symbol, text: symbol, bytes: null, at: i, end: i + symbol.length }
}

const wordToken = (term: string, text: string, at: number): Token => ({
  kind: 'identifier',
  term,
  text,
  bytes: null,
  at,
  end: at + text.length,
})

function readLiteral(source: string, at: number, prefix: string, quote: string): Token {
  const isBytes = prefix.includes('b')
  const noun = isBytes ? 'bytes literal' : 'string literal'
  const form = { quote, isRaw: prefix.includes('r'), isBytes, noun }
  const { text, bytes, end } = readQuoted(source, at, at + prefix.length + quote.length, form)
  return { kind: isBytes ? 'bytes' : 'string', term: '', text, bytes, at, end }
}

function readNumber(number: string, source: string, at: number, preceding: readonly Token[]): Token {
  let text = number
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
