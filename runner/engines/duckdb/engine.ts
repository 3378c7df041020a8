/** The embedded engine: BigQuery SQL on DuckDB, in a process of its own. */

import { translate } from '../../../googlesql-duckdb/index.js'
import { type DuckdbEngine, type DuckdbEngineOptions, openEngine } from './open-engine.js'
import { createTranslationPool } from './translation/translation-pool.js'

/**
 * Ready when it resolves: a trivial query would be answered. Tables are read when a query first needs them.
 * @throws SetupError when DuckDB cannot be opened so.
 */
export const openDuckdbEngine = (options: DuckdbEngineOptions): Promise<DuckdbEngine> =>
  openEngine(options, translate, createTranslationPool)
