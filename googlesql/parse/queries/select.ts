/** Parses one SELECT: its list, FROM, WHERE, GROUP BY, HAVING, QUALIFY and WINDOW. */

import type { Expression, Identifier, NamedWindow, Select, SelectItem, SelectStar } from '../../ast/nodes.js'
import { parseNamedWindow } from '../expressions/window.js'
import { isSetOperatorMode } from '../parentheses.js'
import type { Parser } from '../parser.js'
import { parseFrom } from './from.js'
import { parseGroupBy } from './group-by.js'

/** A SELECT without the ORDER BY and LIMIT after it, which belong to the query. */
export function parseSelect(p: Parser): Select {
  const { at, isDistinct, as, items } = parseList(p)
  const from = p.accept('FROM') ? parseFrom(p) : null
  const where = p.accept('WHERE') ? p.expression() : null
  const groupBy = p.is('GROUP') ? parseGroupBy(p) : null
  const having = p.accept('HAVING') ? p.expression() : null
  const qualify = p.accept('QUALIFY') ? p.expression() : null
  const windows = parseWindows(p)
  return { kind: 'select', at, isDistinct, as, items, from, where, groupBy, having, qualify, windows }
}

/** The SELECT of a pipe: its rows come through the pipe, and only WINDOW may follow its list. */
export function parsePipeSelect(p: Parser): Select {
  const list = parseList(p)
  const windows = parseWindows(p)
  return { kind: 'select', ...list, from: null, where: null, groupBy: null, having: null, qualify: null, windows }
}

function parseList(p: Parser): Pick<Select, 'at' | 'isDistinct' | 'as' | 'items'> {
  const { at } = p.expect('SELECT')
  p.skipHint()
  if (p.is('WITH') && p.peek().term !== '(') p.unsupported('SELECT WITH')
  const isDistinct = p.accept('DISTINCT')
  if (!isDistinct) p.accept('ALL')
  const as = parseAs(p)
  return { at, isDistinct, as, items: parseItems(p) }
}

/** The windows of the WINDOW clause; an empty list when no WINDOW comes next. */
export function parseWindows(p: Parser): readonly NamedWindow[] {
  return p.accept('WINDOW') ? p.list(parseNamedWindow) : []
}

function parseAs(p: Parser): Select['as'] {
  if (!p.is('AS')) return null
  if (p.acceptSequence('AS', 'STRUCT')) return 'struct'
  if (p.acceptSequence('AS', 'VALUE')) return 'value'
  return p.unsupported('SELECT AS with a type name')
}

/** The items of a select list, up to the next clause. */
export function parseItems(p: Parser): readonly SelectItem[] {
  if (endsItems(p)) {
    if (p.is('FROM')) p.syntaxError('SELECT list must not be empty')
    p.unexpected()
  }
  const items = [parseItem(p)]
  // The list may end with a comma.
  while (p.accept(',')) {
    if (endsItems(p)) {
      refuseKeywordItem(p)
      break
    }
    items.push(parseItem(p))
  }
  return items
}

/** Refuses a keyword that is meant as a name after a comma, as in `SELECT product, order FROM t`. */
function refuseKeywordItem(p: Parser): void {
  const { kind, term } = p.token
  const next = p.peek().term
  if (kind !== 'identifier') return
  const isClause = term === 'ORDER' || term === 'GROUP' ? next === 'BY' || next === '@' : !NOT_AFTER_CLAUSE.has(next)
  if (!isClause) p.unexpected()
}
const NOT_AFTER_CLAUSE: ReadonlySet<string> = new Set([',', 'FROM', 'AS'])

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

function parseStar(p: Parser, path: Expression | null, at: number): SelectStar {
  const isExcept = p.isSequence('EXCEPT', '(') && p.accept('EXCEPT')
  const except = isExcept ? p.parenthesisedList(item => item.identifier()) : []
  const isReplace = p.isSequence('REPLACE', '(') && p.accept('REPLACE')
  const replace = isReplace ? p.parenthesisedList(parseReplacement) : []
  return { kind: 'star', at, path: path, except, replace }
}

function parseReplacement(p: Parser): { readonly expression: Expression; readonly name: Identifier } {
  const expression = p.expression()
  p.expect('AS')
  return { expression, name: p.identifier() }
}
