/** Opens the embedded engine: BigQuery SQL on DuckDB, in processes of its own. */
import { resolveQuery } from '../../../googlesql/index.js'
import { translate } from '../../../googlesql-duckdb/index.js'
import { Catalogue } from './catalogue.js'
import { Compiler } from './compiler.js'
import { DuckdbEngine, type EngineParts } from './duckdb-engine.js'
import { type DuckdbEngineOptions, EngineProcesses } from './engine-processes.js'
import { dataFolderFault } from './tables/data-folder.js'
import { dataCopyReader, dataStateReader } from './tables/data-state.js'

export type { DuckdbEngineOptions }

/** The language of the queries. Tests of everything but the translation have another one. */
export interface Language {
  readonly translate: typeof translate
  readonly resolve: EngineParts['resolve']
}

const GOOGLESQL: Language = { translate, resolve: resolveQuery }

const DEFAULT_MAX_RESULT_BYTES = 64_000_000

/**
 * Opens the engine. When it resolves, the engine can answer queries; tables are loaded when a query first needs them.
 * @throws SetupError when DuckDB cannot be opened, for example for an invalid database file or two tables with the same name.
 */
export async function openDuckdbEngine(
  options: DuckdbEngineOptions,
  language: Language = GOOGLESQL,
): Promise<DuckdbEngine> {
  const catalogue = new Catalogue(options)
  const processes = await EngineProcesses.start(options, catalogue)
  const dataFault = (): string | null => (options.dataDir === null ? null : dataFolderFault(options.dataDir))
  const discover = (): Promise<void> => processes.discover()
  const compiler = new Compiler({ catalogue, translate: language.translate, discover, dataFault })
  const { clock, maxResultBytes = DEFAULT_MAX_RESULT_BYTES } = options
  const [dataState, dataCopy] = [dataStateReader(options), dataCopyReader(options)]
  const parts = { catalogue, processes, compiler, resolve: language.resolve, maxResultBytes, clock }
  return new DuckdbEngine({ ...parts, dataFault, dataState, dataCopy }, catalogue.view)
}
