/** Loads and checks the manifests of the settings. */

import type { TableCatalogue } from '../../googlesql/index.js'
import { functionDiagnostics, functionSyntaxDiagnostics } from '../manifest/functions/load.js'
import { type Loaded, type LoadOptions, loadEndpoints } from '../manifest/load.js'
import { compareDiagnostics, type Diagnostic } from '../model/diagnostic.js'
import { ENGINES } from '../model/engines.js'
import type { Engine } from '../model/ports.js'
import type { Settings } from '../settings/settings.js'
import type { ServingEngine } from './engine.js'

/** Identifies the engine's data, as part of every revision: the same SQL reads other data on another engine. */
function engineIdentity(settings: Settings): string {
  const { engine, project, location, defaultDataset, emulatorHost } = settings
  return JSON.stringify([engine, project, location, defaultDataset, emulatorHost])
}

/** The manifests of the settings, errors included. Their texts are checked when the engine is open. */
export async function loadManifests(
  settings: Settings,
  engine: ServingEngine | Promise<ServingEngine>,
  checkSql: Engine['check'],
  more: Partial<LoadOptions> = {},
): Promise<Loaded> {
  const tables = Promise.resolve(engine).then(opened => opened.tables())
  tables.catch(() => {}) // A failure is thrown where it is awaited.
  const loaded = await loadEndpoints({
    dir: settings.endpointsDir,
    engineIdentity: engineIdentity(settings),
    tables,
    checkSql,
    unknownArguments: settings.unknownArguments,
    maxRegexpLength: settings.maxRegexpLength,
    ...more,
  })
  const wrong = diagnosticsOn(settings, (await engine).tables())
  return wrong.length === 0
    ? loaded
    : { ...loaded, diagnostics: [...loaded.diagnostics, ...wrong].sort(compareDiagnostics) }
}

/** Mistakes in functions are always reported. A warehouse may know tables and functions that are not known here. */
function diagnosticsOn({ engine }: Settings, tables: TableCatalogue): readonly Diagnostic[] {
  return ENGINES[engine].canRunUnresolved
    ? functionSyntaxDiagnostics({ functions: tables.functions.sources, folder: null })
    : functionDiagnostics(tables)
}
