/** Parses expressions by the precedence of their operators. Source: the language reference, "Operators". */

import type { BinaryOperator, Expression } from '../../ast/nodes.js'
import type { Parser } from '../parser.js'
import { parsePostfix } from './postfix.js'

const OR = 1
const AND = 2
const NOT = 3
const COMPARISON = 4
const BITWISE_OR = 5
const UNARY = 11

/** The precedence of the binary operators: a higher number binds more tightly. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ['OR', OR],
  ['AND', AND],
  ...['=', '!=', '<>', '<', '<=', '>', '>=', 'IS', 'IN', 'LIKE', 'BETWEEN'].map(term => [term, COMPARISON] as const),
  ['|', BITWISE_OR],
  ['^', 6],
  ['&', 7],
  ['<<', 8],
  ['>>', 8],
  ['+', 9],
  ['-', 9],
  ['*', 10],
  ['/', 10],
  ['||', 10],
])

/** A longer chain of AND or OR becomes a balanced tree, because a tree as deep as the chain is long would exhaust the stack. */
const LONGEST_PLAIN_CHAIN = 64

/** Parses an expression of any kind except a lambda. */
export function parseExpression(p: Parser): Expression {
  return parseOperators(p, OR)
}

/** Parses an expression without NOT, AND, OR and comparisons at its top, such as the column before the IN of PIVOT. */
export function parseOperand(p: Parser): Expression {
  return parseOperators(p, BITWISE_OR)
}

/** Parses an expression whose operators have at least the precedence `least`. */
function parseOperators(p: Parser, least: number): Expression {
  let left = parsePrefix(p, least)
  let isCompared = false
  for (;;) {
    const operator = infixOf(p)
    const precedence = PRECEDENCE.get(operator)
    if (precedence === undefined || precedence < least) return left
    if (precedence === COMPARISON) {
      // Comparisons do not associate: `a < b < c` is an error.
      if (isCompared) p.unexpected()
      isCompared = true
      left = parseComparison(p, left)
    } else if (precedence <= AND) {
      left = parseChain(p, left, operator as 'AND' | 'OR', precedence)
    } else {
      const { at } = p.take()
      if (operator === '>>') p.take()
      const right = parseOperators(p, precedence + 1)
      left = { kind: 'binary', operator: operator as BinaryOperator, left, right, at }
    }
  }
}

/** The operator that comes next: `>>` for two adjacent `>`, and IN, LIKE or BETWEEN for NOT IN, NOT LIKE and NOT BETWEEN. */
function infixOf(p: Parser): string {
  const { term, end } = p.token
  const next = p.peek()
  if (term === '>' && next.term === '>' && next.at === end) return '>>'
  if (term === 'NOT' && (next.term === 'IN' || next.term === 'LIKE' || next.term === 'BETWEEN')) return next.term
  return term
}

function parsePrefix(p: Parser, least: number): Expression {
  const { term, at } = p.token
  if (term !== 'NOT' && term !== '-' && term !== '+' && term !== '~') return parsePostfix(p)
  // In `a = NOT b` and `-NOT b`, NOT needs parentheses around it.
  if (term === 'NOT' && least > NOT) p.unexpected()
  p.take()
  const operand = p.nested(() => (term === 'NOT' ? parseOperators(p, NOT) : parsePrefix(p, UNARY)))
  return { kind: 'unary', operator: term, operand, at }
}

/** Parses the rest of `left AND b AND c …`, from the first AND (or OR) on. */
function parseChain(p: Parser, left: Expression, operator: 'AND' | 'OR', precedence: number): Expression {
  const operands = [left]
  const places: number[] = []
  while (p.is(operator)) {
    places.push(p.take().at)
    operands.push(parseOperators(p, precedence + 1))
  }
  if (operands.length > LONGEST_PLAIN_CHAIN) return balance(operands, places, operator, 0, operands.length)
  return places.reduce(
    (all, at, i): Expression => ({ kind: 'binary', operator, left: all, right: operands[i + 1]!, at }),
    left,
  )
}

/** The operands from `from` to `to`, exclusive, as a balanced tree; the order of evaluation and the result stay the same. */
function balance(
  operands: readonly Expression[],
  places: readonly number[],
  operator: 'AND' | 'OR',
  from: number,
  to: number,
): Expression {
  if (to - from === 1) return operands[from]!
  const middle = (from + to) >> 1
  const left = balance(operands, places, operator, from, middle)
  const right = balance(operands, places, operator, middle, to)
  return { kind: 'binary', operator, left, right, at: places[middle - 1]! }
}

function parseComparison(p: Parser, left: Expression): Expression {
  const { at } = p.token
  if (p.accept('IS')) return parseIs(p, left, at)
  const isNegated = p.accept('NOT')
  if (p.accept('IN')) return parseIn(p, left, isNegated, at)
  if (p.accept('LIKE')) return parseLike(p, left, isNegated, at)
  if (p.accept('BETWEEN')) {
    const start = p.token.at
    const low = parseOperand(p)
    if (!p.is('AND') && PRECEDENCE.has(infixOf(p))) p.syntaxError('Expression in BETWEEN must be parenthesized', start)
    if (!p.accept('AND')) p.unexpected()
    return { kind: 'between', operand: left, low, high: parseOperand(p), isNegated, at }
  }
  const { term } = p.take()
  const operator = (term === '<>' ? '!=' : term) as BinaryOperator
  return { kind: 'binary', operator, left, right: parseOperand(p), at }
}

function parseIs(p: Parser, left: Expression, at: number): Expression {
  const isNegated = p.accept('NOT')
  if (p.accept('DISTINCT')) {
    p.expect('FROM')
    return { kind: 'is-distinct', left, right: parseOperand(p), isNegated, at }
  }
  const { term } = p.token
  if (term !== 'NULL' && term !== 'TRUE' && term !== 'FALSE' && term !== 'UNKNOWN') {
    return p.expected('FALSE', 'NULL', 'TRUE', 'UNKNOWN')
  }
  p.take()
  return { kind: 'is', operand: left, test: term, isNegated, at }
}

function parseIn(p: Parser, operand: Expression, isNegated: boolean, at: number): Expression {
  p.skipHint()
  if (p.is('UNNEST')) return { kind: 'in-unnest', operand, array: parseUnnest(p), isNegated, at }
  if (!p.is('(')) p.expected('(', 'UNNEST')
  if (p.isQueryAhead()) return { kind: 'in-query', operand, query: p.parenthesisedQuery(), isNegated, at }
  return { kind: 'in-list', operand, items: p.parenthesisedList(item => item.expression()), isNegated, at }
}

function parseLike(p: Parser, operand: Expression, isNegated: boolean, at: number): Expression {
  const isAny = p.accept('ANY') || p.accept('SOME')
  if (!isAny && !p.accept('ALL')) return { kind: 'like', operand, pattern: parseOperand(p), isNegated, at }
  p.skipHint()
  const array = p.is('UNNEST') ? parseUnnest(p) : null
  if (array === null && !p.is('(')) p.expected('(', 'UNNEST')
  const query = array === null && p.isQueryAhead() ? p.parenthesisedQuery() : null
  const patterns = array === null && query === null ? p.parenthesisedList(item => item.expression()) : null
  return { kind: 'like-quantified', operand, quantifier: isAny ? 'ANY' : 'ALL', patterns, array, query, isNegated, at }
}

/** `UNNEST(array)`. */
export function parseUnnest(p: Parser): Expression {
  p.expect('UNNEST')
  p.expect('(')
  p.refuseQuery('The argument to UNNEST')
  const array = p.expression()
  p.expect(')')
  return array
}
