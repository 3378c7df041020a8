/**
 * The composition root: what settings become. In compose/, and nowhere else, engines, stores and clocks are opened; here
 * stands what others may ask it for.
 */

export { tokenWarnings } from './compose/check-token.js'
export { openEmbeddedEngine, openEngine, openWarehouseTables } from './compose/engine.js'
export { type ImportOrder, importTable } from './compose/import.js'
export { type CheckLimits, checkManifests } from './compose/manifests.js'
export {
  type CallArguments,
  type CallOptions,
  createRunner,
  type Explained,
  type Runner,
  type RunnerOptions,
} from './compose/runner.js'
export { purgeShared } from './compose/stores.js'
export { addToken, ensureToken, readTokens, removeToken, tokensPath } from './compose/tokens.js'
export type { DescribedTable, TablePlace, WarehouseTables } from './engines/bigquery/tables.js'
export type { EmbeddedEngine, EmbeddedEngineOptions, EmbeddedTable } from './engines/duckdb/embedded.js'
export type { ImportReport } from './engines/duckdb/import/import-table.js'
export type { RunningServer } from './http/server.js'
export type { ReloadReport } from './live-endpoints.js'
export type { Settings } from './settings.js'
export type { NewToken, TokenRecord } from './stores/token-file.js'
