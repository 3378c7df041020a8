/**
 * The composition root: what settings become. In compose/, and nowhere else, engines, stores and clocks are opened; here
 * stands what others may ask it for.
 */

export type { NewToken, TokenRecord } from '../auth/token-file.js'
export type { DescribedTable, TablePlace, WarehouseTables } from '../engines/bigquery/tables.js'
export type { EmbeddedEngine, EmbeddedEngineOptions, EmbeddedTable } from '../engines/duckdb/embedded.js'
export type { ImportReport } from '../engines/duckdb/import/import-table.js'
export type { RunningServer } from '../http/server/server.js'
export type { ReloadReport } from '../serving/endpoint-registry.js'
export type { Settings } from '../settings/settings.js'
export { tokenWarnings } from './check-token.js'
export { openEmbeddedEngine, openEngine, openWarehouseTables } from './engine.js'
export { type ImportOrder, importTable } from './import.js'
export { type CheckLimits, checkManifests } from './manifests.js'
export {
  type CallArguments,
  type CallOptions,
  createRunner,
  type Explained,
  type Runner,
  type RunnerOptions,
} from './runner.js'
export { purgeShared } from './stores.js'
export { addToken, ensureToken, readTokens, removeToken, tokensPath } from './tokens.js'
