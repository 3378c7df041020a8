/** `sluice tables diff`: compares schema files with the warehouse. */
import { join } from 'node:path'
import { isShardOf, isWildcard, newestShard, prefixOf } from '../../googlesql/index.js'
import { diagnosticAt } from '../../runner/manifest/report.js'
import type { LoadedTable } from '../../runner/manifest/tables/load.js'
import { compareDiagnostics, type Diagnostic } from '../../runner/model/diagnostic.js'
import { readSettings, type Settings } from '../../runner/settings/settings.js'
import { EXIT, type Io } from '../terminal/io.js'
import { plural } from '../terminal/plural.js'
import { type ReportFormat, reportDiagnostics } from '../terminal/report.js'
import { compareFunction } from './compare-functions.js'
import { tableDifferences } from './difference.js'
import { isWholeResource, tableResource } from './table-resource.js'
import {
  datasetPlace,
  describeAll,
  functionFiles,
  listNamed,
  schemaFiles,
  tableName,
  tablePlace,
  VIEWS,
  withWarehouse,
} from './warehouse.js'
import type { TablePlace, WarehouseTables } from './warehouse-tables.js'

type Flags = Readonly<Record<string, string | undefined>>

/**
 * Reports where schema files and functions differ from the warehouse; with a dataset, also which of its tables have no file.
 */
export async function diffTables(
  dataset: string | undefined,
  flags: Flags,
  format: ReportFormat,
  io: Io,
): Promise<number> {
  const settings = readSettings(flags, io.environment)
  const { diagnostics, tables, functions } = await tableDiagnostics(settings, dataset ?? null)
  reportDiagnostics(diagnostics, format, io)
  if (format === 'text') {
    const found = diagnostics.length === 0 ? 'no differences' : plural(diagnostics.length, 'difference')
    const compared = [plural(tables, 'table'), ...(functions > 0 ? [plural(functions, 'function')] : [])].join(' and ')
    io.print(`${compared}: ${found}\n`)
  }
  return diagnostics.length > 0 ? EXIT.problems : EXIT.clean
}

/**
 * Where the schema files and functions differ from the warehouse, and how many were compared. With a dataset only its own
 * are compared, and its tables without a file are reported too. @throws LoadError, SetupError, UsageError.
 */
export async function tableDiagnostics(
  settings: Settings,
  dataset: string | null,
): Promise<{ readonly diagnostics: readonly Diagnostic[]; readonly tables: number; readonly functions: number }> {
  const files = await schemaFiles(settings)
  const functions = await functionFiles(settings)
  return withWarehouse(settings, async warehouse => {
    const only = dataset === null ? null : datasetPlace(dataset, warehouse.project)
    const placed = <F extends { readonly name: string }>(all: readonly F[]) =>
      all
        .map(file => ({ file, place: tablePlace(file.name, warehouse.project) }))
        .filter(({ place }) => only === null || (place.project === only.project && place.dataset === only.dataset))
    const listedOnce = listing(warehouse)
    const wanted = await Promise.all(placed(files).map(one => withNewestShard(one, listedOnce)))
    const called = placed(functions)
    const diagnostics: Diagnostic[] = []
    const described = await describeAll(
      wanted.map(({ place }) => place),
      place => (isWildcard(place.table) ? Promise.resolve(null) : warehouse.describe(place)),
    )
    const routines = await describeAll(
      called.map(({ place }) => place),
      warehouse.describeFunction,
    )
    for (const [i, { file }] of called.entries()) diagnostics.push(...compareFunction(file, routines[i] ?? null))
    for (const [i, { file, place }] of wanted.entries()) {
      if (isWildcard(place.table) && (await listedOnce(place)) === null) {
        const missing = `the warehouse has no dataset ${place.project}.${place.dataset}`
        const message = `${missing}; correct the name of this file, or make the dataset`
        diagnostics.push(diagnosticAt(file.placeOf([]), 'table/missing', message))
        continue
      }
      const shard = isWildcard(file.name) ? tableName(place, warehouse.project) : null
      diagnostics.push(...compareTable(file, described[i] ?? null, shard))
    }
    const known = new Set(wanted.map(({ place }) => place.table))
    const prefixes = placed(files).flatMap(({ place }) => (isWildcard(place.table) ? [prefixOf(place.table)] : []))
    const isKnown = (table: string): boolean => known.has(table) || prefixes.some(prefix => isShardOf(table, prefix))
    const listed = only === null ? [] : await listNamed(only, listedOnce)
    for (const { table } of listed.filter(one => !VIEWS.has(one.kind) && !isKnown(one.table))) {
      const name = tableName({ ...only!, table }, warehouse.project)
      const file = join(settings.tablesDir, `${name}.json`)
      const message = `the table ${name} has no schema file`
      diagnostics.push(diagnosticAt({ file, line: 1, column: 1 }, 'table/missing', message))
    }
    return { diagnostics: diagnostics.sort(compareDiagnostics), tables: wanted.length, functions: called.length }
  })
}

/** A diagnostic for each difference, placed in the file; `shard` is the table that stands for a wildcard table. */
function compareTable(
  file: LoadedTable,
  found: Awaited<ReturnType<WarehouseTables['describe']>>,
  shard: string | null,
): readonly Diagnostic[] {
  if (found === null) {
    return [diagnosticAt(file.placeOf([]), 'table/missing', `the warehouse has no table ${file.name}`)]
  }
  // A view has no partitions or clusters.
  const tellsLayout = isWholeResource(file.declared) && !VIEWS.has(found.kind)
  const declared = tableResource(file.declared)
  return tableDifferences(declared, found.resource, { tellsLayout }).map(({ column, message }) =>
    diagnosticAt(file.placeOf(column), 'table/differs', shard === null ? message : `${message}, in ${shard}`),
  )
}

interface PlacedTable {
  readonly file: LoadedTable
  readonly place: TablePlace
}

/** `list` that asks the warehouse only once for each dataset. */
function listing({ list }: WarehouseTables): WarehouseTables['list'] {
  const asked = new Map<string, ReturnType<WarehouseTables['list']>>()
  return place => {
    const key = `${place.project}.${place.dataset}`
    const answer = asked.get(key) ?? list(place)
    asked.set(key, answer)
    return answer
  }
}

/** The newest shard in the place of a wildcard table, whose columns a query over all of them sees. */
async function withNewestShard(one: PlacedTable, list: WarehouseTables['list']): Promise<PlacedTable> {
  const { file, place } = one
  if (!isWildcard(place.table)) return one
  const tables = ((await list(place)) ?? []).filter(({ kind }) => !VIEWS.has(kind)).map(({ table }) => table)
  const newest = newestShard(tables, prefixOf(place.table))
  return newest === undefined ? one : { file, place: { ...place, table: newest } }
}
