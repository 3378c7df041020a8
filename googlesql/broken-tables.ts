/**
 * Tables whose schema has a mistake: a catalogue does not find them, and the error of a query that names one contains the
 * mistake.
 */
import { declaringOf, isShardOf, isWildcard, prefixOf } from './wildcard-tables.js'

/** The first mistake in each broken schema, by the table's name: `<file>:<line>:<column>: <message>`. */
export type BrokenTables = ReadonlyMap<string, string>

export const NO_BROKEN_TABLES: BrokenTables = new Map()

/** Completes the message `Table not found: x; `. */
const PHRASE = 'its schema has a mistake: '

/** The file of the broken schema that a message about a missing table names; null for any other message. */
export const brokenSchemaIn = (message: string): string | null =>
  new RegExp(`; ${PHRASE}(.+?):\\d+:\\d+: `).exec(message)?.[1] ?? null

/**
 * Why the table with this name cannot be read; undefined where no broken schema concerns it. A broken shard concerns its wildcard
 * tables, and a broken wildcard table its shards: each may have columns from the other.
 */
export function reasonOfBroken(broken: BrokenTables, name: string): string | undefined {
  if (broken.size === 0) return undefined
  const found = broken.has(name) ? name : concerning([...broken.keys()], name)
  return found === undefined ? undefined : PHRASE + broken.get(found)!
}

function concerning(names: readonly string[], name: string): string | undefined {
  const beginning = isWildcard(name) ? prefixOf(name) : name
  const shard = isWildcard(name) ? names.find(one => isShardOf(one, beginning)) : undefined
  const wildcards = names.filter(isWildcard).map(one => ({ name: one }))
  return shard ?? declaringOf(wildcards, beginning)?.name
}

/** Why the views of this dataset cannot be read; undefined where no table of it is broken. */
export function reasonOfBrokenDataset(broken: BrokenTables, datasets: readonly string[]): string | undefined {
  const found = [...broken.keys()].find(name => datasets.some(dataset => name.startsWith(`${dataset}.`)))
  return found === undefined ? undefined : PHRASE + broken.get(found)!
}
