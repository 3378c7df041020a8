/** Parses a query: WITH, set operations, ORDER BY, LIMIT, and the pipe operators after them. */

import type { Cte, FromQuery, Pipe, Query, QueryBody } from '../../ast/nodes.js'
import { parseOrderBy } from '../expressions/window.js'
import type { Parser } from '../parser.js'
import { parseFrom } from './from.js'
import { parsePipe } from './pipe.js'
import { parseSelect } from './select.js'
import { type Combination, parseCombination, requireSameOperation } from './set.js'
import { parseCte } from './with.js'

/** A whole query, up to the first token that cannot belong to it. */
export function parseQueryExpression(p: Parser): Query {
  const { at } = p.token
  let ctes: readonly Cte[] = []
  let isRecursive = false
  if (p.accept('WITH')) {
    isRecursive = p.accept('RECURSIVE')
    ctes = p.list(parseCte)
  }
  const body = p.is('FROM') ? parseFromQuery(p) : parseBody(p)
  const mayHaveTail = body.kind !== 'from'
  const orderBy = mayHaveTail ? parseOrderBy(p) : []
  const limit = mayHaveTail && p.accept('LIMIT') ? p.expression() : null
  const offset = limit !== null && p.accept('OFFSET') ? p.expression() : null
  const isAlone = body.kind === 'query' && ctes.length === 0 && orderBy.length === 0 && limit === null
  const pipes = [...(isAlone ? parsePipeAlias(p) : []), ...parsePipes(p)]
  return { kind: 'query', at, ctes, isRecursive, body, orderBy, limit, offset, pipes }
}

function parseFromQuery(p: Parser): FromQuery {
  const { at } = p.expect('FROM')
  return { kind: 'from', at, from: parseFrom(p) }
}

/** `(query) AS t |> …` means the same as `(query) |> AS t |> …`. */
function parsePipeAlias(p: Parser): readonly Pipe[] {
  if (!p.is('AS') || p.peek(2).term !== '|>') return []
  const { at } = p.take()
  return [{ kind: 'pipe-as', at, alias: p.identifier() }]
}

function parsePipes(p: Parser): readonly Pipe[] {
  const pipes: Pipe[] = []
  while (p.is('|>')) pipes.push(parsePipe(p))
  return pipes
}

function parseBody(p: Parser): QueryBody {
  const inputs = [parseInput(p)]
  let first: Combination | null = null
  for (;;) {
    const combination = parseCombination(p)
    if (combination === null) break
    if (first !== null) requireSameOperation(p, first, combination)
    first ??= combination
    inputs.push(parseInput(p))
  }
  return first === null ? inputs[0]! : { kind: 'set-operation', ...first, inputs }
}

function parseInput(p: Parser): QueryBody {
  if (p.is('SELECT')) return parseSelect(p)
  if (p.is('FROM')) p.unexpected()
  if (!p.is('(')) p.expected('(', 'SELECT', 'WITH')
  return p.parenthesisedQuery()
}
