/** Reads the schema files of tables and functions, opens the warehouse, and names its tables as SQL and schema files do. */
import { type FunctionSource, informationSchemaName } from '../../googlesql/index.js'
import { functionSyntaxDiagnostics, loadFunctions } from '../../runner/manifest/functions/load.js'
import { type LoadedTable, loadTableSchemas, readTableSchema, tableOf } from '../../runner/manifest/tables/load.js'
import { LoadError, SetupError, UsageError } from '../../runner/model/errors.js'
import type { Settings } from '../../runner/settings/settings.js'
import type { DatasetPlace, ListedTable, TablePlace, WarehouseTables } from './warehouse-tables.js'

/** Kinds of tables that have no rows of their own. */
export const VIEWS: ReadonlySet<string> = new Set(['VIEW', 'MATERIALIZED_VIEW'])

/** Whether this is a view of INFORMATION_SCHEMA, which every warehouse has, so that it is neither made nor compared. */
export const isInformationSchema = (name: string): boolean => informationSchemaName(name) !== null

/** The wanted tables that have a schema file. @throws LoadError when any of their files holds a mistake. */
export async function schemaFiles(
  { tablesDir }: Settings,
  isWanted: (table: string) => boolean = () => true,
): Promise<readonly LoadedTable[]> {
  const { tables, diagnostics } = await loadTableSchemas(tablesDir, undefined, source =>
    isWanted(tableOf(source.file)) ? readTableSchema(source) : { table: null, diagnostics: [] },
  )
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
export async function listDataset(
  { project, dataset }: DatasetPlace,
  list: WarehouseTables['list'],
): Promise<readonly ListedTable[]> {
  const listed = await list({ project, dataset })
  if (listed !== null) return listed
  const where = 'check its name; one of another project is written project.dataset'
  throw new SetupError(`the warehouse has no dataset ${project}.${dataset}; ${where}`)
}

/** Calls `ask` for each item, a few at a time. The answers are in the order of the items. */
export async function mapInBatches<A, B>(items: readonly A[], ask: (item: A) => Promise<B>): Promise<readonly B[]> {
  const answers: B[] = []
  for (let from = 0; from < items.length; from += BATCH_SIZE) {
    answers.push(...(await Promise.all(items.slice(from, from + BATCH_SIZE).map(ask))))
  }
  return answers
}

/** All functions with a file. @throws LoadError when a file holds a mistake. */
export async function functionFiles(settings: Settings): Promise<readonly FunctionSource[]> {
  const { functions, diagnostics } = await loadFunctions(settings.functionsDir)
  const mistakes = [...diagnostics, ...functionSyntaxDiagnostics(functions)]
  if (mistakes.length > 0) throw new LoadError(mistakes)
  return functions.functions
}

/** The number of requests at a time. BigQuery allows a user 100 requests for metadata a second. */
const BATCH_SIZE = 8

/** Reads `dataset`, for a dataset of `project`, or `project.dataset`. @throws UsageError for another form. */
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

/** The table's name in SQL and schema files: with its project only where that is not `project`. */
export function tableName(place: TablePlace, project: string): string {
  const name = `${place.dataset}.${place.table}`
  return place.project === project ? name : `${place.project}.${name}`
}
