/** Parses PIVOT and UNPIVOT, after an item of FROM or in a pipe. */

import type { Identifier, Pivot, Unpivot, UnpivotedColumn } from '../../ast/nodes.js'
import { parseLiteral } from '../expressions/literal.js'
import type { Parser } from '../parser.js'

/** `PIVOT(aggregate, … FOR column IN (value, …)) [AS alias]`; `alias` parses that last part. */
export function parsePivot(p: Parser, alias: () => Identifier | null): Omit<Pivot, 'kind' | 'input'> {
  const { at } = p.expect('PIVOT')
  p.expect('(')
  const aggregates = p.list(parseAliased)
  p.expect('FOR')
  const on = p.operand()
  p.expect('IN')
  if (p.isQueryAhead()) p.unsupported('A subquery in the IN of PIVOT')
  const values = p.parenthesisedList(parseAliased)
  p.expect(')')
  return { at, aggregates, on, values, alias: alias() }
}

const parseAliased = (p: Parser) => ({ expression: p.expression(), alias: p.alias() })

/** `UNPIVOT [INCLUDE NULLS](value FOR name IN (column, …)) [AS alias]`; `alias` parses that last part. */
export function parseUnpivot(p: Parser, alias: () => Identifier | null): Omit<Unpivot, 'kind' | 'input'> {
  const { at } = p.expect('UNPIVOT')
  const includesNulls = p.accept('INCLUDE')
  if (includesNulls || p.accept('EXCLUDE')) p.expect('NULLS')
  p.expect('(')
  const values = parseColumns(p)
  p.expect('FOR')
  const name = p.identifier()
  p.expect('IN')
  const groups = p.parenthesisedList(parseGroup)
  p.expect(')')
  return { at, includesNulls, values, name, groups, alias: alias() }
}

function parseGroup(p: Parser): Unpivot['groups'][number] {
  const columns = p.is('(') ? p.parenthesisedList(parseUnpivoted) : [parseUnpivoted(p)]
  const isLabelled = p.accept('AS')
  const { kind } = p.token
  if (kind === 'string' || kind === 'int') return { columns, label: parseLiteral(p) }
  if (isLabelled) p.expected('integer literal', 'string literal')
  return { columns, label: null }
}

function parseUnpivoted(p: Parser): UnpivotedColumn {
  const first = p.identifier()
  const column = p.accept('.') ? { table: first, column: p.identifier() } : { table: null, column: first }
  if (p.is('.')) p.fail('UNPIVOT IN clause cannot have expressions, only column names are allowed', first.at)
  return column
}

/** One column, or several in parentheses. */
function parseColumns(p: Parser): readonly Identifier[] {
  return p.is('(') ? p.parenthesisedList(item => item.identifier()) : [p.identifier()]
}
