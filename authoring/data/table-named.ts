/** Finds the table schema that a command names. */
import { join } from 'node:path'
import { declaringOf, isShardOf, isWildcard, nearest, prefixOf } from '../../googlesql/index.js'
import type { LoadedTable } from '../../runner/manifest/tables/load.js'

/** The table with this name: its own schema, or that of the wildcard table whose shard it is. */
export function tableNamed(tables: readonly LoadedTable[], name: string): LoadedTable | undefined {
  const own = tables.find(table => table.name === name)
  if (own || isWildcard(name)) return own
  const wildcards = tables.filter(table => isWildcard(table.name))
  const wildcard = declaringOf(wildcards, name)
  return wildcard && isShardOf(name, prefixOf(wildcard.name)) ? { ...wildcard, name } : undefined
}

/** The message for a table without a schema in this folder, with the table that was probably meant. */
export function noTableText(name: string, dir: string, tables: readonly LoadedTable[]): string {
  const names = tables.map(table => table.name)
  // A table may be named without its dataset.
  const meant = nearest(name, names) ?? names.find(full => full.endsWith(`.${name}`))
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  return `there is no table ${name}: its schema would be ${join(dir, `${name}.json`)}${hint}`
}
