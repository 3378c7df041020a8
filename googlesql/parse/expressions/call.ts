/** Parses a function call from its parenthesis on: arguments, aggregate clauses, OVER. */

import type { Argument, Call, Expression, Identifier, Lambda } from '../../ast/nodes.js'
import type { Parser } from '../parser.js'
import { parseCount, parseOrderBy, parseWindow } from './window.js'

/**
 * Functions that may be called without parentheses. The grammar lists them because the parser does not import the catalogue.
 * They are the functions that read the clock; a test compares the list with the catalogue.
 */
const BARE_FUNCTIONS: ReadonlySet<string> = new Set([
  'CURRENT_DATE',
  'CURRENT_DATETIME',
  'CURRENT_TIME',
  'CURRENT_TIMESTAMP',
])

/** Parses a call of the function that `path` names, from its `(` on. */
export function parseCall(p: Parser, path: readonly Identifier[]): Call {
  p.expect('(')
  const isDistinct = p.accept('DISTINCT')
  const isStar = p.accept('*')
  let list: readonly Argument[] = []
  if (!isStar && (isDistinct || !p.is(')'))) list = p.list(parseArgument)
  const nulls = parseNulls(p)
  const having = parseHaving(p)
  const orderBy = parseOrderBy(p)
  const limit = p.accept('LIMIT') ? parseCount(p) : null
  if (isStar || list.length === 0 || nulls !== null || having !== null || orderBy.length > 0) p.expect(')')
  else p.close()
  p.skipHint()
  const over = p.accept('OVER') ? parseWindow(p) : null
  return { ...plainCall(path), arguments: list, isStar, isDistinct, nulls, having, orderBy, limit, over }
}

/** A call without arguments and clauses. */
const plainCall = (path: readonly Identifier[]): Call => ({
  kind: 'call',
  path,
  arguments: [],
  isStar: false,
  isDistinct: false,
  nulls: null,
  having: null,
  orderBy: [],
  limit: null,
  over: null,
  at: path[0]!.at,
})

/** A call without parentheses, such as CURRENT_DATE; null for every name that needs parentheses. */
export const bareCall = (name: Identifier): Call | null =>
  name.isQuoted || !BARE_FUNCTIONS.has(name.name.toUpperCase()) ? null : plainCall([name])

/** `expression [AS alias]`, or `name => expression`. */
export function parseArgument(p: Parser): Argument {
  p.refuseQuery('Each function argument')
  if (p.peek().term === '=>') {
    const name = p.identifier()
    p.take()
    return { name, expression: parseLambda(p) ?? p.expression(), alias: null }
  }
  const expression = parseLambda(p) ?? p.expression()
  const alias = p.accept('AS') ? p.identifier() : null
  return { name: null, expression, alias }
}

/** `e -> …` or `(a, b) -> …`; null when no lambda comes next. */
function parseLambda(p: Parser): Lambda | null {
  const isList = p.is('(') && p.afterParentheses().term === '->'
  if (!isList && p.peek().term !== '->') return null
  let parameters: readonly Identifier[]
  if (!isList) {
    parameters = [p.identifier()]
  } else if (p.isSequence('(', ')')) {
    p.take()
    p.take()
    parameters = []
  } else {
    parameters = p.parenthesisedList(item => item.identifier())
  }
  const { at } = p.expect('->')
  return { kind: 'lambda', parameters, body: p.expression(), at }
}

function parseNulls(p: Parser): Call['nulls'] {
  if (p.acceptSequence('IGNORE', 'NULLS')) return 'ignore'
  if (p.acceptSequence('RESPECT', 'NULLS')) return 'respect'
  return null
}

function parseHaving(p: Parser): Call['having'] {
  if (!p.accept('HAVING')) return null
  const extreme = p.accept('MAX') ? 'max' : p.accept('MIN') ? 'min' : p.expected('MAX', 'MIN')
  const expression: Expression = p.expression()
  return { extreme, expression }
}
