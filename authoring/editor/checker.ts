/** The embedded engine as the language server uses it: it checks SQL and knows the tables, and runs nothing. */

import type { Definitions } from '../../runner/manifest/definitions.js'
import type { LoadedTable } from '../../runner/manifest/tables/load.js'
import { systemClock } from '../../runner/platform/clock.js'
import { definitionOf, openServingEngineOver } from '../../runner/serve/engine.js'
import type { Settings } from '../../runner/settings/settings.js'
import { constantsChecker } from '../check/constants.js'
import type { Checker } from './workspace.js'

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
    tables: () => engine.tables(),
    check: constantsChecker(engine),
    close: () => engine.close(),
  }
}
