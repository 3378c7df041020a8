/** `sluice tables diff`: schema files held against the warehouse. */
import { join } from 'node:path'
import { isWildcard } from '../../../googlesql/index.js'
import { compareTable, missingSchema } from '../../manifest/tables/compare.js'
import { compareDiagnostics, type Diagnostic } from '../../model/diagnostic.js'
import { readSettings, type Settings } from '../../settings/settings.js'
import { EXIT, type Io } from '../io.js'
import { type ReportFormat, reportDiagnostics } from '../report.js'
import { describeAll, schemaFiles, VIEWS, withWarehouse } from './warehouse.js'
import { datasetPlace, tableName, tablePlace } from './warehouse-names.js'

type Flags = Readonly<Record<string, string | undefined>>

/** Tells what schema files say otherwise than the warehouse; with a dataset, also which of its tables have none. */
export async function diffTables(
  dataset: string | undefined,
  flags: Flags,
  format: ReportFormat,
  io: Io,
): Promise<number> {
  const settings = readSettings(flags, io.environment)
  const { diagnostics, tables } = await tableDiagnostics(settings, dataset ?? null)
  reportDiagnostics(diagnostics, format, io)
  if (format === 'text') {
    const found = diagnostics.length === 0 ? 'no differences' : count(diagnostics.length, 'difference')
    io.print(`${count(tables, 'table')}: ${found}\n`)
  }
  return diagnostics.length > 0 ? EXIT.problems : EXIT.clean
}

/**
 * What the schema files say otherwise than the warehouse, and how many tables were looked at. With a dataset only its
 * tables are, and those without a file are told of too. @throws LoadError, SetupError, UsageError.
 */
export async function tableDiagnostics(
  settings: Settings,
  dataset: string | null,
): Promise<{ readonly diagnostics: readonly Diagnostic[]; readonly tables: number }> {
  // A wildcard table is no table of the warehouse.
  const files = (await schemaFiles(settings)).filter(({ name }) => !isWildcard(name))
  return withWarehouse(settings, async warehouse => {
    const only = dataset === null ? null : datasetPlace(dataset, warehouse.project)
    const wanted = files
      .map(file => ({ file, place: tablePlace(file.name, warehouse.project) }))
      .filter(({ place }) => only === null || (place.project === only.project && place.dataset === only.dataset))
    const diagnostics: Diagnostic[] = []
    const described = await describeAll(
      warehouse,
      wanted.map(({ place }) => place),
    )
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
    return { diagnostics: diagnostics.sort(compareDiagnostics), tables: wanted.length }
  })
}

const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`
