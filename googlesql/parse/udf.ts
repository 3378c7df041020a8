/** Parses the definitions of functions: of temporary functions before a query, and of functions that are kept in a dataset. */

import type { FunctionDefinition, Identifier, TableFunctionDefinition, TypeNode } from '../ast/nodes.js'
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
  const isReplacement = p.acceptSequence('OR', 'REPLACE')
  if (!p.accept('TEMP') && !p.accept('TEMPORARY')) p.unsupported('CREATE FUNCTION without TEMP', at)
  if (p.is('AGGREGATE')) p.unsupported('CREATE TEMP AGGREGATE FUNCTION', at)
  if (p.is('TABLE')) p.unsupported('CREATE TEMP TABLE FUNCTION', at)
  const { definition } = parseScalar(p, at, isReplacement, parseTemporaryName)
  p.expect(';')
  return definition
}

function parseTemporaryName(p: Parser): Identifier {
  const name = p.identifier()
  if (p.is('.')) p.fail('A temporary function has a name of one part')
  return name
}

/** The definition of a function that is kept in a dataset. */
export type StoredDefinition =
  | { readonly kind: 'scalar'; readonly definition: FunctionDefinition; readonly bodyText: BodyText }
  | { readonly kind: 'table'; readonly definition: TableFunctionDefinition; readonly bodyText: BodyText }

/** The text of a body without the parentheses or quotes around it, and the offset at which it begins. */
export interface BodyText {
  readonly text: string
  readonly at: number
}

/**
 * `CREATE [OR REPLACE] FUNCTION path(parameters) …`, as for a temporary function, or `CREATE [OR REPLACE] TABLE FUNCTION
 * path(parameters) [RETURNS TABLE<name type, …>] AS query`. The name of the definition is the path, with dots between its
 * parts.
 *
 * @throws SqlError also for an aggregate function, and for a function in a language other than SQL and JavaScript
 */
export function parseStored(p: Parser): StoredDefinition {
  const { at } = p.expect('CREATE')
  const isReplacement = p.acceptSequence('OR', 'REPLACE')
  if (p.is('TEMP') || p.is('TEMPORARY')) p.fail('A function that is kept in a dataset is created without TEMP')
  if (p.is('AGGREGATE')) p.unsupported('CREATE AGGREGATE FUNCTION', at)
  if (p.is('PROCEDURE')) p.unsupported('CREATE PROCEDURE', at)
  const stored: StoredDefinition = p.accept('TABLE')
    ? { kind: 'table', ...parseTableFunction(p, at) }
    : { kind: 'scalar', ...parseScalar(p, at, isReplacement, parsePath) }
  p.accept(';')
  if (p.token.kind !== 'end') p.expected('end of input')
  return stored
}

function parsePath(p: Parser): Identifier {
  const first = p.identifier()
  const parts = [first.name]
  while (p.accept('.')) parts.push(p.identifier().name)
  return { name: parts.join('.'), at: first.at, isQuoted: true }
}

function parseScalar(
  p: Parser,
  at: number,
  isReplacement: boolean,
  parseName: (p: Parser) => Identifier,
): { readonly definition: FunctionDefinition; readonly bodyText: BodyText } {
  p.expect('FUNCTION')
  const keepsExisting = p.acceptSequence('IF', 'NOT', 'EXISTS')
  const name = parseName(p)
  const parameters = parseParameters(p)
  const returns = p.accept('RETURNS') ? parseTypeNode(p) : null
  const { body, bodyText } = parseJavaScript(p) ?? parseSqlBody(p)
  skipOptions(p)
  const mode = isReplacement ? 'replace' : keepsExisting ? 'if-not-exists' : 'new'
  return { definition: { at, name, mode, parameters, returns, body }, bodyText }
}

function parseTableFunction(
  p: Parser,
  at: number,
): { readonly definition: TableFunctionDefinition; readonly bodyText: BodyText } {
  p.expect('FUNCTION')
  p.acceptSequence('IF', 'NOT', 'EXISTS')
  const name = parsePath(p)
  const parameters = parseParameters(p)
  const returns = p.accept('RETURNS') ? parseTableType(p) : null
  skipOptions(p)
  p.expect('AS')
  const from = p.token.at
  const body = p.query()
  return { definition: { at, name, parameters, returns, body }, bodyText: bodyTextFrom(p, from) }
}

function parseTableType(p: Parser): TableFunctionDefinition['returns'] {
  p.expect('TABLE')
  p.expect('<')
  const columns = p.list(item => ({ name: item.identifier(), type: parseTypeNode(item) }))
  if (!p.accept('>')) p.expected('>', ',')
  return columns
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

/** The text from this offset to the end of the last token. */
const bodyTextFrom = (p: Parser, at: number): BodyText => ({ text: p.source.slice(at, p.peek(-1).end), at })

interface Body {
  readonly body: FunctionDefinition['body']
  readonly bodyText: BodyText
}

function parseSqlBody(p: Parser): Body {
  if (p.is('REMOTE')) p.unsupported('A remote function')
  skipOptions(p)
  p.expect('AS')
  if (!p.is('(')) p.expected('(')
  p.take()
  p.refuseQuery('The body of a SQL function')
  const { at } = p.token
  const body = p.expression()
  const bodyText = bodyTextFrom(p, at)
  p.expect(')')
  return { body, bodyText }
}

/** The words that may precede LANGUAGE. True: equal arguments give equal results. */
const DETERMINISM: Readonly<Record<string, boolean>> = {
  IMMUTABLE: true,
  DETERMINISTIC: true,
  STABLE: false,
  VOLATILE: false,
}

/** The body of a JavaScript function; null where the body of a SQL function comes next. */
function parseJavaScript(p: Parser): Body | null {
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
  const isDeterministic = determinism === true && !isNegated
  return { body: { kind: 'javascript', text: body.value, isDeterministic, at }, bodyText: { text: body.value, at } }
}

/** Refuses JavaScript libraries, because a library is a file in Google Cloud Storage. */
function refuseLibraries(p: Parser): void {
  if (p.isSequence('OPTIONS', '(') && p.peek(2).term === 'LIBRARY') {
    p.unsupported('OPTIONS (library = …) of a JavaScript function', p.peek(2).at)
  }
}

/** Skips `OPTIONS(description = '…')`, which does not affect the result. */
function skipOptions(p: Parser): void {
  if (!p.isSequence('OPTIONS', '(')) return
  p.take()
  const tokenAfter = p.afterParentheses()
  while (p.token !== tokenAfter && p.token.kind !== 'end') p.take()
}
