/** Parses literals and parameters: `1`, `'a' 'b'`, `b'\x00'`, `DATE '2026-01-31'`, `NULL`, `@name`. */

import type { Literal, Parameter } from '../../ast/nodes.js'
import type { Parser } from '../parser.js'
import { parseRangeType } from '../type.js'

type TypedName = Extract<Literal, { kind: 'typed' }>['typed']

const TYPED_LITERALS: Readonly<Record<string, TypedName>> = {
  DATE: 'DATE',
  DATETIME: 'DATETIME',
  TIME: 'TIME',
  TIMESTAMP: 'TIMESTAMP',
  NUMERIC: 'NUMERIC',
  DECIMAL: 'NUMERIC',
  BIGNUMERIC: 'BIGNUMERIC',
  BIGDECIMAL: 'BIGNUMERIC',
  JSON: 'JSON',
}

/** The literal or parameter that comes next, or null. The resolver checks whether the text of a typed literal is valid. */
export function parseLiteral(p: Parser): Literal | Parameter | null {
  const { kind, term, text, at } = p.token
  switch (kind) {
    case 'int':
      p.take()
      return { kind: 'int', value: text, at }
    case 'float':
      p.take()
      return { kind: 'float', value: text, at }
    case 'string':
      return { kind: 'string', value: parseString(p), at }
    case 'bytes':
      return { kind: 'bytes', value: parseBytes(p), at }
    case 'symbol':
      return term === '@' || term === '@@' ? parseParameter(p) : null
    case 'identifier':
      return parseWordLiteral(p)
    default:
      return null
  }
}

function parseWordLiteral(p: Parser): Literal | null {
  const { term, at } = p.token
  if (term === 'NULL') {
    p.take()
    return { kind: 'null', at }
  }
  if (term === 'TRUE' || term === 'FALSE') {
    p.take()
    return { kind: 'bool', value: term === 'TRUE', at }
  }
  const typed = p.peek().kind === 'string' ? TYPED_LITERALS[term] : undefined
  if (typed === undefined) return null
  p.take()
  return { kind: 'typed', typed, value: parseString(p), at }
}

/** `RANGE<DATE> '[2026-01-01, 2026-02-01)'`. */
export function parseRangeLiteral(p: Parser): Literal {
  const { name, at } = parseRangeType(p)
  if (p.token.kind !== 'string') p.unexpected()
  return { kind: 'typed', typed: name, value: parseString(p), at }
}

function parseParameter(p: Parser): Parameter {
  const { at } = p.token
  if (p.is('@@')) p.fail('System variables (@@) are not supported')
  p.take()
  // A parameter may have a reserved word's name.
  const name = p.token
  if (name.kind !== 'identifier' && name.kind !== 'quoted') p.unexpected()
  p.take()
  return { kind: 'parameter', name: name.text, at }
}

/** Joins adjacent string literals, which are one literal in pieces. Source: "Lexical structure", Tokens in literals. */
function parseString(p: Parser): string {
  let value = p.take().text
  while (isPiece(p, 'string')) value += p.take().text
  return value
}

function parseBytes(p: Parser): Uint8Array {
  const pieces = [p.take().bytes!]
  while (isPiece(p, 'bytes')) pieces.push(p.take().bytes!)
  return new Uint8Array(Buffer.concat(pieces))
}

/**
 * Whether the next token is another piece of the literal. Refuses a piece of the other kind, and a piece without white space
 * before it.
 */
function isPiece(p: Parser, kind: 'string' | 'bytes'): boolean {
  const next = p.token
  if (next.kind !== 'string' && next.kind !== 'bytes') return false
  if (next.kind !== kind) p.syntaxError('string and bytes literals cannot be concatenated.')
  // In other dialects 'it''s' is a string with a quote in it; here it is an error.
  if (p.peek(-1).end === next.at) {
    const reason = 'concatenated string literals must be separated by whitespace or comments'
    p.syntaxError(reason, next.at, 'adjacent-texts')
  }
  return true
}
