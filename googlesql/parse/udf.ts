/** Parses the definitions of temporary functions before a query. */

import type { Expression, FunctionDefinition, JavaScriptBody, TypeNode } from '../ast/nodes.js'
import { parseLiteral } from './expressions/literal.js'
import type { Parser } from './parser.js'
import { parseTypeNode } from './type.js'

/** Whether a CREATE of a function, temporary or not, comes next. */
export function isFunctionAhead(p: Parser): boolean {
  if (!p.is('CREATE')) return false
  let ahead = 1
  while (MODIFIERS.has(p.peek(ahead).term)) ahead++
  return p.peek(ahead).term === 'FUNCTION'
}

const MODIFIERS: ReadonlySet<string> = new Set('OR REPLACE TEMP TEMPORARY AGGREGATE TABLE PUBLIC PRIVATE'.split(' '))

/**
 * `CREATE [OR REPLACE] TEMP FUNCTION [IF NOT EXISTS] name(parameters) [RETURNS type] AS (expression);`, and with
 * `[DETERMINISTIC | NOT DETERMINISTIC] LANGUAGE js AS "text"` in place of `AS (expression)`.
 *
 * @throws SqlError also for a function that is not temporary, not scalar, or written in a language other than SQL and JavaScript
 */
export function parseFunction(p: Parser): FunctionDefinition {
  const { at } = p.expect('CREATE')
  const isReplaced = p.acceptSequence('OR', 'REPLACE')
  if (!p.accept('TEMP') && !p.accept('TEMPORARY')) p.unsupported('CREATE FUNCTION without TEMP', at)
  if (p.is('AGGREGATE')) p.unsupported('CREATE TEMP AGGREGATE FUNCTION', at)
  if (p.is('TABLE')) p.unsupported('CREATE TEMP TABLE FUNCTION', at)
  p.expect('FUNCTION')
  const isKept = p.acceptSequence('IF', 'NOT', 'EXISTS')
  const name = p.identifier()
  if (p.is('.')) p.fail('A temporary function has a name of one part')
  const parameters = parseParameters(p)
  const returns = p.accept('RETURNS') ? parseTypeNode(p) : null
  const body = parseJavaScript(p) ?? parseSqlBody(p)
  skipOptions(p)
  p.expect(';')
  return { at, name, mode: isReplaced ? 'replace' : isKept ? 'if-not-exists' : 'new', parameters, returns, body }
}

function parseParameters(p: Parser): FunctionDefinition['parameters'] {
  p.expect('(')
  if (p.accept(')')) return []
  const parameters = p.list(parseParameter)
  p.close()
  return parameters
}

function parseParameter(p: Parser): FunctionDefinition['parameters'][number] {
  const name = p.identifier()
  let type: TypeNode | null = null
  if (p.is('ANY') && p.peek().term === 'TABLE') p.unsupported('A parameter of ANY TABLE')
  if (p.is('TABLE')) p.unsupported('A parameter of TABLE')
  if (!p.acceptSequence('ANY', 'TYPE')) type = parseTypeNode(p)
  if (p.is('DEFAULT')) p.unsupported('DEFAULT of a function parameter')
  if (p.is('NOT') || p.is('AGGREGATE')) p.unsupported(`${p.token.term} AGGREGATE of a function parameter`)
  return { name, type }
}

function parseSqlBody(p: Parser): Expression {
  if (p.is('REMOTE')) p.unsupported('A remote function')
  skipOptions(p)
  p.expect('AS')
  if (!p.is('(')) p.expected('"("')
  p.take()
  p.refuseQuery('The body of a SQL function')
  const body = p.expression()
  p.expect(')')
  return body
}

/** What may stand before LANGUAGE, and whether it promises equal results for equal arguments. */
const DETERMINISM: Readonly<Record<string, boolean>> = {
  IMMUTABLE: true,
  DETERMINISTIC: true,
  STABLE: false,
  VOLATILE: false,
}

/** The body of a JavaScript function; null where that of a SQL function comes next. */
function parseJavaScript(p: Parser): JavaScriptBody | null {
  const isNegated = p.isSequence('NOT', 'DETERMINISTIC')
  if (isNegated) p.take()
  const determinism = Object.hasOwn(DETERMINISM, p.token.term) ? DETERMINISM[p.take().term] : undefined
  if (determinism === undefined && !p.is('LANGUAGE')) return null
  p.expect('LANGUAGE')
  if (!p.is('JS')) p.unsupported(`A function with LANGUAGE ${p.token.text}`)
  p.take()
  refuseLibraries(p)
  skipOptions(p)
  p.expect('AS')
  const { at } = p.token
  const body = parseLiteral(p)
  if (body?.kind !== 'string') return p.fail('The body of a JavaScript function must be a string literal', at)
  refuseLibraries(p)
  return { kind: 'javascript', text: body.value, isDeterministic: determinism === true && !isNegated, at }
}

/** A library is a file in Google's storage. */
function refuseLibraries(p: Parser): void {
  if (p.isSequence('OPTIONS', '(') && p.peek(2).term === 'LIBRARY') {
    p.unsupported('OPTIONS (library = …) of a JavaScript function', p.peek(2).at)
  }
}

/** Skips `OPTIONS(description = '…')`, which does not affect the result. */
function skipOptions(p: Parser): void {
  if (!p.isSequence('OPTIONS', '(')) return
  p.take()
  const behind = p.afterParentheses()
  while (p.token !== behind && p.token.kind !== 'end') p.take()
}
