/** Sluice as a library: a runner that mounts in any server, and the embedded engine on its own. */

export {
  type EmbeddedEngine,
  type EmbeddedEngineOptions,
  type EmbeddedTable,
  openEmbeddedEngine,
} from './compose/engine.js'
export {
  type CallArguments,
  type CallOptions,
  createRunner,
  type Runner,
  type RunnerOptions,
} from './compose/runner.js'
export type { Diagnostic } from './model/diagnostic.js'
export { LoadError, RunnerError, SetupError, UsageError } from './model/errors.js'
export type { BoundValue, ResultColumn, ResultFormat } from './model/query.js'
export { QueryFault } from './model/query-fault.js'
export type { ReloadReport } from './serving/endpoint-registry.js'
export type { Settings } from './settings/settings.js'
