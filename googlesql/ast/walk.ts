/** The nodes directly inside a node of the syntax tree. All code that visits a tree uses childrenOf. */
import { collectParts, type Parts } from '../parts.js'
import type { Expression, From, Pipe, QueryBody } from './nodes.js'

export type Node = QueryBody | From | Pipe | Expression

const EXPRESSION = { expression: 'node' } as const
const QUERY = { query: 'node' } as const
const ITEM = { of: 'node', replace: EXPRESSION, expression: 'node' } as const
const BOUND = { offset: 'node' } as const
const WINDOW = { partitionBy: 'node', orderBy: EXPRESSION, frame: { start: BOUND, end: BOUND } } as const
const NAMED_WINDOW = { window: WINDOW } as const
const GROUP_BY = {
  items: { expression: 'node', items: { expressions: 'node', sets: 'node' }, sets: 'node' },
} as const
const GROUPS = { label: 'node' } as const

/** The members of each kind of node that are nodes or contain nodes, in the order of the text. Types are left out. */
const PARTS: Readonly<Record<Node['kind'], Parts>> = {
  query: { ctes: QUERY, body: 'node', orderBy: EXPRESSION, limit: 'node', offset: 'node', pipes: 'node' },
  'set-operation': { inputs: 'node' },
  from: { from: 'node' },
  select: {
    items: ITEM,
    from: 'node',
    where: 'node',
    groupBy: GROUP_BY,
    having: 'node',
    qualify: 'node',
    windows: NAMED_WINDOW,
  },

  table: {},
  'table-call': { arguments: EXPRESSION },
  unnest: { expression: 'node' },
  subquery: { query: 'node' },
  join: { left: 'node', right: 'node', on: 'node' },
  parenthesised: { from: 'node' },
  pivot: { input: 'node', aggregates: EXPRESSION, on: 'node', values: EXPRESSION },
  unpivot: { input: 'node', groups: GROUPS },

  'pipe-select': { select: 'node' },
  'pipe-extend': { items: ITEM, windows: NAMED_WINDOW },
  'pipe-set': { items: EXPRESSION },
  'pipe-drop': {},
  'pipe-rename': {},
  'pipe-as': {},
  'pipe-where': { condition: 'node' },
  'pipe-aggregate': { items: EXPRESSION, groupBy: GROUP_BY },
  'pipe-distinct': {},
  'pipe-order-by': { orderBy: EXPRESSION },
  'pipe-limit': { limit: 'node', offset: 'node' },
  'pipe-join': { right: 'node', on: 'node' },
  'pipe-set-operation': { queries: 'node' },
  'pipe-with': { ctes: QUERY },
  'pipe-pivot': { aggregates: EXPRESSION, on: 'node', values: EXPRESSION },
  'pipe-unpivot': { groups: GROUPS },

  null: {},
  bool: {},
  int: {},
  float: {},
  string: {},
  bytes: {},
  typed: {},
  parameter: {},
  name: {},
  dot: { operand: 'node' },
  index: { operand: 'node', index: 'node' },
  unary: { operand: 'node' },
  binary: { left: 'node', right: 'node' },
  is: { operand: 'node' },
  'is-distinct': { left: 'node', right: 'node' },
  between: { operand: 'node', low: 'node', high: 'node' },
  'in-list': { operand: 'node', items: 'node' },
  'in-unnest': { operand: 'node', array: 'node' },
  'in-query': { operand: 'node', query: 'node' },
  like: { operand: 'node', pattern: 'node' },
  'like-quantified': { operand: 'node', patterns: 'node', array: 'node', query: 'node' },
  case: { operand: 'node', branches: { when: 'node', then: 'node' }, otherwise: 'node' },
  cast: { operand: 'node', format: 'node', timeZone: 'node' },
  extract: { operand: 'node', timeZone: 'node' },
  interval: { value: 'node' },
  array: { items: 'node' },
  struct: { fields: EXPRESSION },
  call: { arguments: EXPRESSION, having: EXPRESSION, orderBy: EXPRESSION, limit: 'node', over: WINDOW },
  lambda: { body: 'node' },
  with: { bindings: EXPRESSION, result: 'node' },
}

/**
 * The children of a node, in the order of the text. Parts that are not nodes (items, windows, arguments) are replaced by the
 * nodes in them.
 */
export function childrenOf(node: Node): readonly Node[] {
  const children: Node[] = []
  collectParts(node, PARTS[node.kind], 'node', children)
  return children
}
