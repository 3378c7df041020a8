/** Parses one SELECT: its list, FROM, WHERE, GROUP BY, HAVING, QUALIFY and WINDOW. */

import type { Expression, Identifier, Select, SelectItem, SelectStar } from './ast.js'
import { parseFrom } from './parse-from.js'
import { parseGroupBy } from './parse-group-by.js'
import { isSetOperatorMode } from './parse-parentheses.js'
import { parseNamedWindow } from './parse-window.js'
import type { Parser } from './parser.js'

/** A SELECT without the ORDER BY and LIMIT behind it, which belong to the query. */
export function parseSelect(p: Parser): Select {
  const { at } = p.expect('SELECT')
  p.skipHint()
  if (p.is('WITH') && p.peek().term !== '(') p.unsupported('SELECT WITH')
  const isDistinct = p.accept('DISTINCT')
  if (!isDistinct) p.accept('ALL')
  const as = parseAs(p)
  const items = parseItems(p)
  const from = p.accept('FROM') ? parseFrom(p) : null
  const where = p.accept('WHERE') ? p.expression() : null
  const groupBy = p.is('GROUP') ? parseGroupBy(p) : null
  const having = p.accept('HAVING') ? p.expression() : null
  const qualify = p.accept('QUALIFY') ? p.expression() : null
  const windows = p.accept('WINDOW') ? p.list(parseNamedWindow) : []
  return { kind: 'select', at, isDistinct, as, items, from, where, groupBy, having, qualify, windows }
}

function parseAs(p: Parser): Select['as'] {
  if (!p.is('AS')) return null
  if (p.acceptSequence('AS', 'STRUCT')) return 'struct'
  if (p.acceptSequence('AS', 'VALUE')) return 'value'
  return p.unsupported('SELECT AS with a type name')
}

function parseItems(p: Parser): readonly SelectItem[] {
  if (endsItems(p)) {
    if (p.is('FROM')) p.fail('Syntax error: SELECT list must not be empty')
    p.unexpected()
  }
  const items = [parseItem(p)]
  // The list may end with a comma.
  while (p.accept(',') && !endsItems(p)) items.push(parseItem(p))
  return items
}

const AFTER_ITEMS: ReadonlySet<string> = new Set(
  '; ) |> FROM WHERE GROUP HAVING QUALIFY WINDOW ORDER LIMIT UNION INTERSECT EXCEPT'.split(' '),
)

function endsItems(p: Parser): boolean {
  const { kind, term } = p.token
  return kind === 'end' || AFTER_ITEMS.has(term) || isSetOperatorMode(term, p.peek().term, p.peek(2).term)
}

function parseItem(p: Parser): SelectItem {
  const { at } = p.token
  if (p.accept('*')) return parseStar(p, null, at)
  const expression = p.expression()
  if (p.acceptSequence('.', '*')) return parseStar(p, expression, at)
  return { kind: 'expression', at, expression, alias: p.alias() }
}

function parseStar(p: Parser, of: Expression | null, at: number): SelectStar {
  const isExcept = p.isSequence('EXCEPT', '(') && p.accept('EXCEPT')
  const except = isExcept ? p.parenthesisedList(item => item.identifier()) : []
  const isReplace = p.isSequence('REPLACE', '(') && p.accept('REPLACE')
  const replace = isReplace ? p.parenthesisedList(parseReplacement) : []
  return { kind: 'star', at, of, except, replace }
}

function parseReplacement(p: Parser): { readonly expression: Expression; readonly name: Identifier } {
  const expression = p.expression()
  p.expect('AS')
  return { expression, name: p.identifier() }
}
