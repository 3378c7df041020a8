/** Parses a query: WITH, set operations, ORDER BY, LIMIT. */

import type { Cte, Identifier, Query, QueryBody, SetOperation } from './ast.js'
import { isSetOperatorMode } from './parse-parentheses.js'
import { parseSelect } from './parse-select.js'
import { parseCount, parseOrderBy } from './parse-window.js'
import type { Parser } from './parser.js'

/** A whole query, up to the first token that cannot belong to it. */
export function parseQueryExpression(p: Parser): Query {
  const { at } = p.token
  let ctes: readonly Cte[] = []
  let isRecursive = false
  if (p.accept('WITH')) {
    isRecursive = p.accept('RECURSIVE')
    ctes = p.list(parseCte)
  }
  const body = parseBody(p)
  const orderBy = parseOrderBy(p)
  const limit = p.accept('LIMIT') ? parseCount(p) : null
  const offset = limit !== null && p.accept('OFFSET') ? parseCount(p) : null
  return { kind: 'query', at, ctes, isRecursive, body, orderBy, limit, offset }
}

function parseCte(p: Parser): Cte {
  const name = p.identifier()
  p.expect('AS')
  p.expect('(')
  const query = p.query()
  p.expect(')')
  return { name, query, at: name.at }
}

/** How the inputs of a set operation are combined. */
type Combination = Omit<SetOperation, 'kind' | 'inputs'>

function parseBody(p: Parser): QueryBody {
  const inputs = [parseInput(p)]
  let first: Combination | null = null
  for (;;) {
    const combination = parseCombination(p)
    if (combination === null) break
    if (first !== null) requireSame(p, first, combination)
    first ??= combination
    inputs.push(parseInput(p))
  }
  return first === null ? inputs[0]! : { kind: 'set-operation', ...first, inputs }
}

function parseInput(p: Parser): QueryBody {
  if (p.is('SELECT')) return parseSelect(p)
  if (!p.is('(')) {
    if (p.is('FROM') && p.has('|>')) p.unsupported('Pipe syntax')
    return p.is('FROM') ? p.unexpected() : p.expected('"(" or keyword SELECT or keyword WITH')
  }
  p.take()
  const query = p.query()
  p.expect(')')
  return query
}

/** `[LEFT [OUTER]] UNION ALL [BY NAME …]` and the like when that comes next, or null. */
function parseCombination(p: Parser): Combination | null {
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
  if (!isAll && !p.accept('DISTINCT')) p.expected('keyword ALL or keyword DISTINCT')
  const { match, matchColumns, isStrict } = parseMatch(p)
  if (mode !== null && match === 'position') {
    p.fail('Syntax error: INNER, LEFT and FULL need BY NAME or CORRESPONDING behind the set operator', at)
  }
  if (mode !== null && isStrict) p.fail('Syntax error: STRICT cannot be used with INNER, LEFT or FULL', at)
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

/** Set operations of one level must be all alike; else parentheses have to say which comes first. */
function requireSame(p: Parser, first: Combination, next: Combination): void {
  if (first.operator !== next.operator || first.isAll !== next.isAll) {
    p.fail(
      'Syntax error: Different set operations cannot be used in the same query without using parentheses for grouping',
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
    p.fail(
      'Syntax error: Different column match modes cannot be used in the same query without using parentheses for ' +
        'grouping',
      next.at,
    )
  }
}
