/** `sluice tables ddl`: table schemas as SQL. */
import { isWildcard } from '../../googlesql/index.js'
import { UsageError } from '../../runner/model/errors.js'
import type { Settings } from '../../runner/settings/settings.js'
import { EXIT, type Io } from '../terminal/io.js'
import { createTableStatement } from './ddl-text.js'
import { findTable, noTableText } from './find-table.js'
import { tableResource } from './table-resource.js'
import { isInformationSchema, schemaFiles } from './warehouse.js'

/** Prints CREATE TABLE statements of these tables, or of all that have a schema of their own. */
export async function printTables(names: readonly string[], settings: Settings, io: Io): Promise<number> {
  const tables = await schemaFiles(settings)
  const unknown = names.filter(name => isWildcard(name) || !findTable(tables, name))
  if (unknown.length > 0) {
    throw new UsageError(unknown.map(name => noTableText(name, settings.tablesDir, tables)))
  }
  const all = tables.filter(({ name }) => !isWildcard(name) && !isInformationSchema(name))
  const selection = names.length === 0 ? all : names.map(name => findTable(tables, name)!)
  io.print(selection.map(({ name, declared }) => createTableStatement(name, tableResource(declared))).join('\n'))
  return EXIT.clean
}
