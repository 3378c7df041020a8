/**
 * Finds and replaces the parts of a tree's nodes. A table lists, for each kind of node, which of its members are parts. Every walk
 * over a tree and every function that rebuilds a node derives from the tree's table.
 */

/**
 * The members of an object that are or contain parts. The entry of a part is its sort, such as `expr`; the entry of a plain object
 * has its members; the entry of a list describes each item. A member that is null or absent has no parts.
 */
export interface Parts {
  readonly [member: string]: string | Parts
}

type Members = Readonly<Record<string, unknown>>

/** Adds the parts of one sort to the list, in the order of the table. */
export function collectParts(value: unknown, parts: Parts | string, sort: string, into: unknown[]): void {
  if (value === null || value === undefined) return
  if (typeof parts === 'string' && parts !== sort) return
  if (Array.isArray(value)) {
    for (const item of value) collectParts(item, parts, sort, into)
  } else if (typeof parts === 'string') {
    into.push(value)
  } else {
    for (const member in parts) collectParts((value as Members)[member], parts[member]!, sort, into)
  }
}

/** What replaces the parts of each sort; a sort without a function stays as it is. */
export type Replacements = Readonly<Record<string, ((part: never) => unknown) | undefined>>

/** The value with its parts replaced. An object whose parts are all unchanged is returned itself. */
export function mapPartsIn<V>(value: V, parts: Parts | string, replacements: Replacements): V {
  return mapParts(value, parts, replacements) as V
}

function mapParts(value: unknown, parts: Parts | string, replacements: Replacements): unknown {
  if (value === null || value === undefined) return value
  const replace = typeof parts === 'string' ? replacements[parts] : null
  if (replace === undefined) return value
  if (Array.isArray(value)) {
    const items = value.map(item => mapParts(item, parts, replacements))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (typeof parts === 'string') return replace!(value as never)
  const object = value as Members
  let copy: Record<string, unknown> | null = null
  for (const member in parts) {
    const part = mapParts(object[member], parts[member]!, replacements)
    if (part === object[member]) continue
    copy ??= { ...object }
    copy[member] = part
  }
  return copy ?? value
}
