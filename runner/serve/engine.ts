/** Opens the engines that the settings name, with their tables. */

import { randomUUID } from 'node:crypto'
import { availableParallelism, tmpdir } from 'node:os'
import {
  ingestionTimeColumns,
  PARTITION_TIME,
  type TableCatalogue,
  type TableDefinition,
} from '../../googlesql/index.js'
import {
  type DuckdbEngine,
  dataFolderFault,
  type EmbeddedEngine,
  type EmbeddedEngineOptions,
  openDuckdbEngine,
  openEmbedded,
} from '../engines/duckdb/index.js'
import { brokenTables, type Definitions } from '../manifest/definitions.js'
import { loadFunctions } from '../manifest/functions/load.js'
import { type LoadedTable, loadTableSchemas, type ReadSchema } from '../manifest/tables/load.js'
import { ENGINES, type EngineName } from '../model/engines.js'
import { SetupError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock, Engine } from '../model/ports.js'
import { systemClock } from '../platform/clock.js'
import { BYTES_PER_MB, type Settings } from '../settings/settings.js'
import { refuseErrors } from './endpoint-registry.js'

// Re-exported, since other folders may not import the adapters.
export type { EmbeddedEngine, EmbeddedEngineOptions, EmbeddedTable } from '../engines/duckdb/index.js'

/** The ports that an engine needs besides the settings. */
export interface EngineDeps {
  readonly observe: Observer
  readonly clock: Clock
  /** See DuckdbEngineOptions. */
  readonly isShared?: boolean
}

/** An engine for which manifests can be loaded. */
export interface ServingEngine extends Engine {
  /** Like `check`, but without a request to the engine where the resolver suffices. */
  readonly compile: Engine['check']
  /** All tables that have a schema file. */
  readonly tables: () => TableCatalogue
}

/** Opens the engine that the settings name. The caller closes it. @throws LoadError as soundDefinitions does, SetupError. */
export async function openServingEngine(settings: Settings, deps: EngineDeps): Promise<ServingEngine> {
  return openServingEngineOver(await soundDefinitions(settings), settings, deps)
}

/** Opens the engine over table schemas and functions that are already loaded. */
export function openServingEngineOver(
  definitions: Definitions,
  settings: Settings,
  deps: EngineDeps,
): Promise<ServingEngine> {
  return OPEN[settings.engine](definitions, settings, deps)
}

const OPEN = { duckdb: openEngineOver, bigquery: openWarehouse } as const satisfies Record<EngineName, unknown>

/** Loads the table schemas and the functions; `readSchema` may be a cache. @throws LoadError for a folder that cannot be read. */
export async function readDefinitions(
  { tablesDir, functionsDir }: Settings,
  yieldToEventLoop?: () => Promise<void>,
  readSchema?: ReadSchema,
): Promise<Definitions> {
  const { tables, diagnostics } = await loadTableSchemas(tablesDir, yieldToEventLoop, readSchema)
  const { functions, diagnostics: wrong } = await loadFunctions(functionsDir)
  const mistakes = [...diagnostics, ...wrong]
  refuseErrors(mistakes.filter(({ file }) => file === tablesDir || file === functionsDir))
  return { tables: tables.map(definitionOf), functions, mistakes }
}

/** @throws LoadError when a schema has errors, or the file of a function cannot be read or has a wrong name. */
export async function soundDefinitions(settings: Settings): Promise<Definitions> {
  const definitions = await readDefinitions(settings)
  refuseErrors(definitions.mistakes)
  return definitions
}

async function openWarehouse(
  { tables, functions, mistakes }: Definitions,
  settings: Settings,
  { observe, clock }: EngineDeps,
): Promise<ServingEngine> {
  const { location, defaultDataset, maxBytesBilled, reservation, priority } = settings
  // Loaded here: a server on the embedded engine has no use for Google's client.
  const { BigQueryEngine, openAccess } = await import('../engines/bigquery/index.js')
  const access = await openAccess(settings)
  const engine = new BigQueryEngine({
    access,
    tables,
    functions,
    broken: brokenTables(mistakes),
    location,
    defaultDataset,
    maxBytesBilled,
    reservation,
    priority,
    dataPollMs: settings.dataPollSeconds * 1000,
    maxResultBytes: settings.maxResultMb * BYTES_PER_MB,
    clock,
    observe,
    newJobId: randomUUID,
    random: Math.random,
  })
  try {
    await engine.ping()
    return engine
  } catch (thrown) {
    await engine.close()
    const { cause } = thrown as { readonly cause?: unknown }
    const why = cause instanceof Error ? cause.message : String(thrown)
    throw new SetupError(`BigQuery cannot be used by project ${access.project}: ${why}`, { cause: thrown })
  }
}

/** @throws SetupError when the data folder does not exist: every table would be empty. */
export function requireData({ engine, database, dataDir }: Settings): void {
  const fault = ENGINES[engine].isLocal && database === null ? dataFolderFault(dataDir) : null
  if (fault !== null) throw new SetupError(fault)
}

/** Opens the embedded engine over its tables, without those whose schemas have mistakes. The caller closes it. @throws SetupError. */
export async function openEngine(settings: Settings, deps: EngineDeps): Promise<DuckdbEngine> {
  return openEngineOver(await readDefinitions(settings), settings, deps)
}

function openEngineOver(
  { tables, functions, mistakes }: Definitions,
  settings: Settings,
  { observe, clock, isShared = false }: EngineDeps,
): Promise<DuckdbEngine> {
  return openDuckdbEngine({
    dataDir: settings.database === null ? settings.dataDir : null,
    database: settings.database,
    tables: tables.map(definition => ({ definition })),
    functions,
    broken: brokenTables(mistakes),
    ...optionsOf(settings),
    isShared,
    observe,
    clock,
  })
}

/** The options of the embedded engine that settings give, whatever its tables are. */
export const optionsOf = (settings: Settings) => ({
  naming: { project: settings.project, defaultDataset: settings.defaultDataset },
  memoryLimitMb: settings.engineMemoryMb,
  threads: threadsOf(settings),
  tempDir: tmpdir(),
  tempLimitMb: settings.engineTempMb,
  maxResultBytes: settings.maxResultMb * BYTES_PER_MB,
})

/** The number of threads of the embedded engine. */
export const threadsOf = ({ engineThreads }: Settings): number =>
  engineThreads === 0 ? availableParallelism() : engineThreads

export const definitionOf = ({ name, columns, required, limits, textForm, layout }: LoadedTable): TableDefinition => ({
  name,
  columns,
  ...(required && { required }),
  ...(limits && { limits }),
  ...(textForm && { textForm }),
  ...(layout.partition && { partitionedBy: layout.partition.column, partitionUnit: layout.partition.unit }),
  ...(layout.clusteredBy.length > 0 && { clusteredBy: layout.clusteredBy }),
  ...(layout.partition?.column === PARTITION_TIME && { pseudoColumns: ingestionTimeColumns(layout.partition.unit) }),
})

/** The embedded engine as a library: BigQuery SQL over these tables. The caller closes it. @throws UsageError, SetupError. */
export function openEmbeddedEngine(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
  return openEmbedded(options, systemClock())
}
