/** `sluice tables diff`: schema files held against the warehouse. */
import { join } from 'node:path'
import { isWildcard } from '../../../googlesql/index.js'
import { compareFunction } from '../../manifest/functions/compare.js'
import { compareTable, missingSchema } from '../../manifest/tables/compare.js'
import { compareDiagnostics, type Diagnostic } from '../../model/diagnostic.js'
import { readSettings, type Settings } from '../../settings/settings.js'
import { EXIT, type Io } from '../io.js'
import { type ReportFormat, reportDiagnostics } from '../report.js'
import { describeAll, functionFiles, schemaFiles, VIEWS, withWarehouse } from './warehouse.js'
import { datasetPlace, tableName, tablePlace } from './warehouse-names.js'

type Flags = Readonly<Record<string, string | undefined>>

/**
 * Tells what schema files and functions say otherwise than the warehouse; with a dataset, also which of its tables have no file.
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
    const found = diagnostics.length === 0 ? 'no differences' : count(diagnostics.length, 'difference')
    const compared = [count(tables, 'table'), ...(functions > 0 ? [count(functions, 'function')] : [])].join(' and ')
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
  // A wildcard table is not itself a table of the warehouse; its shards are.
  const files = (await schemaFiles(settings)).filter(({ name }) => !isWildcard(name))
  const functions = await functionFiles(settings)
  return withWarehouse(settings, async warehouse => {
    const only = dataset === null ? null : datasetPlace(dataset, warehouse.project)
    const placed = <F extends { readonly name: string }>(all: readonly F[]) =>
      all
        .map(file => ({ file, place: tablePlace(file.name, warehouse.project) }))
        .filter(({ place }) => only === null || (place.project === only.project && place.dataset === only.dataset))
    const wanted = placed(files)
    const called = placed(functions)
    const diagnostics: Diagnostic[] = []
    const described = await describeAll(
      wanted.map(({ place }) => place),
      warehouse.describe,
    )
    const routines = await describeAll(
      called.map(({ place }) => place),
      warehouse.describeFunction,
    )
    for (const [i, { file }] of called.entries()) diagnostics.push(...compareFunction(file, routines[i] ?? null))
    for (const [i, { file }] of wanted.entries()) {
      const found = described[i] ?? null
      const isView = found !== null && VIEWS.has(found.kind)
      diagnostics.push(...compareTable(file, found && { isView, resource: found.resource }))
    }
    const known = new Set(wanted.map(({ place }) => place.table))
    const listed = only === null ? [] : await warehouse.list(only)
    for (const { table } of listed.filter(one => !VIEWS.has(one.kind) && !known.has(one.table))) {
      const name = tableName({ ...only!, table }, warehouse.project)
      diagnostics.push(missingSchema(join(settings.tablesDir, `${name}.json`), name))
    }
    return { diagnostics: diagnostics.sort(compareDiagnostics), tables: wanted.length, functions: called.length }
  })
}

const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`
