/** Parses GROUP BY with ALL, ROLLUP, CUBE, GROUPING SETS and `()`. */

import type { Expression, GroupBy, GroupingItem, GroupingSetItem } from '../../ast/nodes.js'
import type { Parser } from '../parser.js'

/** The GROUP BY clause that comes next. */
export function parseGroupBy(p: Parser): GroupBy {
  const { at } = p.expect('GROUP')
  p.skipHint()
  p.expect('BY')
  if (p.accept('ALL')) return { at, isAll: true, items: [] }
  return { at, isAll: false, items: p.list(parseGroupingItem) }
}

/** One item of GROUP BY. */
export function parseGroupingItem(p: Parser): GroupingItem {
  const { at } = p.token
  if (p.acceptSequence('(', ')')) return { kind: 'empty', at }
  if (p.acceptSequence('GROUPING', 'SETS')) {
    return { kind: 'grouping-sets', items: p.parenthesisedList(parseGroupingSet), at }
  }
  const rollup = parseRollup(p)
  return rollup === null
    ? { kind: 'expression', expression: p.expression(), alias: null, order: null, at }
    : { ...rollup, at }
}

function parseGroupingSet(p: Parser): GroupingSetItem {
  if (p.acceptSequence('(', ')')) return { kind: 'set', expressions: [] }
  return parseRollup(p) ?? { kind: 'set', expressions: parseSet(p) }
}

function parseRollup(p: Parser): Extract<GroupingSetItem, { kind: 'rollup' | 'cube' }> | null {
  const kind = p.accept('ROLLUP') ? 'rollup' : p.accept('CUBE') ? 'cube' : null
  return kind === null ? null : { kind, sets: p.parenthesisedList(parseSet) }
}

/** One expression, or a list of them in parentheses. */
function parseSet(p: Parser): readonly Expression[] {
  const isList = p.is('(') && !p.isQueryAhead() && [',', ')'].includes(p.afterParentheses().term)
  return isList ? p.parenthesisedList(item => item.expression()) : [p.expression()]
}
