/** Refuses trees that are too deep for the functions that walk them. */

import type { Query } from './ast.js'
import { SqlError } from './sql-error.js'

/** How many nodes may stand above each other. Each costs its readers a few stack frames, of some ten thousand. */
export const MAX_DEPTH = 500

/** @throws SqlError at a node with more than `MAX_DEPTH` nodes above it, as in a sum of a thousand terms. */
export function refuseDeepTree(query: Query, source: string): void {
  walk(query, 1, 0, source)
}

/** `at` is the place of the nearest node above that has one. */
function walk(node: object, depth: number, at: number, source: string): void {
  if (depth > MAX_DEPTH) {
    throw new SqlError(
      `Query is nested too deeply: at most ${MAX_DEPTH} operators inside each other are supported`,
      source,
      at,
    )
  }
  const here = 'at' in node && typeof node.at === 'number' ? node.at : at
  for (const child of Object.values(node)) {
    if (typeof child !== 'object' || child === null || child instanceof Uint8Array) continue
    walk(child, Array.isArray(child) ? depth : depth + 1, here, source)
  }
}
