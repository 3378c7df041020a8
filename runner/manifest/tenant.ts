/** What a manifest says of tenants. */
import { isShardOf, isWildcard, prefixOf, type TableCatalogue, type TenantColumnOf } from '../../googlesql/index.js'
import type { Manifest } from '../model/manifest.js'

/** The parameter that identifies the tenant; null for an endpoint without tenants. */
export const tenantParameter = ({ tenant }: Manifest): string | null =>
  (typeof tenant === 'string' ? tenant : tenant?.parameter) ?? null

/** The columns that name the tenant, by table, where they do not have the parameter's name. */
export const tenantColumns = ({ tenant }: Manifest): Readonly<Record<string, string>> =>
  (typeof tenant === 'object' ? tenant.columns : undefined) ?? {}

/**
 * The column that names the tenant of a table's rows; null for a table in `tenant_free`. What the manifest says of a wildcard table
 * holds for its shards, but not the other way round: '' for a wildcard table of which the manifest names only a shard.
 */
export function tenantColumnOf(manifest: Manifest, parameter: string, tables: TableCatalogue): TenantColumnOf {
  const nameOf = (table: string): string => tables.find(table)?.name ?? table
  const columns = new Map(Object.entries(tenantColumns(manifest)).map(([table, path]) => [nameOf(table), path]))
  const freeTables = new Set((manifest.tenant_free ?? []).map(nameOf))
  return ({ table }) => {
    const hasNamedShard = isWildcard(table) && [...columns.keys()].some(name => name !== table && covers(table, name))
    if (hasNamedShard && !columns.has(table)) return ''
    const name = nearestName(table, columns.keys())
    if (name !== undefined) return columns.get(name)!
    return nearestName(table, freeTables) === undefined ? parameter : null
  }
}

/** Whether all rows of the table are rows of the wildcard table. */
const covers = (wildcard: string, table: string): boolean =>
  isWildcard(table) ? table.startsWith(prefixOf(wildcard)) : isShardOf(table, prefixOf(wildcard))

/** The table itself, or the wildcard table with the longest name that covers it. */
function nearestName(table: string, among: Iterable<string>): string | undefined {
  const names = [...among].filter(name => name === table || (isWildcard(name) && covers(name, table)))
  return names.sort((a, b) => Number(b === table) - Number(a === table) || b.length - a.length)[0]
}
