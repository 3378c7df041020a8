/** Loads and checks the manifests of the settings. */
import type { TableCatalogue } from '../../googlesql/index.js'
import { withCauses } from '../manifest/definitions.js'
import { checkFunctions, parseFunctions } from '../manifest/functions/load.js'
import { type Loaded, type LoadedEndpoint, type LoadOptions, loadEndpoints } from '../manifest/load.js'
import { compareDiagnostics, type Diagnostic } from '../model/diagnostic.js'
import type { Engine } from '../model/ports.js'
import { systemClock } from '../process/clock.js'
import { refuseErrors } from '../serving/endpoint-registry.js'
import type { Settings } from '../settings/settings.js'
import { openServingEngine, openServingEngineOver, readDefinitions, type ServingEngine } from './engine.js'

/** Identifies the engine's data, as part of every revision: the same SQL reads other data on another engine. */
function engineIdentity(settings: Settings): string {
  const { engine, project, location, defaultDataset, emulatorHost } = settings
  return JSON.stringify(engine === 'duckdb' ? [engine] : [engine, project, location, defaultDataset, emulatorHost])
}

/** The manifests of the settings, errors included. `only` limits them to these files and folders; an empty list means all. */
export async function loadManifests(
  settings: Settings,
  engine: ServingEngine,
  checkSql: Engine['check'],
  only: readonly string[] = [],
  more: Partial<LoadOptions> = {},
): Promise<Loaded> {
  const loaded = await loadEndpoints({
    dir: settings.endpointsDir,
    engineIdentity: engineIdentity(settings),
    knowsDataChanges: engine.dataState !== undefined,
    tables: engine.tables(),
    checkSql,
    unknownArguments: settings.unknownArguments,
    maxRegexpLength: settings.maxRegexpLength,
    ...more,
    ...(only.length > 0 && { only }),
  })
  const wrong = functionDiagnostics(settings, engine.tables())
  return wrong.length === 0
    ? loaded
    : { ...loaded, diagnostics: [...loaded.diagnostics, ...wrong].sort(compareDiagnostics) }
}

/** Mistakes in functions are always reported. A warehouse may know tables and functions that are not known here. */
function functionDiagnostics({ engine }: Settings, tables: TableCatalogue): readonly Diagnostic[] {
  return engine === 'bigquery'
    ? parseFunctions({ functions: tables.functions.sources, folder: null })
    : checkFunctions(tables)
}

/**
 * The endpoints for what is written from their contracts: nothing is run, and test files and examples are not read.
 * @throws LoadError when a manifest has errors; SetupError.
 */
export async function loadContracts(settings: Settings): Promise<readonly LoadedEndpoint[]> {
  const engine = await openServingEngine(settings, { observe: () => {}, clock: systemClock() })
  try {
    const loaded = await loadManifests(settings, engine, engine.compile, [], { checksImplied: false })
    refuseErrors(loaded.diagnostics)
    return loaded.details
  } finally {
    await engine.close()
  }
}

export interface CheckLimits {
  /** The most bytes that BigQuery may read for a query; more is an error. Null for no limit. @default null */
  readonly maxBytes?: number | null
  /** Whether hints are reported too. @default false */
  readonly hasHints?: boolean
}

/**
 * Checks every manifest, every variant of its query on the engine, table schemas and test files, and closes what it opened.
 * `only` limits the result to these files and folders; an empty list means all. Mistakes in table schemas and
 * functions are always reported, and what they cause in manifests is not. @throws SetupError.
 */
export async function checkManifests(
  settings: Settings,
  only: readonly string[],
  limits: CheckLimits = {},
): Promise<Loaded> {
  const clock = systemClock()
  const definitions = await readDefinitions(settings)
  const engine = await openServingEngineOver(definitions, settings, { observe: () => {}, clock })
  // The bytes that a warehouse would read from a partitioned table depend on the time.
  const now = new Date(clock.nowMs()).toISOString()
  const { checkExample } = await import('../manifest/check/example.js')
  // Loaded here: a server has no use for test files.
  const { testMistakes, withManifests } = await import('./test-mistakes.js')
  const { unreadableColumns, unreadFileWarnings } = await import('./local-tables.js')
  try {
    const loaded = await loadManifests(
      settings,
      engine,
      (sql, types, values) => engine.check(sql, types, { ...values, now }),
      withManifests(only),
      // A warehouse is asked about every text, since it says what each would read.
      { ...limits, checkExample, checksImplied: settings.engine === 'bigquery' },
    )
    const mistakes = await testMistakes(settings.endpointsDir, only, engine.tables(), loaded)
    const diagnostics = [...loaded.diagnostics, ...mistakes]
    if (settings.engine === 'duckdb') {
      diagnostics.push(...unreadableColumns(settings, engine.tables()))
      if (settings.database === null) diagnostics.push(...unreadFileWarnings(settings, engine.tables()))
    }
    return withCauses({ ...loaded, diagnostics }, definitions.mistakes)
  } finally {
    await engine.close()
  }
}
