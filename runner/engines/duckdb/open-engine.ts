/** Opens the embedded engine: BigQuery SQL on DuckDB, in processes of its own. */
import { translate } from '../../../googlesql-duckdb/index.js'
import { Catalogue } from './catalogue.js'
import { Compiler } from './compiler.js'
import { DuckdbEngine } from './duckdb-engine.js'
import { type DuckdbEngineOptions, EngineProcesses } from './engine-processes.js'
import { dataCopyReader, dataStateReader } from './tables/data-state.js'

export type { DuckdbEngineOptions }

/**
 * Opens the engine. When it resolves, the engine can answer queries; tables are loaded when a query first needs them.
 * @param translateQuery is replaced in some tests
 * @throws SetupError when DuckDB cannot be opened, for example for an invalid database file or two tables with the same name.
 */
export async function openDuckdbEngine(
  options: DuckdbEngineOptions,
  translateQuery = translate,
): Promise<DuckdbEngine> {
  const catalogue = new Catalogue(options)
  const processes = await EngineProcesses.start(options, catalogue)
  const compiler = new Compiler({ catalogue, processes, translate: translateQuery, dataDir: options.dataDir })
  const [dataState, dataCopy] = [dataStateReader(options), dataCopyReader(options)]
  return new DuckdbEngine({ options, catalogue, processes, compiler, dataState, dataCopy }, catalogue.view)
}
