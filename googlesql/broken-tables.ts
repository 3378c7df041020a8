/**
 * Tables whose schema has a mistake. A catalogue does not return such a table, and the error of a query that names it contains
 * the mistake.
 */
import { definitionCovering, isShardOf, isWildcard, prefixOf } from './wildcard-tables.js'

/** Why a catalogue has no table with a certain name. */
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
 * Why the table with this name cannot be read; undefined where no broken schema concerns it. A broken shard
 * makes its wildcard tables unreadable, and a broken wildcard table its shards, because each may take its columns from the other.
 */
export function absenceOfTable(broken: BrokenTables, name: string): Absence | undefined {
  if (broken.size === 0) return undefined
  const brokenName = broken.has(name) ? name : relatedBrokenName([...broken.keys()], name)
  return brokenName === undefined ? undefined : broken.get(brokenName)
}

function relatedBrokenName(names: readonly string[], name: string): string | undefined {
  const beginning = isWildcard(name) ? prefixOf(name) : name
  const shard = isWildcard(name) ? names.find(shardName => isShardOf(shardName, beginning)) : undefined
  const wildcards = names.filter(isWildcard).map(wildcard => ({ name: wildcard }))
  return shard ?? definitionCovering(wildcards, beginning)?.name
}

/** Why the views of a dataset cannot be read; undefined where no table of it is broken. `datasets` are the names of this dataset. */
export function absenceOfViews(broken: BrokenTables, datasets: readonly string[]): Absence | undefined {
  const brokenName = [...broken.keys()].find(name => datasets.some(dataset => name.startsWith(`${dataset}.`)))
  return brokenName === undefined ? undefined : broken.get(brokenName)
}
