/** Parses GoogleSQL: one query with the functions and variables before it, or the definition of a function. */

import { MAX_BODY_DEPTH, MAX_DEPTH, refuseDeepTree } from '../ast/depth.js'
import type { FunctionDefinition, Script, VariableStatement } from '../ast/nodes.js'
import { STATEMENT_KEYWORDS } from '../lex/keywords.js'
import { type Token, tokenize } from '../lex/tokenize.js'
import { SqlError } from '../sql-error.js'
import { parseExpression, parseOperand } from './expressions/expression.js'
import { Parser, type Rules } from './parser.js'
import { parseQueryExpression } from './queries/query.js'
import { parseTypeNode } from './type.js'
import { isFunctionAhead, parseFunction, parseStored, type StoredDefinition } from './udf.js'

const RULES: Rules = { expression: parseExpression, operand: parseOperand, query: parseQueryExpression }

/**
 * The trees of one query, and of the temporary functions and variables before it; a `;` may end the query. No tree is deeper than
 * `MAX_DEPTH` nodes, so that recursive functions can walk it.
 *
 * @param tokens the tokens of `source`, for callers that have them
 * @throws SqlError, in BigQuery's words, when the text is not such a query, or uses a clause that is not supported
 */
export function parseScript(source: string, tokens: readonly Token[] = tokenize(source)): Script {
  refuseLegacySql(source)
  const p = new Parser(source, RULES, tokens)
  const functions: FunctionDefinition[] = []
  const variables: VariableStatement[] = []
  while (p.is('DECLARE')) variables.push(parseDeclare(p))
  for (;;) {
    if (isFunctionAhead(p)) functions.push(parseFunction(p))
    else if (p.is('SET')) variables.push(parseSet(p))
    else break
  }
  if (p.is('DECLARE')) p.fail('Variable declarations are allowed only at the start of a script')
  p.skipHint()
  refuseStatement(p)
  if (!p.is('SELECT') && !p.is('WITH') && !p.is('(') && !p.is('FROM')) p.unexpected()
  const query = p.query()
  if (p.accept(';')) refuseStatement(p, true)
  if (p.token.kind !== 'end') p.expected('end of input')
  // A tree has fewer levels than its text has tokens, so that short texts need no check.
  if (p.tokenCount > MAX_DEPTH) refuseDeepTree(query, source)
  for (const { body } of functions) if (body.kind !== 'javascript') refuseDeepTree(body, source, MAX_BODY_DEPTH)
  for (const { value } of variables) if (value) refuseDeepTree(value, source, MAX_BODY_DEPTH)
  return { functions, variables, query }
}

/** `DECLARE a, b [type] [DEFAULT expression];` with a type, a default, or both. */
function parseDeclare(p: Parser): VariableStatement {
  const { at } = p.expect('DECLARE')
  const names = p.list(item => item.identifier())
  const type = p.is('DEFAULT') || p.is(';') ? null : parseTypeNode(p)
  const value = p.accept('DEFAULT') ? p.expression() : null
  if (type === null && value === null) p.expected('a type', 'DEFAULT')
  p.expect(';')
  return { kind: 'declare', at, names, type, value }
}

/** `SET a = expression;` or `SET (a, b) = expression;`, whose value is a STRUCT. */
function parseSet(p: Parser): VariableStatement {
  const { at } = p.expect('SET')
  const isTuple = p.is('(')
  const names = isTuple ? p.parenthesisedList(item => item.identifier()) : [p.identifier()]
  p.expect('=')
  const value = p.expression()
  p.expect(';')
  return { kind: 'set', at, names, isTuple, value }
}

/**
 * Parses the definition of a function that is kept in a dataset.
 *
 * @throws SqlError when the text is not one CREATE FUNCTION or CREATE TABLE FUNCTION
 */
export function parseStoredFunction(source: string): StoredDefinition {
  const p = new Parser(source, RULES, tokenize(source))
  const stored = parseStored(p)
  const { body } = stored.definition
  if (body.kind !== 'javascript') refuseDeepTree(body, source)
  return stored
}

/** Refuses the comment `#legacySQL`, which chooses BigQuery's older language: the same query may have another result there. */
function refuseLegacySql(source: string): void {
  const prefix = /^\s*#legacysql\b/i.exec(source)
  if (prefix) throw new SqlError('Legacy SQL is not supported', source, prefix[0].indexOf('#'))
}

function refuseStatement(p: Parser, isSecond = false): void {
  const { kind, term } = p.token
  const isStatement = STATEMENT_KEYWORDS.has(term) || (isSecond && kind === 'identifier')
  if (!isStatement) return
  const actual = p.describe(p.token)
  p.fail(`Only one query (SELECT or WITH) is supported; found ${actual}`, p.token.at, { code: 'second-query' })
}
