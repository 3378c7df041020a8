/** Sluice as a library: a runner that mounts in any server, and the embedded engine on its own. */

export type { MistakeData, Named, Proposing, SchemaField, SqlMistake, SyntaxForm } from '../googlesql/index.js'
export type { ResultFormat } from './formats/index.js'
export type { RunningServer } from './http/server/server.js'
export type { LoadedEndpoint } from './manifest/load.js'
export type { Diagnostic, DiagnosticData, Severity } from './model/diagnostic.js'
export type { CachePolicy, ContractColumn, Endpoint, ExportPolicy, PagePolicy, Variant } from './model/endpoint.js'
export type { ErrorCode } from './model/error-codes.js'
export {
  type ArgumentProblem,
  LoadError,
  type Refusal,
  RunnerError,
  type RunnerErrorOptions,
  SetupError,
  UsageError,
} from './model/errors.js'
export type { CacheOutcome, EndedQuery, Event, Observer, ReloadReport } from './model/events.js'
export type {
  ArgumentValue,
  Parameter,
  ParameterType,
  PinnedPattern,
  ScalarParameterType,
  ScalarValue,
  ValueSchema,
} from './model/param.js'
export type { Explanation, PageFacts, StoredResult } from './model/ports.js'
export type {
  ArgumentMap,
  BoundValue,
  ColumnPromise,
  FileReads,
  KeptFacts,
  KeptRows,
  PartialRead,
  Query,
  QueryCost,
  QueryReads,
  ResultColumn,
  ResultSet,
  TablePart,
  TableReads,
  Tier,
  TimedResult,
  WarehouseReads,
} from './model/query.js'
export { type FaultOptions, QueryFault } from './model/query-fault.js'
export type { Pattern } from './model/re2.js'
export type { PlainRuleId, RuleId } from './model/rules.js'
export type { LogLevel } from './observe/log-levels.js'
export {
  type EmbeddedEngine,
  type EmbeddedEngineOptions,
  type EmbeddedTable,
  openEmbeddedEngine,
} from './serve/engine.js'
export {
  type CallArguments,
  type CallOptions,
  createRunner,
  type Explained,
  type Runner,
  type RunnerOptions,
} from './serve/runner.js'
export type { SettingKey, Settings } from './settings/settings.js'
