/** Refuses syntax trees that are too deep for the recursive functions that walk them. */

import { SqlError } from '../sql-error.js'
import { childrenOf, type Node } from './walk.js'

/**
 * The greatest depth of a tree, in nodes. A recursive function needs a few stack frames for each level, and the stack has about
 * ten thousand.
 */
export const MAX_DEPTH = 500

/**
 * The greatest depth of the body of a temporary function, in nodes. It is smaller than `MAX_DEPTH`, because the body replaces
 * every call of the function.
 */
export const MAX_BODY_DEPTH = 50

/**
 * Refuses a tree that is deeper than `maxDepth` nodes, such as a sum of a thousand terms.
 *
 * @throws SqlError at the first node that is too deep
 */
export function refuseDeepTree(root: Node, source: string, maxDepth: number = MAX_DEPTH): void {
  const walk = (node: Node, depth: number): void => {
    if (depth > maxDepth) {
      throw new SqlError(
        `Query is nested too deeply: at most ${maxDepth} operators inside each other are supported`,
        source,
        node.at,
      )
    }
    for (const child of childrenOf(node)) walk(child, depth + levelsOf(node))
  }
  walk(root, 1)
}

/**
 * The number of levels that a function's body adds to a tree in which it replaces a call. A body that contains a query counts
 * as a body of the greatest depth, because DuckDB's planning time doubles with each level of nested queries.
 */
export function bodyDepth(body: Node): number {
  let deepest = 0
  const walk = (node: Node, depth: number): void => {
    deepest = Math.max(deepest, node.kind === 'query' ? Math.max(depth, MAX_BODY_DEPTH) : depth)
    for (const child of childrenOf(node)) walk(child, depth + levelsOf(node))
  }
  walk(body, 1)
  return deepest
}

/** The number of levels that a node adds: two where the node holds its children in arguments, branches or items. */
const levelsOf = ({ kind }: Node): number => (WRAPPING.has(kind) ? 2 : 1)
const WRAPPING: ReadonlySet<Node['kind']> = new Set(['call', 'case', 'struct', 'with', 'select'])
