/** Refuses trees that are too deep for the functions that walk them. */

import { SqlError } from '../sql-error.js'
import type { Expression, Query } from './nodes.js'

/** How many nodes may stand above each other. Each costs its readers a few stack frames, of some ten thousand. */
export const MAX_DEPTH = 500

/** The same for the body of a function, which is put in place of every call. */
export const MAX_BODY_DEPTH = 50

/** @throws SqlError at a node with more than `most` nodes above it, as in a sum of a thousand terms. */
export function refuseDeepTree(query: Query | Expression, source: string, most: number = MAX_DEPTH): void {
  walk(query, 1, 0, source, most)
}

/** `at` is the place of the nearest node above that has one. */
function walk(node: object, depth: number, at: number, source: string, most: number): void {
  if (depth > most) {
    throw new SqlError(
      `Query is nested too deeply: at most ${most} operators inside each other are supported`,
      source,
      at,
    )
  }
  const here = 'at' in node && typeof node.at === 'number' ? node.at : at
  for (const child of Object.values(node)) {
    if (typeof child !== 'object' || child === null || child instanceof Uint8Array) continue
    walk(child, Array.isArray(child) ? depth : depth + 1, here, source, most)
  }
}
