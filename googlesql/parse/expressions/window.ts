/** Parses ORDER BY items, LIMIT counts, and the windows of OVER and WINDOW. */

import type { Expression, Frame, FrameBound, Identifier, NamedWindow, OrderItem, Window } from '../../ast/nodes.js'
import type { Parser } from '../parser.js'
import { parseTypeNode } from '../type.js'
import { parseLiteral } from './literal.js'

/** The items of ORDER BY; an empty list when no ORDER BY comes next. */
export function parseOrderBy(p: Parser): readonly OrderItem[] {
  if (!p.accept('ORDER')) return []
  p.skipHint()
  p.expect('BY')
  return p.list(parseOrderItem)
}

function parseOrderItem(p: Parser): OrderItem {
  const { at } = p.token
  const expression = p.expression()
  if (p.is('COLLATE')) p.unsupported('COLLATE')
  const isDescending = p.accept('DESC')
  if (!isDescending) p.accept('ASC')
  return { expression, isDescending, nulls: parseNulls(p), at }
}

/** NULLS FIRST or NULLS LAST; null when neither comes next. */
export function parseNulls(p: Parser): OrderItem['nulls'] {
  if (!p.accept('NULLS')) return null
  if (p.accept('FIRST')) return 'first'
  if (p.accept('LAST')) return 'last'
  return p.expected('FIRST', 'LAST')
}

/** The number of a LIMIT in the arguments of an aggregate: an integer literal, a parameter, or a CAST of either. */
export function parseCount(p: Parser): Expression {
  const { at } = p.token
  if (!p.acceptSequence('CAST', '(')) return parsePlainCount(p) ?? p.unexpected()
  const operand = parsePlainCount(p) ?? p.expected('@', 'integer literal')
  p.expect('AS')
  const type = parseTypeNode(p)
  p.expect(')')
  return { kind: 'cast', operand, type, isSafe: false, format: null, timeZone: null, at }
}

function parsePlainCount(p: Parser): Expression | null {
  return p.token.kind === 'int' || p.is('@') ? parseLiteral(p) : null
}

/** The window after OVER: `w` or `(…)`. */
export function parseWindow(p: Parser): Window {
  const { at } = p.token
  if (!p.is('(')) {
    if (!p.isIdentifier()) p.expected('(')
    return { at, base: p.identifier(), partitionBy: [], orderBy: [], frame: null }
  }
  p.take()
  const base: Identifier | null = p.isIdentifier() ? p.identifier() : null
  let partitionBy: readonly Expression[] = []
  if (p.accept('PARTITION')) {
    p.skipHint()
    p.expect('BY')
    partitionBy = p.list(item => item.expression())
  }
  const orderBy = parseOrderBy(p)
  const frame = p.is('ROWS') || p.is('RANGE') ? parseFrame(p) : null
  if (p.is('GROUPS')) p.unsupported('Window frame unit GROUPS')
  p.expect(')')
  return { at, base, partitionBy, orderBy, frame }
}

/** One item of the WINDOW clause: `w AS (…)` or `w AS other`. */
export function parseNamedWindow(p: Parser): NamedWindow {
  const name = p.identifier()
  p.expect('AS')
  return { name, window: parseWindow(p) }
}

function parseFrame(p: Parser): Frame {
  const { at } = p.token
  const unit = p.take().term === 'ROWS' ? 'rows' : 'range'
  if (!p.accept('BETWEEN')) return { unit, start: parseBound(p), end: null, at }
  const start = parseBound(p)
  p.expect('AND')
  return { unit, start, end: parseBound(p), at }
}

function parseBound(p: Parser): FrameBound {
  const { at } = p.token
  if (p.accept('CURRENT')) {
    p.expect('ROW')
    return { kind: 'current-row', offset: null, at }
  }
  const offset = p.accept('UNBOUNDED') ? null : p.operand()
  if (p.accept('PRECEDING')) return { kind: offset === null ? 'unbounded-preceding' : 'preceding', offset, at }
  if (p.accept('FOLLOWING')) return { kind: offset === null ? 'unbounded-following' : 'following', offset, at }
  return p.expected('FOLLOWING', 'PRECEDING')
}
