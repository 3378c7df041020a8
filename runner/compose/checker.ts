/** The embedded engine as the language server uses it: it checks SQL and knows the tables, and runs nothing. */

import type { Checker } from '../lsp/workspace.js'
import type { Definitions } from '../manifest/definitions.js'
import type { LoadedTable } from '../manifest/tables/load.js'
import { systemClock } from '../process/clock.js'
import type { Settings } from '../settings/settings.js'
import { definitionOf, openServingEngineOver } from './engine.js'

/** Opens the engine over these tables and functions. The caller closes it. @throws SetupError */
export async function openChecker(
  tables: readonly LoadedTable[],
  rest: Omit<Definitions, 'tables'>,
  folders: { readonly data: string },
  settings: Settings,
): Promise<Checker> {
  // An editor asks at each keystroke, so a warehouse is not asked.
  const embedded: Settings = { ...settings, engine: 'duckdb', dataDir: folders.data }
  const deps = { observe: () => {}, clock: systemClock() }
  const engine = await openServingEngineOver({ ...rest, tables: tables.map(definitionOf) }, embedded, deps)
  return {
    tables: engine.tables,
    check: (sql, types, values) => engine.check(sql, types, values),
    close: () => engine.close(),
  }
}
