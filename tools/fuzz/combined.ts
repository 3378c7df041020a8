/** Conditions on a key of files, such as a shard's suffix or a partition's day, combined as authors combine them. */
import { BOOL, type Type } from '../../googlesql/types/types.js'
import { literal } from './literals.js'
import type { Queries } from './queries.js'
import { expr, type Node } from './tree.js'

/** A literal that some queries bind as a parameter. */
export function constant({ random }: Queries, type: Type, value: unknown): Node {
  const made = literal(type, value as never)
  return random.chance(0.25) ? { ...made, isBound: true } : made
}

export const comparison = ({ random }: Queries): string => random.pick(['=', '<', '<=', '>', '>=', '!=', '='])

/** Conditions that `simple` makes, within AND, OR, NOT and other expressions that take conditions. */
export function combined(queries: Queries, depth: number, simple: () => Node): Node {
  const { random } = queries
  if (depth <= 0 || random.chance(0.5)) return simple()
  const again = (): Node => combined(queries, depth - 1, simple)
  return random.weighted<() => Node>([
    [4, () => expr(BOOL)`(${again()} AND ${again()})`],
    [3, () => expr(BOOL)`(${again()} OR ${again()})`],
    [1.5, () => expr(BOOL)`NOT (${again()})`],
    [0.7, () => expr(BOOL)`IF(${again()}, ${again()}, ${again()})`],
    [0.5, () => expr(BOOL)`IFNULL(${again()}, ${random.pick(['TRUE', 'FALSE'])})`],
    [0.5, () => expr(BOOL)`(${again()}) IS ${random.pick(['', 'NOT '])}TRUE`],
  ])()
}
