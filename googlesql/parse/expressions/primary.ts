/** Parses the expressions that begin with a word, symbol or parenthesis of their own: CASE, CAST, `[…]`, `(…)`, … */

import type {
  ArrayConstructor,
  Case,
  Cast,
  DatePart,
  Expression,
  Extract,
  IntervalExpression,
  StructConstructor,
  Subquery,
  TypeNode,
  WithExpression,
} from '../../ast/nodes.js'
import type { Parser } from '../parser.js'
import { parseTypeNode } from '../type.js'
import { parseLiteral, parseRangeLiteral } from './literal.js'

/** The expression that comes next, or null when it begins with a name. */
export function parsePrimary(p: Parser): Expression | null {
  const literal = parseLiteral(p)
  if (literal !== null) return literal
  return PRIMARIES.get(p.token.term)?.(p) ?? null
}

const isCallAhead = (p: Parser): boolean => p.peek().term === '('

/** The expressions that begin with a word or a bracket; null where the word is a name. */
const PRIMARIES = new Map<string, (p: Parser) => Expression | null>([
  ['(', parseParentheses],
  ['[', p => parseArray(p, null, p.token.at)],
  ['ARRAY', parseArrayWord],
  ['STRUCT', parseStruct],
  ['CASE', parseCase],
  ['CAST', parseCast],
  ['SAFE_CAST', p => (isCallAhead(p) ? parseCast(p) : null)],
  ['EXTRACT', parseExtract],
  ['EXISTS', p => parseSubqueryWord(p, 'exists')],
  ['INTERVAL', parseInterval],
  ['WITH', p => (isCallAhead(p) ? parseWith(p) : null)],
  ['RANGE', p => (isCallAhead(p) ? null : parseRangeLiteral(p))],
])

/** `(SELECT …)`, `(a, b)`, or an expression in parentheses; the tree has no node for such parentheses. */
function parseParentheses(p: Parser): Expression {
  const { at } = p.token
  if (p.isQueryAhead()) return { kind: 'subquery', form: 'scalar', query: p.parenthesisedQuery(), at }
  p.take()
  const first = p.expression()
  if (!p.is(',')) {
    p.expect(')')
    return first
  }
  const fields = [{ expression: first, alias: null }]
  while (p.accept(',')) fields.push({ expression: p.expression(), alias: null })
  p.close()
  return { kind: 'struct', type: null, isTuple: true, fields, at }
}

function parseSubqueryWord(p: Parser, form: Subquery['form']): Subquery {
  const { at } = p.take()
  p.skipHint()
  return { kind: 'subquery', form, query: p.parenthesisedQuery(), at }
}

function parseArrayWord(p: Parser): ArrayConstructor | Subquery {
  const { at } = p.token
  const next = p.peek().term
  if (next === '(') return parseSubqueryWord(p, 'array')
  if (next === '[') {
    p.take()
    return parseArray(p, null, at)
  }
  if (next !== '<') {
    p.take()
    p.expected('(', '<', '[')
  }
  const type = parseTypeNode(p)
  return parseArray(p, type.kind === 'array' ? type.element : null, at)
}

function parseArray(p: Parser, element: TypeNode | null, at: number): ArrayConstructor {
  p.expect('[')
  const items = p.is(']') ? [] : p.list(item => item.expression())
  if (!p.accept(']')) p.expected(']', ',')
  return { kind: 'array', element, items, at }
}

function parseStruct(p: Parser): StructConstructor {
  const { at } = p.token
  let type: TypeNode | null = null
  if (p.peek().term === '(') p.take()
  else type = parseTypeNode(p)
  p.expect('(')
  const fields = p.is(')') ? [] : p.list(parseField)
  p.close()
  return { kind: 'struct', type, isTuple: false, fields, at }
}

function parseField(p: Parser): StructConstructor['fields'][number] {
  return { expression: p.expression(), alias: p.accept('AS') ? p.identifier() : null }
}

function parseCase(p: Parser): Case {
  const { at } = p.take()
  const operand = p.is('WHEN') ? null : p.expression()
  const branches: Case['branches'][number][] = []
  if (!p.is('WHEN')) p.expected('WHEN')
  while (p.accept('WHEN')) {
    const when = p.expression()
    p.expect('THEN')
    branches.push({ when, then: p.expression() })
  }
  const otherwise = p.accept('ELSE') ? p.expression() : null
  p.expect('END')
  return { kind: 'case', operand, branches, otherwise, at }
}

function parseCast(p: Parser): Cast {
  const { at, term } = p.take()
  p.expect('(')
  p.refuseQuery(`The argument to ${term}`)
  const operand = p.expression()
  p.expect('AS')
  const type = parseTypeNode(p)
  const format = p.accept('FORMAT') ? p.expression() : null
  const timeZone = format === null ? null : parseTimeZone(p)
  p.expect(')')
  return { kind: 'cast', operand, type, isSafe: term === 'SAFE_CAST', format, timeZone, at }
}

function parseExtract(p: Parser): Extract {
  const { at } = p.take()
  p.expect('(')
  const part = parseDatePart(p)
  p.expect('FROM')
  const operand = p.expression()
  const timeZone = parseTimeZone(p)
  p.expect(')')
  return { kind: 'extract', part, operand, timeZone, at }
}

function parseTimeZone(p: Parser): Expression | null {
  if (!p.accept('AT')) return null
  p.expect('TIME')
  p.expect('ZONE')
  return p.expression()
}

function parseInterval(p: Parser): IntervalExpression {
  const keyword = p.take()
  const { at } = keyword
  const valueToken = p.token
  // In `SELECT interval FROM t` the keyword is the mistake, not the token after it.
  if (valueToken.term === 'FROM' || valueToken.term === ',') p.unexpected(keyword)
  const value = p.expression()
  if (valueToken.kind === 'string' && !p.isIdentifier()) {
    p.fail('A valid date part name is required', valueToken.at, { code: 'no-date-part', word: null })
  }
  const part = parsePlainPart(p)
  const to = p.accept('TO') ? parsePlainPart(p) : null
  return { kind: 'interval', value, part, to, at }
}

/** `DAY`, or `WEEK(MONDAY)`; the resolver checks whether the word is a date part. */
function parseDatePart(p: Parser): DatePart {
  const part = parsePlainPart(p)
  if (!p.accept('(')) return part
  const weekday = p.identifier().name.toUpperCase()
  p.expect(')')
  return { ...part, weekday }
}

function parsePlainPart(p: Parser): DatePart {
  const { name, at } = p.identifier()
  return { part: name.toUpperCase(), weekday: null, at }
}

/** `WITH(a AS 1, b AS a + 1, a + b)`. */
function parseWith(p: Parser): WithExpression {
  const { at } = p.take()
  p.expect('(')
  const bindings: WithExpression['bindings'][number][] = []
  while (p.isIdentifier() && p.peek().term === 'AS') {
    const name = p.identifier()
    p.take()
    bindings.push({ name, expression: p.expression() })
    p.expect(',')
  }
  if (bindings.length === 0) p.unexpected()
  const result = p.expression()
  p.expect(')')
  return { kind: 'with', bindings, result, at }
}
