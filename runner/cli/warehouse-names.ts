/** The warehouse's tables and datasets by the names that SQL and schema files use. */
import { type DescribedTable, openWarehouseTables, type TablePlace, type WarehouseTables } from '../compose.js'
import { type LoadedTable, loadTableSchemas } from '../manifest/load-tables.js'
import { LoadError, UsageError } from '../model/errors.js'
import type { Settings } from '../settings.js'

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

/** A dataset and whose it is. */
export interface DatasetPlace {
  readonly project: string
  readonly dataset: string
}

/** `dataset` or `project.dataset`; `project` is that of the former. @throws UsageError for another form. */
export function datasetPlace(text: string, project: string): DatasetPlace {
  const dot = text.lastIndexOf('.')
  const dataset = text.slice(dot + 1)
  if (!/^[\w-]+$/.test(dataset) || dot === 0) {
    throw new UsageError([`a dataset is named dataset or project.dataset, found ${JSON.stringify(text)}`])
  }
  return { project: dot < 0 ? project : text.slice(0, dot), dataset }
}

/** `dataset.table` or `project.dataset.table`. */
export function tablePlace(name: string, project: string): TablePlace {
  const dot = name.lastIndexOf('.')
  return { ...datasetPlace(name.slice(0, dot), project), table: name.slice(dot + 1) }
}

/** As SQL and schema files name it: with its project only where that is not the one that is worked in. */
export function tableName(place: TablePlace, project: string): string {
  const name = `${place.dataset}.${place.table}`
  return place.project === project ? name : `${place.project}.${name}`
}
