/** Parses pipe operators: `|> WHERE …`, `|> AGGREGATE … GROUP BY …`. */

import type { GroupBy, Identifier, Pipe, PipeAggregate, PipeJoin, PipeOrder } from '../../ast/nodes.js'
import { parseNulls, parseOrderBy } from '../expressions/window.js'
import { isSetOperatorMode } from '../parentheses.js'
import type { Parser } from '../parser.js'
import { parseJoin } from './from.js'
import { parseGroupingItem } from './group-by.js'
import { parsePivot, parseUnpivot } from './pivot.js'
import { parseItems, parsePipeSelect, parseWindows } from './select.js'
import { parseCombination } from './set.js'
import { parseCte } from './with.js'

/** Pipe operators of the language that are refused: statements, random samples, and operators that BigQuery does not have. */
const REFUSED_OPERATORS: ReadonlySet<string> = new Set(
  'ASSERT CALL CREATE DESCRIBE EXPORT FINISH FORK IF INSERT LOG MATCH_RECOGNIZE RECURSIVE TABLESAMPLE TEE'.split(' '),
)

/** The pipe operator that comes next, beginning with its `|>`. */
export function parsePipe(p: Parser): Pipe {
  const { at } = p.expect('|>')
  const { term } = p.token
  const rule = Object.hasOwn(OPERATORS, term) ? OPERATORS[term] : undefined
  if (isSetOperatorMode(term, p.peek().term, p.peek(2).term)) return parseSetOperation(p)
  if (rule !== undefined) return rule(p, at)
  if (REFUSED_OPERATORS.has(term)) p.unsupported(`Pipe operator ${term}`)
  return p.unexpected()
}

type Rule = (p: Parser, at: number) => Pipe

/** Makes a rule for a whole operator from a rule for what follows the operator's word. */
const afterWord =
  (rule: Rule): Rule =>
  (p, at) => {
    p.take()
    return rule(p, at)
  }

const parseExtension = (p: Parser, at: number, isWindow: boolean): Pipe => ({
  kind: 'pipe-extend',
  at,
  items: parseItems(p),
  windows: parseWindows(p),
  isWindow,
})

/** The rule for each operator, by the word after `|>`. That word is the next token; `at` is the place of the `|>`. */
const OPERATORS: Readonly<Record<string, Rule>> = {
  SELECT: (p, at) => ({ kind: 'pipe-select', at, select: parsePipeSelect(p) }),
  EXTEND: afterWord((p, at) => parseExtension(p, at, false)),
  WINDOW: afterWord((p, at) => parseExtension(p, at, true)),
  SET: afterWord((p, at) => ({ kind: 'pipe-set', at, items: trailingList(p, parseAssignment) })),
  DROP: afterWord((p, at) => ({ kind: 'pipe-drop', at, columns: trailingList(p, item => item.identifier()) })),
  RENAME: afterWord((p, at) => ({ kind: 'pipe-rename', at, items: trailingList(p, parseRenaming) })),
  AS: afterWord((p, at) => ({ kind: 'pipe-as', at, alias: p.identifier() })),
  WHERE: afterWord((p, at) => ({ kind: 'pipe-where', at, condition: p.expression() })),
  AGGREGATE: afterWord(parseAggregate),
  DISTINCT: afterWord((_, at) => ({ kind: 'pipe-distinct', at })),
  ORDER: (p, at) => ({ kind: 'pipe-order-by', at, orderBy: parseOrderBy(p) }),
  LIMIT: afterWord((p, at) => {
    const limit = p.expression()
    return { kind: 'pipe-limit', at, limit, offset: p.accept('OFFSET') ? p.expression() : null }
  }),
  ...Object.fromEntries(
    ['JOIN', 'INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS', 'NATURAL'].map(word => [word, parsePipeJoin] as const),
  ),
  ...Object.fromEntries(['UNION', 'INTERSECT', 'EXCEPT'].map(word => [word, parseSetOperation] as const)),
  WITH: afterWord((p, at) => {
    const isRecursive = p.accept('RECURSIVE')
    return { kind: 'pipe-with', at, ctes: trailingList(p, parseCte), isRecursive }
  }),
  PIVOT: p => ({ kind: 'pipe-pivot', ...parsePivot(p, () => p.alias()) }),
  UNPIVOT: p => ({ kind: 'pipe-unpivot', ...parseUnpivot(p, () => p.alias()) }),
}

/** Whether the item list of a pipe operator ends at the next token. */
function endsPipe(p: Parser): boolean {
  return p.token.kind === 'end' || p.is('|>') || p.is(')') || p.is(';')
}

/** One or more items; the list may end with a comma. */
function trailingList<T>(p: Parser, item: (parser: Parser) => T): T[] {
  const items = [item(p)]
  while (p.accept(',') && !endsPipe(p)) items.push(item(p))
  return items
}

function parseAssignment(p: Parser) {
  const name = p.identifier()
  if (p.is('.')) p.fail('Pipe SET can only update columns by their column names; fields cannot be updated')
  p.expect('=')
  return { name, expression: p.expression() }
}

function parseRenaming(p: Parser): { readonly from: Identifier; readonly to: Identifier } {
  const from = p.identifier()
  if (p.is('.')) p.fail('Pipe RENAME can only rename columns by their column names; fields cannot be renamed')
  p.accept('AS')
  return { from, to: p.identifier() }
}

// ---- AGGREGATE

function parseAggregate(p: Parser, at: number): PipeAggregate {
  p.skipHint()
  const items: PipeAggregate['items'][number][] = []
  while (!endsPipe(p) && !p.is('GROUP')) {
    items.push({ expression: p.expression(), alias: p.alias(), order: parseOrder(p) })
    if (!p.accept(',')) break
  }
  if (items.length === 0 && !p.is('GROUP')) p.unexpected()
  if (!p.is('GROUP')) return { kind: 'pipe-aggregate', at, items, groupBy: null, isOrdered: false }
  const group = p.take()
  p.skipHint()
  const isOrdered = p.acceptSequence('AND', 'ORDER')
  p.expect('BY')
  if (p.is('ALL')) p.unsupported('GROUP BY ALL in the pipe operator AGGREGATE')
  const groupBy: GroupBy = { at: group.at, isAll: false, items: trailingList(p, parseGroupItem) }
  return { kind: 'pipe-aggregate', at, items, groupBy, isOrdered }
}

function parseGroupItem(p: Parser): GroupBy['items'][number] {
  const item = parseGroupingItem(p)
  return item.kind === 'expression' ? { ...item, alias: p.alias(), order: parseOrder(p) } : item
}

function parseOrder(p: Parser): PipeOrder | null {
  const isDescending = p.accept('DESC')
  return isDescending || p.accept('ASC') ? { isDescending, nulls: parseNulls(p) } : null
}

// ---- JOIN and set operations

function parsePipeJoin(p: Parser, at: number): PipeJoin {
  const part = parseJoin(p)
  if (part === null || part.join === 'comma') return p.unexpected()
  const [condition, second] = part.conditions
  if (second !== undefined) p.syntaxError('A pipe JOIN has one ON or USING clause', second.at)
  const { join, right } = part
  return { kind: 'pipe-join', at, join, right, on: condition?.on ?? null, using: condition?.using ?? null }
}

function parseSetOperation(p: Parser): Pipe {
  const combination = parseCombination(p)
  if (combination === null) return p.unexpected()
  return { kind: 'pipe-set-operation', ...combination, queries: trailingList(p, item => item.parenthesisedQuery()) }
}
