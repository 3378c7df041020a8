/** `sluice tables diff`: compares schema files with the warehouse. */

import { join } from 'node:path'
import { isShardOf, isWildcard, newestShard, prefixOf } from '../../googlesql/index.js'
import { diagnosticAt } from '../../runner/manifest/report.js'
import type { LoadedTable } from '../../runner/manifest/tables/load.js'
import { compareDiagnostics, type Diagnostic } from '../../runner/model/diagnostic.js'
import type { Settings } from '../../runner/settings/settings.js'
import { EXIT, type Io } from '../terminal/io.js'
import { plural } from '../terminal/plural.js'
import { type ReportFormat, reportDiagnostics } from '../terminal/report.js'
import { compareFunction } from './compare-functions.js'
import { tableDifferences } from './difference.js'
import { isWholeResource, tableResource } from './table-resource.js'
import {
  datasetPlace,
  functionFiles,
  isInformationSchema,
  listDataset,
  mapInBatches,
  schemaFiles,
  tableName,
  tablePlace,
  VIEWS,
  withWarehouse,
} from './warehouse.js'
import type { DatasetPlace, TablePlace, WarehouseTables } from './warehouse-tables.js'

/**
 * Reports where schema files and functions differ from the warehouse; with a dataset, also which of its tables have no file.
 */
export async function diffTables(
  dataset: string | undefined,
  settings: Settings,
  format: ReportFormat,
  io: Io,
): Promise<number> {
  const { diagnostics, tables, functions } = await tableDiagnostics(settings, dataset ?? null)
  reportDiagnostics(diagnostics, format, io)
  if (format === 'text') {
    const outcome = diagnostics.length === 0 ? 'no differences' : plural(diagnostics.length, 'difference')
    const compared = [plural(tables, 'table'), ...(functions > 0 ? [plural(functions, 'function')] : [])].join(' and ')
    io.print(`${compared}: ${outcome}\n`)
  }
  return diagnostics.length > 0 ? EXIT.problems : EXIT.clean
}

/**
 * Where the schema files and functions differ from the warehouse, and how many were compared. With a dataset, only its tables and
 * functions are compared, and its tables without a file are reported too. @throws LoadError, SetupError, UsageError.
 */
export async function tableDiagnostics(
  settings: Settings,
  datasetName: string | null,
): Promise<{ readonly diagnostics: readonly Diagnostic[]; readonly tables: number; readonly functions: number }> {
  const files = (await schemaFiles(settings)).filter(({ name }) => !isInformationSchema(name))
  const sources = await functionFiles(settings)
  return withWarehouse(settings, async warehouse => {
    const { project, describeFunction } = warehouse
    const dataset = datasetName === null ? null : datasetPlace(datasetName, project)
    const withPlaces = <F extends { readonly name: string }>(all: readonly F[]) =>
      all
        .map(file => ({ file, place: tablePlace(file.name, project) }))
        .filter(({ place }) => !dataset || (place.project === dataset.project && place.dataset === dataset.dataset))
    const [tables, functions] = [withPlaces(files), withPlaces(sources)]
    const diagnostics = [
      await mapInBatches(functions, async ({ file, place }) => compareFunction(file, await describeFunction(place))),
      await mapInBatches(tables, ({ file, place }) => compareTable(file, place, warehouse)),
      dataset === null ? [] : [await tablesWithoutFile(dataset, tables, settings, warehouse)],
    ]
    const sorted = diagnostics.flat(2).sort(compareDiagnostics)
    return { diagnostics: sorted, tables: tables.length, functions: functions.length }
  })
}

type Warehouse = Pick<WarehouseTables, 'project' | 'list' | 'describe'>

/** A diagnostic for each difference, placed in the file. A wildcard table is compared with its newest shard. */
async function compareTable(
  file: LoadedTable,
  place: TablePlace,
  { project, list, describe }: Warehouse,
): Promise<readonly Diagnostic[]> {
  const missing = (message: string) => [diagnosticAt(file.placeOf([]), 'table/missing', message)]
  const isSharded = isWildcard(place.table)
  const listed = isSharded ? await list(place) : []
  if (listed === null) {
    const dataset = `the warehouse has no dataset ${place.project}.${place.dataset}`
    return missing(`${dataset}; correct the name of this file, or make the dataset`)
  }
  const shards = listed.filter(({ kind }) => !VIEWS.has(kind)).map(({ table }) => table)
  // A query over all shards sees the columns of the newest shard.
  const name = isSharded ? newestShard(shards, prefixOf(place.table)) : place.table
  const actualPlace = name === undefined ? null : { ...place, table: name }
  const actual = actualPlace && (await describe(actualPlace))
  if (!actual) return missing(`the warehouse has no table ${file.name}`)
  // A view has no partitions or clusters.
  const declaresLayout = isWholeResource(file.declared) && !VIEWS.has(actual.kind)
  const where = isSharded ? `, in ${tableName(actualPlace!, project)}` : ''
  return tableDifferences(tableResource(file.declared), actual.resource, declaresLayout).map(({ column, message }) =>
    diagnosticAt(file.placeOf(column), 'table/differs', message + where),
  )
}

/** A diagnostic for each table of the dataset that no file declares. */
async function tablesWithoutFile(
  dataset: DatasetPlace,
  tables: readonly { readonly place: TablePlace }[],
  { tablesDir }: Settings,
  { project, list }: Warehouse,
): Promise<readonly Diagnostic[]> {
  const names = tables.map(({ place }) => place.table)
  const isDeclared = (table: string): boolean =>
    names.some(name => (isWildcard(name) ? isShardOf(table, prefixOf(name)) : name === table))
  const listed = await listDataset(dataset, list)
  return listed
    .filter(({ table, kind }) => !VIEWS.has(kind) && !isDeclared(table))
    .map(({ table }) => {
      const name = tableName({ ...dataset, table }, project)
      const place = { file: join(tablesDir, `${name}.json`), line: 1, column: 1 }
      return diagnosticAt(place, 'table/missing', `the table ${name} has no schema file`)
    })
}
