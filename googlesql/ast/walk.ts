/** The nodes directly inside a node of the syntax tree. All code that visits a tree uses childrenOf. */
import type {
  Expression,
  From,
  GroupBy,
  GroupingSetItem,
  NamedWindow,
  OrderItem,
  Pipe,
  QueryBody,
  Select,
  SelectItem,
  Window,
} from './nodes.js'

export type Node = QueryBody | From | Pipe | Expression

type Children = readonly (Node | null)[]

/**
 * The children of a node, in the order of the text. Parts that are not nodes (items, windows, arguments) are replaced by the
 * nodes in them. Types are left out.
 */
export function childrenOf(node: Node): readonly Node[] {
  return partsOf(node).filter(child => child !== null)
}

function partsOf(node: Node): Children {
  switch (node.kind) {
    case 'query':
      return [
        ...node.ctes.map(cte => cte.query),
        node.body,
        ...inOrder(node.orderBy),
        node.limit,
        node.offset,
        ...node.pipes,
      ]
    case 'set-operation':
      return node.inputs
    case 'from':
    case 'parenthesised':
      return [node.from]
    case 'select':
      return inSelect(node)
    case 'table':
    case 'pipe-as':
    case 'pipe-distinct':
    case 'pipe-drop':
    case 'pipe-rename':
    case 'parameter':
    case 'name':
    case 'null':
    case 'bool':
    case 'int':
    case 'float':
    case 'string':
    case 'bytes':
    case 'typed':
      return []
    case 'table-call':
      return expressions(node.arguments ?? [])
    case 'unnest':
      return [node.expression]
    case 'subquery':
      return [node.query]
    case 'join':
      return [node.left, node.right, node.on]
    case 'pivot':
      return [node.input, ...expressions(node.aggregates), node.on, ...expressions(node.values)]
    case 'unpivot':
      return [node.input, ...node.groups.map(group => group.label)]
    case 'pipe-select':
      return [node.select]
    case 'pipe-extend':
      return [...inItems(node.items), ...inWindows(node.windows)]
    case 'pipe-set':
      return expressions(node.items)
    case 'pipe-where':
      return [node.condition]
    case 'pipe-aggregate':
      return [...expressions(node.items), ...inGroupBy(node.groupBy)]
    case 'pipe-order-by':
      return inOrder(node.orderBy)
    case 'pipe-limit':
      return [node.limit, node.offset]
    case 'pipe-join':
      return [node.right, node.on]
    case 'pipe-set-operation':
      return node.queries
    case 'pipe-with':
      return node.ctes.map(cte => cte.query)
    case 'pipe-pivot':
      return [...expressions(node.aggregates), node.on, ...expressions(node.values)]
    case 'pipe-unpivot':
      return node.groups.map(group => group.label)
    case 'dot':
    case 'unary':
    case 'is':
      return [node.operand]
    case 'index':
      return [node.operand, node.index]
    case 'binary':
    case 'is-distinct':
      return [node.left, node.right]
    case 'between':
      return [node.operand, node.low, node.high]
    case 'in-list':
      return [node.operand, ...node.items]
    case 'in-unnest':
      return [node.operand, node.array]
    case 'in-query':
      return [node.operand, node.query]
    case 'like':
      return [node.operand, node.pattern]
    case 'like-quantified':
      return [node.operand, ...(node.patterns ?? []), node.array, node.query]
    case 'case':
      return [node.operand, ...node.branches.flatMap(({ when, then }) => [when, then]), node.otherwise]
    case 'cast':
      return [node.operand, node.format, node.timeZone]
    case 'extract':
      return [node.operand, node.timeZone]
    case 'interval':
      return [node.value]
    case 'array':
      return node.items
    case 'struct':
      return expressions(node.fields)
    case 'call':
      return [
        ...expressions(node.arguments),
        node.having?.expression ?? null,
        ...inOrder(node.orderBy),
        node.limit,
        ...(node.over ? inWindow(node.over) : []),
      ]
    case 'lambda':
      return [node.body]
    case 'with':
      return [...expressions(node.bindings), node.result]
    default:
      return node satisfies never
  }
}

const inSelect = ({ items, from, where, groupBy, having, qualify, windows }: Select): Children => [
  ...inItems(items),
  from,
  where,
  ...inGroupBy(groupBy),
  having,
  qualify,
  ...inWindows(windows),
]

const inItems = (items: readonly SelectItem[]): Children =>
  items.flatMap(item => (item.kind === 'star' ? [item.of, ...expressions(item.replace)] : [item.expression]))

const inOrder = (items: readonly OrderItem[]): Children => expressions(items)

const inWindows = (windows: readonly NamedWindow[]): Children => windows.flatMap(({ window }) => inWindow(window))

const inWindow = ({ partitionBy, orderBy, frame }: Window): Children => [
  ...partitionBy,
  ...inOrder(orderBy),
  ...(frame ? [frame.start.offset, frame.end?.offset ?? null] : []),
]

const inGroupBy = (groupBy: GroupBy | null): Children =>
  (groupBy?.items ?? []).flatMap((item): Children => {
    switch (item.kind) {
      case 'expression':
        return [item.expression]
      case 'empty':
        return []
      case 'grouping-sets':
        return item.items.flatMap(inSet)
      case 'rollup':
      case 'cube':
        return inSet(item)
      default:
        return item satisfies never
    }
  })

const inSet = (item: GroupingSetItem): Children => (item.kind === 'set' ? item.expressions : item.sets.flat())

const expressions = (items: readonly { readonly expression: Expression }[]): Children =>
  items.map(({ expression }) => expression)
