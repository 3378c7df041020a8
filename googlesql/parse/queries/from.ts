/** Parses FROM: tables, subqueries, UNNEST, and the joins between them. */

import type { Argument, Expression, From, Identifier, Join, TableCall, TablePath, UnnestFrom } from '../../ast/nodes.js'
import type { Token } from '../../lex/tokenize.js'
import { parseArgument } from '../expressions/call.js'
import { parseUnnest as parseUnnestedArray } from '../expressions/expression.js'
import { isSetOperatorMode } from '../parentheses.js'
import type { Parser } from '../parser.js'
import { parsePivot, parseUnpivot } from './pivot.js'

/** Parses the items and joins that follow the word FROM. */
export function parseFrom(p: Parser): From {
  const first = parseItem(p)
  return combine(p, first, parseJoins(p))
}

// ---- joins

function parseJoins(p: Parser): readonly JoinPart[] {
  const joins: JoinPart[] = []
  let hasComma = false
  for (let join = parseJoin(p); join !== null; join = parseJoin(p)) {
    if (hasComma && (join.join === 'right' || join.join === 'full')) refuseAfterComma(p, join)
    hasComma ||= join.join === 'comma'
    joins.push(join)
  }
  return joins
}

function combine(p: Parser, first: From, joins: readonly JoinPart[]): From {
  if (joins.some(join => join.conditions.length > 1)) return nestJoins(p, first, joins)
  // `a JOIN b ON … JOIN c ON …`: the left side of each join is everything before it.
  return joins.reduce((left, part) => makeJoin(left, part, part.right, part.conditions[0]), first)
}

interface Condition {
  readonly on: Expression | null
  readonly using: readonly Identifier[] | null
  readonly at: number
}
export type JoinPart = NonNullable<ReturnType<typeof parseJoin>>

/** The join that comes next, without its left side: its operator, its right side, and the conditions after it; null if no join is next. */
export function parseJoin(p: Parser) {
  const { at } = p.token
  const join = parseJoinOperator(p)
  if (join === null) return null
  if (p.is('LATERAL')) p.unsupported('LATERAL')
  const right = parseItem(p)
  const conditions: Condition[] = []
  while (p.is('ON') || p.is('USING')) {
    if (join === 'comma') p.unexpected()
    if (join === 'cross') p.fail(`${p.token.term} cannot be used with CROSS JOIN`)
    conditions.push(parseCondition(p))
  }
  return { join, at, right, conditions }
}

function parseJoinOperator(p: Parser): Join['join'] | null {
  if (p.accept(',')) return 'comma'
  const { term } = p.token
  if (term === 'NATURAL') p.unsupported('NATURAL JOIN')
  if (isSetOperatorMode(term, p.peek().term, p.peek(2).term)) return null
  let join: Join['join']
  if (term === 'JOIN' || term === 'INNER') join = 'inner'
  else if (term === 'CROSS') join = 'cross'
  else if (term === 'LEFT' || term === 'RIGHT' || term === 'FULL')
    join = term.toLowerCase() as 'left' | 'right' | 'full'
  else return null
  if (term !== 'JOIN') p.take()
  if (join !== 'inner' && join !== 'cross') p.accept('OUTER')
  p.skipHint()
  p.expect('JOIN')
  p.skipHint()
  return join
}

function parseCondition(p: Parser): Condition {
  const { at } = p.token
  if (p.accept('ON')) return { on: p.expression(), using: null, at }
  p.expect('USING')
  return { on: null, using: p.parenthesisedList(item => item.identifier()), at }
}

function makeJoin(left: From, part: JoinPart, right: From, condition: Condition | undefined): Join {
  return {
    kind: 'join',
    at: part.at,
    join: part.join,
    left,
    right,
    on: condition?.on ?? null,
    using: condition?.using ?? null,
  }
}

function refuseAfterComma(p: Parser, { join, at }: JoinPart): never {
  p.syntaxError(
    `${join.toUpperCase()} JOIN must be parenthesized when following a comma join.  Also, if the ` +
      'preceding comma join is a correlated CROSS JOIN that unnests an array, then CROSS JOIN syntax must be used in ' +
      'place of the comma join',
    at,
  )
}

/** `a JOIN b JOIN c ON … ON …`: each condition belongs to the last join that does not have one yet. */
function nestJoins(p: Parser, first: From, parts: readonly JoinPart[]): From {
  const conditions = parts.reduce((count, part) => count + part.conditions.length, 0)
  const count = `The number of join conditions is ${conditions} but the number of joins that require a join condition is`
  const openJoins: { readonly left: From; readonly part: JoinPart }[] = []
  let closedCount = 0
  let current = first
  const refuseOpen = (part: JoinPart): never =>
    p.syntaxError(
      `${count} ${closedCount + openJoins.length}. ${part.join.toUpperCase()} JOIN must have an ON or USING clause`,
      part.at,
    )
  for (const part of parts) {
    const open = openJoins[0]
    if (part.join === 'comma' && open !== undefined) refuseOpen(open.part)
    if (part.join === 'comma' || part.join === 'cross') {
      current = makeJoin(current, part, part.right, undefined)
      continue
    }
    openJoins.push({ left: current, part })
    current = part.right
    for (const condition of part.conditions) {
      const join = openJoins.pop()
      if (join === undefined) {
        const word = condition.using === null ? 'ON' : 'USING'
        return p.syntaxError(`${count} only ${closedCount}. Unexpected keyword ${word}`, condition.at)
      }
      current = makeJoin(join.left, join.part, current, condition)
      closedCount++
    }
  }
  const open = openJoins[0]
  return open === undefined ? current : refuseOpen(open.part)
}

// ---- items of FROM

const parseItem = (p: Parser): From => p.nested(parsePivoted)

function parsePivoted(p: Parser): From {
  let item = parsePrimary(p)
  for (;;) {
    if (p.isSequence('PIVOT', '(')) item = { kind: 'pivot', input: item, ...parsePivot(p, () => parseAlias(p)) }
    else if (isUnpivot(p)) item = { kind: 'unpivot', input: item, ...parseUnpivot(p, () => parseAlias(p)) }
    else break
  }
  if (p.is('TABLESAMPLE')) p.unsupported('TABLESAMPLE')
  if (p.isSequence('MATCH_RECOGNIZE', '(')) p.unsupported('MATCH_RECOGNIZE')
  return item
}

function parsePrimary(p: Parser): From {
  if (p.is('UNNEST')) return parseUnnest(p)
  if (p.is('LATERAL')) p.unsupported('LATERAL')
  if (p.is('GRAPH_TABLE')) p.unsupported('GRAPH_TABLE')
  if (!p.is('(')) return parseTable(p)
  const { at } = p.token
  if (p.isQueryAhead()) {
    const query = p.parenthesisedQuery()
    return { kind: 'subquery', at, query, alias: parseAlias(p) }
  }
  p.take()
  const first = parseItem(p)
  // Parentheses in FROM hold a query or a join, but not a single table or a join with a comma.
  const joins = p.is(',') ? [] : parseJoins(p)
  const comma = joins.find(join => join.join === 'comma')
  if (comma !== undefined) p.syntaxError('Expected ")" but got ","', comma.at, 'expected', [')'])
  if (joins.length === 0) p.expected('JOIN')
  p.expect(')')
  return { kind: 'parenthesised', at, from: combine(p, first, joins) }
}

function parseUnnest(p: Parser): UnnestFrom {
  const { at } = p.token
  const expression = parseUnnestedArray(p)
  p.skipHint()
  const alias = parseAlias(p)
  return { kind: 'unnest', at, expression, alias, offset: parseOffset(p) }
}

function parseTable(p: Parser): TablePath | TableCall {
  const { at } = p.token
  const path = [parseFirstPart(p)]
  while (p.accept('.')) path.push(p.identifier())
  if (p.is('*') && p.token.at === p.peek(-1).end) {
    const name = path.map(part => part.name).join('.')
    p.syntaxError(`Unexpected "*"; the name of a wildcard table stands in backticks: \`${name}*\``)
  }
  if (p.is('(')) return parseTableCall(p, path)
  const pathEnd = p.peek(-1).end
  p.skipHint()
  const alias = parseAlias(p)
  const offset = parseOffset(p)
  if (p.is('FOR') && p.peek().term.startsWith('SYSTEM')) skipPresentTime(p)
  return { kind: 'table', at, pathEnd, path, alias, offset }
}

function parseTableCall(p: Parser, path: readonly Identifier[]): TableCall {
  const { at } = path[0]!
  const list = tableArguments(p)
  p.skipHint()
  return { kind: 'table-call', at, path, arguments: list, alias: parseAlias(p) }
}

/**
 * The arguments of a table function; null where an argument is a table, a model or a query. The resolver refuses each
 * function that takes such arguments, by its name.
 */
function tableArguments(p: Parser): readonly Argument[] | null {
  const tokenAfter = p.afterParentheses()
  p.expect('(')
  if (p.accept(')')) return []
  const list: Argument[] = []
  do {
    if (p.peek().term === '=>' && isNotExpression(p, 2)) return skipTo(p, tokenAfter)
    if (isNotExpression(p, 0)) return skipTo(p, tokenAfter)
    list.push(parseArgument(p))
  } while (p.accept(','))
  p.close()
  return list
}

function isNotExpression(p: Parser, ahead: number): boolean {
  const { term } = p.peek(ahead)
  const next = p.peek(ahead + 1).kind
  if (term === '(') return ['SELECT', 'WITH', 'FROM'].includes(p.peek(ahead + 1).term)
  return (term === 'TABLE' || term === 'MODEL') && (next === 'identifier' || next === 'quoted')
}

function skipTo(p: Parser, tokenAfter: Token): null {
  while (p.token !== tokenAfter && p.token.kind !== 'end') p.take()
  return null
}

/** Skips `FOR SYSTEM_TIME AS OF` with the present time, and refuses any other time, because the tables have no history. */
function skipPresentTime(p: Parser): void {
  const { at } = p.token
  if (!p.acceptSequence('FOR', 'SYSTEM_TIME') && !p.acceptSequence('FOR', 'SYSTEM', 'TIME')) p.unexpected()
  p.expect('AS')
  p.expect('OF')
  const time = p.expression()
  const isPresent =
    (time.kind === 'call' &&
      time.arguments.length === 0 &&
      time.path.at(-1)?.name.toUpperCase() === 'CURRENT_TIMESTAMP') ||
    (time.kind === 'parameter' && time.name.toLowerCase() === 'now')
  if (!isPresent) p.unsupported('FOR SYSTEM_TIME AS OF a time that is not CURRENT_TIMESTAMP() or @now', at)
}

/**
 * Parses the first part of a path in FROM, which may contain dashes without white space, because it may be the name of a
 * project.
 */
function parseFirstPart(p: Parser): Identifier {
  const first = p.identifier()
  if (first.isQuoted) return first
  let end = p.peek(-1).end
  while (p.is('-') && p.token.at === end && p.peek().at === end + 1) {
    const { kind } = p.peek()
    if (kind !== 'identifier' && kind !== 'int') break
    p.take()
    end = p.take().end
  }
  return { ...first, name: p.source.slice(first.at, end) }
}

/** Parses an alias. PIVOT and UNPIVOT may be aliases too, unless the next tokens make them operators. */
function parseAlias(p: Parser): Identifier | null {
  const isOperator = p.isSequence('PIVOT', '(') || isUnpivot(p) || p.isSequence('MATCH_RECOGNIZE', '(')
  return p.alias(!isOperator)
}

function isUnpivot(p: Parser): boolean {
  return p.is('UNPIVOT') && ['(', 'INCLUDE', 'EXCLUDE'].includes(p.peek().term)
}

/** Parses `WITH OFFSET [[AS] alias]` and returns the alias. */
function parseOffset(p: Parser): Identifier | null {
  if (!p.accept('WITH')) return null
  const { at } = p.expect('OFFSET')
  return parseAlias(p) ?? { name: 'offset', at, isQuoted: false }
}
