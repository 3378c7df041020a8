/** Refuses trees that are too deep for the functions that walk them. */

import { SqlError } from '../sql-error.js'
import { childrenOf, type Node } from './walk.js'

/** How many nodes may stand above each other. Each costs its readers a few stack frames, of some ten thousand. */
export const MAX_DEPTH = 500

/** The same for the body of a function, which is put in place of every call. */
export const MAX_BODY_DEPTH = 50

/** @throws SqlError at a node with more than `most` nodes above it, as in a sum of a thousand terms. */
export function refuseDeepTree(root: Node, source: string, most: number = MAX_DEPTH): void {
  const walk = (node: Node, depth: number): void => {
    if (depth > most) {
      throw new SqlError(
        `Query is nested too deeply: at most ${most} operators inside each other are supported`,
        source,
        node.at,
      )
    }
    for (const child of childrenOf(node)) walk(child, depth + levelsOf(node))
  }
  walk(root, 1)
}

/** What stands between a node and those in it (arguments, branches, items) costs its readers as much as a node. */
const levelsOf = ({ kind }: Node): number => (WRAPPING.has(kind) ? 2 : 1)
const WRAPPING: ReadonlySet<Node['kind']> = new Set(['call', 'case', 'struct', 'with', 'select'])
