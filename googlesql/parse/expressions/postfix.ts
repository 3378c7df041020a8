/** Parses a primary expression and the dots, subscripts and call parentheses after it. */

import type { Call, Dot, Expression, Index } from '../../ast/nodes.js'
import type { Parser } from '../parser.js'
import { bareCall, parseCall } from './call.js'
import { parsePrimary } from './primary.js'

const INDEX_MODES: Readonly<Record<string, Index['mode']>> = {
  OFFSET: 'offset',
  ORDINAL: 'ordinal',
  SAFE_OFFSET: 'safe-offset',
  SAFE_ORDINAL: 'safe-ordinal',
}

/** Reserved words that are also names of functions. */
const RESERVED_FUNCTIONS: ReadonlySet<string> = new Set(['COLLATE', 'GROUPING', 'IF', 'LEFT', 'RANGE', 'RIGHT'])

/**
 * Parses a primary expression with its field accesses, subscripts and calls. It stops before a `.*`, which the select list
 * reads.
 */
export function parsePostfix(p: Parser): Expression {
  const primary = parsePrimary(p) ?? parseReservedCall(p)
  if (primary !== null) return parseSuffixes(p, primary)
  // A path of names is the name of a function if a parenthesis follows it.
  const path = [p.identifier()]
  if (p.is('(')) return parseSuffixes(p, parseCall(p, path))
  let expression: Expression = bareCall(path[0]!) ?? { kind: 'name', ...path[0]! }
  while (expression.kind !== 'call' && p.is('.') && p.peek().term !== '*') {
    const dot = parseDot(p, expression)
    path.push(dot.name)
    expression = p.is('(') ? parseCall(p, path) : dot
  }
  return parseSuffixes(p, expression)
}

function parseReservedCall(p: Parser): Call | null {
  if (!RESERVED_FUNCTIONS.has(p.token.term) || p.peek().term !== '(') return null
  const { text, at } = p.take()
  return parseCall(p, [{ name: text, at, isQuoted: false }])
}

function parseSuffixes(p: Parser, operand: Expression): Expression {
  let expression = operand
  for (;;) {
    if (p.is('[')) {
      expression = parseIndex(p, expression)
    } else if (p.is('.') && p.peek().term !== '*') {
      expression = parseDot(p, expression)
      if (p.is('(')) p.unsupported('A chained function call, x.f(),')
    } else {
      return expression
    }
  }
}

function parseDot(p: Parser, operand: Expression): Dot {
  p.expect('.')
  const name = p.identifier()
  return { kind: 'dot', operand, name, at: name.at }
}

function parseIndex(p: Parser, operand: Expression): Index {
  const { at } = p.expect('[')
  const mode = p.peek().term === '(' ? INDEX_MODES[p.token.term] : undefined
  if (mode !== undefined) {
    p.take()
    p.take()
  }
  const index = p.expression()
  if (mode !== undefined) p.expect(')')
  p.expect(']')
  return { kind: 'index', operand, mode: mode ?? 'plain', index, at }
}
