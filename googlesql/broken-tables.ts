/**
 * Tables whose schema has a mistake: a catalogue does not find them, and the error of a query that names one contains the
 * mistake.
 */
import { declaringOf, isShardOf, isWildcard, prefixOf } from './wildcard-tables.js'

/** Why there is no table with a name. */
export interface Absence {
  /** Completes the message `Table not found: x; `. */
  readonly reason: string
  /** The file of the schema that has a mistake, if that is the reason. */
  readonly schema?: string
}

/** The tables with a broken schema, by name. */
export type BrokenTables = ReadonlyMap<string, Absence>

export const NO_BROKEN_TABLES: BrokenTables = new Map()

/**
 * Why the table with this name cannot be read; undefined where no broken schema concerns it. A broken shard concerns its wildcard
 * tables, and a broken wildcard table its shards: each may have columns from the other.
 */
export function absenceByBroken(broken: BrokenTables, name: string): Absence | undefined {
  if (broken.size === 0) return undefined
  const brokenName = broken.has(name) ? name : concerning([...broken.keys()], name)
  return brokenName === undefined ? undefined : broken.get(brokenName)
}

function concerning(names: readonly string[], name: string): string | undefined {
  const beginning = isWildcard(name) ? prefixOf(name) : name
  const shard = isWildcard(name) ? names.find(shardName => isShardOf(shardName, beginning)) : undefined
  const wildcards = names.filter(isWildcard).map(wildcard => ({ name: wildcard }))
  return shard ?? declaringOf(wildcards, beginning)?.name
}

/** Why the views of this dataset cannot be read; undefined where no table of it is broken. */
export function absenceByBrokenDataset(broken: BrokenTables, datasets: readonly string[]): Absence | undefined {
  const brokenName = [...broken.keys()].find(name => datasets.some(dataset => name.startsWith(`${dataset}.`)))
  return brokenName === undefined ? undefined : broken.get(brokenName)
}
