/** Parses the declarations and assignments of variables before a query. */

import type { VariableStatement } from '../ast/nodes.js'
import type { Parser } from './parser.js'
import { parseTypeNode } from './type.js'

/** `DECLARE a, b [type] [DEFAULT expression];` with a type, a default, or both. */
export function parseDeclare(p: Parser): VariableStatement {
  const { at } = p.expect('DECLARE')
  const names = p.list(item => item.identifier())
  const type = p.is('DEFAULT') || p.is(';') ? null : parseTypeNode(p)
  const value = p.accept('DEFAULT') ? p.expression() : null
  if (type === null && value === null) p.expected('a type', 'DEFAULT')
  p.expect(';')
  return { kind: 'declare', at, names, type, value }
}

/** `SET a = expression;` or `SET (a, b) = expression;`, whose value is a STRUCT. */
export function parseSet(p: Parser): VariableStatement {
  const { at } = p.expect('SET')
  const isTuple = p.is('(')
  const names = isTuple ? p.parenthesisedList(item => item.identifier()) : [p.identifier()]
  p.expect('=')
  const value = p.expression()
  p.expect(';')
  return { kind: 'set', at, names, isTuple, value }
}
