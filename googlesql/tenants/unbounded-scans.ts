/** The proof that a query reads rows of one tenant alone: README.md has its rules. */
import type { ResolvedQuery, TableScan } from '../plan/nodes.js'
import { TenantAnalysis } from './analyze.js'
import { findColumnPath } from './column-path.js'
import type { TenantParameter } from './conditions.js'
import type { TenantScan } from './relation.js'

/** The path of the column that names the tenant of a row; null for a table whose rows belong to no tenant. */
export type TenantColumnOf = (table: TableScan) => string | null

/** The scans that are not proven to be bounded, each place once; an empty list means that the result depends on the tenant's rows alone. */
export function unboundedScans(
  query: ResolvedQuery,
  parameter: TenantParameter,
  columnOf: TenantColumnOf,
): readonly TenantScan[] {
  const analysis = new TenantAnalysis(parameter, table => {
    const column = columnOf(table)
    if (column === null) return 'free'
    const path = findColumnPath(table.columns, column)
    if (!('rest' in path)) return { column, parts: null, key: null }
    return { column, parts: path.parts, key: `${table.columns[path.column]!.id}${path.rest}` }
  })
  const places = new Map(analysis.findUnbounded(query.scan).map(({ scan }) => [`${scan.at} ${scan.table}`, scan]))
  return [...places.values()].sort((a, b) => a.at - b.at)
}
