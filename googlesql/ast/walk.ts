/** The nodes directly inside a node of the syntax tree. All code that visits a tree uses childrenOf. */
import type {
  Expression,
  FrameBound,
  From,
  GroupingItem,
  GroupingSetItem,
  Pipe,
  QueryBody,
  SelectItem,
} from './nodes.js'

export type Node = QueryBody | From | Pipe | Expression

/** The kinds of objects that are not nodes: the nodes in such an object are children of the node around it. */
const HOLDERS: ReadonlySet<unknown> = new Set<(SelectItem | GroupingItem | GroupingSetItem | FrameBound)['kind']>([
  'expression',
  'star',
  'empty',
  'rollup',
  'cube',
  'grouping-sets',
  'set',
  'unbounded-preceding',
  'preceding',
  'current-row',
  'following',
  'unbounded-following',
])
/** The members that are types as written. */
const TYPES: ReadonlySet<string> = new Set(['type', 'element'])

/**
 * The children of a node, in the order of its members. Parts that are not nodes (items, windows, arguments) are replaced by the
 * nodes in them. Types are left out.
 */
export function childrenOf(node: Node): readonly Node[] {
  const children: Node[] = []
  const add = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    if ('kind' in part && !HOLDERS.has(part.kind)) children.push(part as Node)
    else addMembers(part)
  }
  const addMembers = (part: object): void => {
    for (const [name, member] of Object.entries(part)) if (!TYPES.has(name)) add(member)
  }
  addMembers(node)
  return children
}
