/** `sluice tables pull`: schema files from the warehouse. */
import { join } from 'node:path'
import { loadTableSchemas, readTableSchema } from '../../runner/manifest/tables/load.js'
import { recordOf } from '../../runner/model/is-record.js'
import { SETTING } from '../../runner/platform/write-failure.js'
import type { Settings } from '../../runner/settings/settings.js'
import { readIfExists } from '../terminal/files.js'
import { EXIT, type Io } from '../terminal/io.js'
import { writeAtomically } from '../terminal/write-atomically.js'
import { tableDifferences } from './difference.js'
import { isWholeResource, type TableResource, tableResource } from './table-resource.js'
import { datasetPlace, listDataset, mapInBatches, tableName, tablePlace, VIEWS, withWarehouse } from './warehouse.js'
import type { DatasetPlace } from './warehouse-tables.js'

/** Writes the schemas of a dataset's tables, and prints what changed in a file that existed. */
export async function pullTables(dataset: string, settings: Settings, io: Io): Promise<number> {
  return withWarehouse(settings, async warehouse => {
    const place = datasetPlace(dataset, warehouse.project)
    const listed = await listDataset(place, warehouse.list)
    const nameOf = (table: string): string => tableName({ ...place, table }, warehouse.project)
    for (const { table, kind } of listed.filter(table => VIEWS.has(table.kind))) {
      io.printError(`left out ${nameOf(table)}: it is a ${kind}, which has no rows of its own\n`)
    }
    const tables = listed.filter(({ kind }) => !VIEWS.has(kind)).map(({ table }) => ({ ...place, table }))
    if (tables.length === 0) io.printError(`${place.project}.${place.dataset} has no tables\n`)
    let hasProblems = false
    for (const [i, described] of (await mapInBatches(tables, warehouse.describe)).entries()) {
      if (described === null) continue // dropped since it was listed
      const isWritten = await writeSchema(settings.tablesDir, nameOf(tables[i]!.table), described.resource, io)
      hasProblems ||= !isWritten
    }
    const names = new Set(listed.map(({ table }) => nameOf(table)))
    for (const path of await filesWithoutTable(settings, place, names, warehouse.project)) {
      io.printError(`${path} is left as it is: the warehouse has no such table\n`)
    }
    return hasProblems ? EXIT.problems : EXIT.clean
  })
}

/** Prints what became of the file: `new PATH`, `same PATH`, or `changed PATH; what differed: …`. False where it is left out. */
async function writeSchema(dir: string, name: string, resource: TableResource, io: Io): Promise<boolean> {
  const path = join(dir, `${name}.json`)
  const old = readIfExists(path)
  const { table } = old === null ? { table: null } : readTableSchema({ file: path, text: old })
  // The warehouse does not know how the table's text files here are written.
  const { externalDataConfiguration } = recordOf(table?.declared)
  const text = `${JSON.stringify({ ...resource, externalDataConfiguration }, null, 2)}\n`
  const mistake = readTableSchema({ file: path, text }).diagnostics[0]
  if (mistake) {
    io.printError(`left out ${name}: ${mistake.message}\n`)
    return false
  }
  if (old !== text) await writeAtomically({ what: 'the table schema', path, setting: SETTING.tables }, text)
  if (old === text) io.print(`same ${path}\n`)
  else io.print(old === null ? `new ${path}\n` : `changed ${path}; what differed: ${changes(path, old, text)}\n`)
  return true
}

function changes(path: string, before: string, after: string): string {
  const [old, now] = [before, after].map(text => readTableSchema({ file: path, text }).table)
  if (!old || !now) return 'all, for it was not valid'
  const [oldTable, newTable] = [tableResource(old.declared), tableResource(now.declared)]
  const differences = tableDifferences(oldTable, newTable, isWholeResource(old.declared))
  return differences.length === 0
    ? 'descriptions, defaults, policy tags or form'
    : differences.map(({ message }) => message).join('; ')
}

/** The files of this dataset's tables that the warehouse does not have. */
async function filesWithoutTable(
  settings: Settings,
  { project, dataset }: DatasetPlace,
  names: ReadonlySet<string>,
  ownProject: string,
): Promise<readonly string[]> {
  const { tables } = await loadTableSchemas(settings.tablesDir)
  return tables
    .filter(({ name }) => {
      const place = tablePlace(name, ownProject)
      return place.project === project && place.dataset === dataset && !names.has(name)
    })
    .map(({ file }) => file)
}
