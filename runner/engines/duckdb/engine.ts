/** The embedded engine: BigQuery SQL on DuckDB, in a process of its own. */

import { resolveQuery } from '../../../googlesql/index.js'
import { translate } from '../../../googlesql-duckdb/index.js'
import { type DuckdbEngine, type DuckdbEngineOptions, openEngine } from './open-engine.js'
import { createTranslationPool } from './translation/translation-pool.js'

/**
 * Opens the engine. When it resolves, the engine can answer queries; tables are loaded when a query first needs them.
 * @throws SetupError when DuckDB cannot be opened with these options.
 */
export const openDuckdbEngine = (options: DuckdbEngineOptions): Promise<DuckdbEngine> =>
  openEngine(options, translate, createTranslationPool, resolveQuery)
