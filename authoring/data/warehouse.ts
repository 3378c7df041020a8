/** Reads the schema files of tables and functions, and opens the warehouse with the tables that they describe. */
import type { FunctionSource } from '../../googlesql/index.js'
import { loadFunctions, parseFunctions } from '../../runner/manifest/functions/load.js'
import { type LoadedTable, loadTableSchemas } from '../../runner/manifest/tables/load.js'
import { LoadError, SetupError } from '../../runner/model/errors.js'
import type { Settings } from '../../runner/settings/settings.js'
import type { DatasetPlace } from './warehouse-names.js'
import type { TablePlace, WarehouseTables } from './warehouse-tables.js'

/** Kinds of tables that have no rows of their own. */
export const VIEWS: ReadonlySet<string> = new Set(['VIEW', 'MATERIALIZED_VIEW'])

/** All tables with a schema file. @throws LoadError when any of the files holds a mistake. */
export async function schemaFiles(settings: Settings): Promise<readonly LoadedTable[]> {
  const { tables, diagnostics } = await loadTableSchemas(settings.tablesDir)
  if (diagnostics.length > 0) throw new LoadError(diagnostics)
  return tables
}

/** Opens the warehouse for `use`. @throws SetupError without a project or credentials. */
export async function withWarehouse<T>(
  settings: Settings,
  use: (warehouse: WarehouseTables) => Promise<T>,
): Promise<T> {
  // Loaded here: most commands have no use for Google's client.
  const { openAccess } = await import('../../runner/engines/bigquery/index.js')
  const { openWarehouseTables } = await import('./warehouse-tables.js')
  return use(openWarehouseTables(await openAccess(settings)))
}

/** The tables of a dataset that a command names. @throws SetupError where the warehouse does not have it. */
export async function listNamed(
  { project, dataset }: DatasetPlace,
  list: WarehouseTables['list'],
): Promise<NonNullable<Awaited<ReturnType<WarehouseTables['list']>>>> {
  const listed = await list({ project, dataset })
  if (listed !== null) return listed
  const where = 'check its name; one of another project is written project.dataset'
  throw new SetupError(`the warehouse has no dataset ${project}.${dataset}; ${where}`)
}

/** Describes each place, a few at a time. The results are in the order of the places. */
export async function describeAll<T>(
  places: readonly TablePlace[],
  describe: (place: TablePlace) => Promise<T>,
): Promise<readonly T[]> {
  const described: T[] = []
  for (let from = 0; from < places.length; from += AT_ONCE) {
    described.push(...(await Promise.all(places.slice(from, from + AT_ONCE).map(describe))))
  }
  return described
}

/** All functions with a file. @throws LoadError when a file holds a mistake. */
export async function functionFiles(settings: Settings): Promise<readonly FunctionSource[]> {
  const { functions, diagnostics } = await loadFunctions(settings.functionsDir)
  const wrong = [...diagnostics, ...parseFunctions(functions)]
  if (wrong.length > 0) throw new LoadError(wrong)
  return functions.functions
}

/** Requests at a time. BigQuery allows a user 100 requests for metadata a second. */
const AT_ONCE = 8
