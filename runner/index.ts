/** Sluice as a library: a runner that mounts in any server, and the embedded engine on its own. */

export type { EmbeddedEngine, EmbeddedEngineOptions, EmbeddedTable } from './compose/index.js'
export {
  type CallArguments,
  type CallOptions,
  createRunner,
  openEmbeddedEngine,
  type ReloadReport,
  type Runner,
  type RunnerOptions,
} from './compose/index.js'
export type { Diagnostic } from './model/diagnostic.js'
export { LoadError, RunnerError, SetupError, UsageError } from './model/errors.js'
export type { BoundValue, ResultColumn, ResultFormat } from './model/query.js'
export { QueryFault } from './model/query-fault.js'
export type { Settings } from './settings/settings.js'
