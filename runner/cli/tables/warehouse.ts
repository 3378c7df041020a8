/** Table schemas here, and the tables of the warehouse that they are of. */
import {
  type DescribedTable,
  openWarehouseTables,
  type TablePlace,
  type WarehouseTables,
} from '../../compose/engine.js'
import { type LoadedTable, loadTableSchemas } from '../../manifest/tables/load.js'
import { LoadError } from '../../model/errors.js'
import type { Settings } from '../../settings/settings.js'

/** Kinds of tables that have no rows of their own. */
export const VIEWS: ReadonlySet<string> = new Set(['VIEW', 'MATERIALIZED_VIEW'])

/** All tables with a schema file. @throws LoadError when any of the files holds a mistake. */
export async function schemaFiles(settings: Settings): Promise<readonly LoadedTable[]> {
  const { tables, diagnostics } = await loadTableSchemas(settings.tablesDir)
  if (diagnostics.length > 0) throw new LoadError(diagnostics)
  return tables
}

/** Closes the warehouse behind the use. @throws SetupError when there is no project or no credentials. */
export async function withWarehouse<T>(
  settings: Settings,
  use: (warehouse: WarehouseTables) => Promise<T>,
): Promise<T> {
  const warehouse = await openWarehouseTables(settings)
  try {
    return await use(warehouse)
  } finally {
    warehouse.close()
  }
}

/** What each of these is like, in their order; null for one that the warehouse does not have. @throws SetupError. */
export async function describeAll(
  warehouse: WarehouseTables,
  places: readonly TablePlace[],
): Promise<readonly (DescribedTable | null)[]> {
  const described: (DescribedTable | null)[] = []
  for (let from = 0; from < places.length; from += AT_ONCE) {
    const batch = places.slice(from, from + AT_ONCE).map(place => warehouse.describe(place))
    described.push(...(await Promise.all(batch)))
  }
  return described
}

/** BigQuery allows a user 100 such requests a second. */
const AT_ONCE = 8
