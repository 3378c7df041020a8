/** Parses the operator between the inputs of a set operation: `LEFT UNION ALL BY NAME ON (a)`. */

import type { Identifier, SetOperation } from '../../ast/nodes.js'
import { isSetOperatorMode } from '../parentheses.js'
import type { Parser } from '../parser.js'

/** The operator of a set operation, with its mode and its way to match columns. */
export type Combination = Omit<SetOperation, 'kind' | 'inputs'>

/** `[LEFT [OUTER]] UNION ALL [BY NAME …]` and the like; null when no set operation comes next. */
export function parseCombination(p: Parser): Combination | null {
  const { at } = p.token
  const mode = parseMode(p)
  const operator = p.token.term
  if (operator !== 'UNION' && operator !== 'INTERSECT' && operator !== 'EXCEPT') return null
  p.take()
  p.skipHint()
  const isAll = p.accept('ALL')
  if (operator === 'EXCEPT' && !isAll && !p.is('DISTINCT')) {
    p.fail('EXCEPT must be followed by ALL, DISTINCT, or "("', at)
  }
  if (!isAll && !p.accept('DISTINCT')) p.expected('ALL', 'DISTINCT')
  const { match, matchColumns, isStrict } = parseMatch(p)
  if (mode !== null && match === 'position') {
    p.syntaxError('INNER, LEFT and FULL need BY NAME or CORRESPONDING after the set operator', at)
  }
  if (mode !== null && isStrict) p.syntaxError('STRICT cannot be used with INNER, LEFT or FULL', at)
  return { at, operator, isAll, match, matchColumns, mode, isStrict }
}

function parseMode(p: Parser): SetOperation['mode'] {
  if (!isSetOperatorMode(p.token.term, p.peek().term, p.peek(2).term)) return null
  const { term } = p.take()
  p.accept('OUTER')
  return term === 'LEFT' ? 'left' : term === 'FULL' ? 'full' : 'inner'
}

function parseMatch(p: Parser): Pick<SetOperation, 'match' | 'matchColumns' | 'isStrict'> {
  if (p.acceptSequence('BY', 'NAME')) {
    return { match: 'by-name', matchColumns: p.accept('ON') ? parseColumns(p) : null, isStrict: false }
  }
  const isStrict = p.isSequence('STRICT', 'CORRESPONDING') && p.accept('STRICT')
  if (!p.accept('CORRESPONDING')) return { match: 'position', matchColumns: null, isStrict }
  return { match: 'corresponding', matchColumns: p.accept('BY') ? parseColumns(p) : null, isStrict }
}

function parseColumns(p: Parser): readonly Identifier[] {
  return p.parenthesisedList(item => item.identifier())
}

/** Refuses different set operations on one level: parentheses have to show which of them comes first. */
export function requireSameOperation(p: Parser, first: Combination, next: Combination): void {
  if (first.operator !== next.operator || first.isAll !== next.isAll) {
    p.syntaxError(
      'Different set operations cannot be used in the same query without using parentheses for grouping',
      next.at,
    )
  }
  const columns = (c: Combination): string =>
    c.matchColumns === null ? '' : JSON.stringify(c.matchColumns.map(column => column.name.toLowerCase()))
  if (
    first.match !== next.match ||
    first.mode !== next.mode ||
    first.isStrict !== next.isStrict ||
    columns(first) !== columns(next)
  ) {
    p.syntaxError(
      'Different column match modes cannot be used in the same query without using parentheses for ' + 'grouping',
      next.at,
    )
  }
}
