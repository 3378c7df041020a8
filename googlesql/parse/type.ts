/** Parses a type as written: `INT64`, `NUMERIC(10, 2)`, `ARRAY<STRUCT<a INT64, STRING>>`. */

import type { RangeTypeName, TypeNode } from '../ast/nodes.js'
import type { Parser } from './parser.js'

type StructField = Extract<TypeNode, { kind: 'struct' }>['fields'][number]

/**
 * Parses a type; the resolver checks whether its names are names of types.
 *
 * @throws SqlError when the tokens do not have the form of a type
 */
export function parseTypeNode(p: Parser): TypeNode {
  const type = p.nested(p.is('ARRAY') ? parseArray : p.is('STRUCT') ? parseStruct : parseNamed)
  if (p.is('COLLATE')) p.unsupported('COLLATE')
  return type
}

function parseArray(p: Parser): TypeNode {
  const at = p.expect('ARRAY').at
  p.expect('<')
  const element = parseTypeNode(p)
  p.expect('>')
  return { kind: 'array', element, at }
}

function parseStruct(p: Parser): TypeNode {
  const at = p.expect('STRUCT').at
  if (p.accept('<>')) return { kind: 'struct', fields: [], at }
  p.expect('<')
  const fields = p.is('>') ? [] : p.list(parseField)
  if (!p.accept('>')) p.expected('>', ',')
  return { kind: 'struct', fields, at }
}

function parseField(p: Parser): StructField {
  // A name without a type after it is the type.
  const hasName = p.isIdentifier() && ['identifier', 'quoted'].includes(p.peek().kind)
  const name = hasName ? p.identifier().name : ''
  return { name, type: parseTypeNode(p) }
}

function parseNamed(p: Parser): TypeNode {
  const { at } = p.token
  if (p.is('RANGE')) return parseRangeType(p)
  // INTERVAL is a reserved word and also the name of a type.
  let name = p.is('INTERVAL') ? p.take().text : p.identifier().name
  while (p.accept('.')) name += `.${p.identifier().name}`
  const parameters = p.is('(') ? p.parenthesisedList(parseTypeParameter) : []
  return { kind: 'named', name, parameters, at }
}

const RANGES: Readonly<Record<string, RangeTypeName>> = {
  DATE: 'RANGE<DATE>',
  DATETIME: 'RANGE<DATETIME>',
  TIMESTAMP: 'RANGE<TIMESTAMP>',
}

/** Parses `RANGE<DATE>`, a scalar type whose name includes the type of its bounds. */
export function parseRangeType(p: Parser) {
  const { at } = p.expect('RANGE')
  p.expect('<')
  const element = p.identifier()
  const upper = element.name.toUpperCase()
  const name = Object.hasOwn(RANGES, upper) ? RANGES[upper] : undefined
  if (name === undefined) return p.fail(`Unsupported type: RANGE<${upper}> is not supported`, element.at)
  p.expect('>')
  return { kind: 'named' as const, name, parameters: [], at }
}

function parseTypeParameter(p: Parser): string {
  if (p.token.kind !== 'int') p.unexpected()
  return p.take().text
}
