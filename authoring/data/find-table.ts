/** Finds the table schema that a command names. */

import { join } from 'node:path'
import { definitionCovering, isShardOf, isWildcard, nearest, prefixOf } from '../../googlesql/index.js'
import type { LoadedTable } from '../../runner/manifest/tables/load.js'
import { proposing } from '../../runner/model/suggest.js'

/** The table with this name: its own schema, or that of the wildcard table whose shard it is. */
export function findTable(tables: readonly LoadedTable[], name: string): LoadedTable | undefined {
  const exact = tables.find(table => table.name === name)
  if (exact || isWildcard(name)) return exact
  const wildcards = tables.filter(table => isWildcard(table.name))
  const wildcard = definitionCovering(wildcards, name)
  return wildcard && isShardOf(name, prefixOf(wildcard.name)) ? { ...wildcard, name } : undefined
}

/** The message for a table without a schema in this folder, with the table that was probably meant. */
export function noTableText(name: string, dir: string, tables: readonly LoadedTable[]): string {
  const names = tables.map(table => table.name)
  return `there is no table ${name}: its schema would be ${join(dir, `${name}.json`)}${didYouMeanTable(name, names)}`
}

/** `; did you mean "shop.orders"?` for a table, which may be named without its dataset; '' where none is similar. */
export const didYouMeanTable = (name: string, names: readonly string[]): string =>
  proposing(nearest(name, names) ?? names.find(full => full.endsWith(`.${name}`))).hint
