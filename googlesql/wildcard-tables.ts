/**
 * Wildcard tables: `logs.events_*` combines all tables whose names begin with `logs.events_`, which are its shards, and has the
 * columns of the newest shard. One definition named `logs.events_*` declares all shards at once.
 */
import type { TableDefinition } from './table-definition.js'
import { STRING } from './types/types.js'

export const TABLE_SUFFIX = '_TABLE_SUFFIX'

/** Whether this is the name of a wildcard table. */
export const isWildcard = (name: string): boolean => name.endsWith('*')

/** The beginning of the names of the shards of a wildcard table. */
export const prefixOf = (name: string): string => name.slice(0, -1)

export function wildcardTables(tables: readonly TableDefinition[]) {
  const wildcards = tables.filter(({ name }) => isWildcard(name))
  // Each definition is made once, because other modules compare definitions by identity and cache facts about them.
  const definitions = new Map<string, TableDefinition | undefined>()
  const define = (name: string, make: () => TableDefinition | undefined): TableDefinition | undefined => {
    if (!definitions.has(name)) definitions.set(name, make())
    return definitions.get(name)
  }
  return {
    /** The wildcard table with this name; undefined where no table matches. */
    wildcard: (name: string): TableDefinition | undefined =>
      define(name, () => {
        const newest = definitionCovering(wildcards, prefixOf(name)) ?? newestOf(tables, prefixOf(name))
        return newest && wildcardTable(name, newest)
      }),
    /** The table with this name as a shard of a wildcard definition; undefined where no definition declares it. */
    shard: (name: string): TableDefinition | undefined =>
      define(name, () => {
        const definition = definitionCovering(wildcards, name)
        return definition && isShardOf(name, prefixOf(definition.name)) ? { ...definition, name } : undefined
      }),
  }
}

/** Whether a table with this name is a shard of the wildcard table with this prefix. */
export const isShardOf = (name: string, prefix: string): boolean =>
  name.length > prefix.length && name.startsWith(prefix) && !name.includes('.', prefix.length)

/** The wildcard table with this name, and with the columns of this definition. */
function wildcardTable(name: string, { columns, unreadable }: TableDefinition): TableDefinition {
  return {
    name,
    // `required` is left out: an older shard may lack a column.
    columns,
    ...(unreadable && { unreadable }),
    pseudoColumns: [{ name: TABLE_SUFFIX, type: STRING }],
    wildcard: { prefix: prefixOf(name), shards: null },
  }
}

/** The wildcard definition that covers this name, or all names with this prefix; of several, the definition with the longest prefix. */
export function definitionCovering<T extends { readonly name: string }>(
  definitions: readonly T[],
  nameOrPrefix: string,
): T | undefined {
  return definitions
    .filter(({ name }) => nameOrPrefix.startsWith(prefixOf(name)) && !nameOrPrefix.includes('.', name.length - 1))
    .sort((a, b) => b.name.length - a.name.length)[0]
}

/** The newest table whose name begins with `prefix`: its name ends in the largest number, such as a date. */
function newestOf(tables: readonly TableDefinition[], prefix: string): TableDefinition | undefined {
  const newest = newestShard(
    tables.map(({ name }) => name),
    prefix,
  )
  return tables.find(({ name }) => name === newest)
}

/** The name of the newest shard of the wildcard table with this prefix; undefined where no table is a shard. */
export function newestShard(tables: readonly string[], prefix: string): string | undefined {
  let newest: string | undefined
  for (const name of tables) {
    if (!isShardOf(name, prefix)) continue
    if (newest === undefined || isNewer(name, newest)) newest = name
  }
  return newest
}

function isNewer(name: string, otherName: string): boolean {
  const [number, other] = [lastNumber(name), lastNumber(otherName)]
  return number === other ? name > otherName : number > other
}

const lastNumber = (name: string): number => Number(/\d{1,15}(?=\*?$)/.exec(name)?.[0] ?? -1)

/**
 * Makes test tables the only shards of a wildcard table. `testTables` maps the name of each replaced table to the test table in its
 * place, which becomes a shard if the replaced table was one.
 */
export function wildcardOver(
  table: TableDefinition,
  testTables: ReadonlyMap<string, TableDefinition>,
): TableDefinition {
  const { wildcard } = table
  if (!wildcard) return table
  const { prefix } = wildcard
  const shards = [...testTables].flatMap(([name, { name: shardName }]) =>
    isShardOf(name, prefix) ? [{ table: shardName, suffix: name.slice(prefix.length) }] : [],
  )
  return { ...table, wildcard: { prefix, shards } }
}
