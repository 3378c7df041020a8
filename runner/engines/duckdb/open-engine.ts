/** Opens the embedded engine: BigQuery SQL on DuckDB, in processes of its own. */
import { resolve } from 'node:path'
import { resolveQuery } from '../../../googlesql/index.js'
import { translate } from '../../../googlesql-duckdb/index.js'
import { SetupError } from '../../model/errors.js'
import type { Observer } from '../../model/events.js'
import type { Clock } from '../../model/ports.js'
import { Catalogue, type CatalogueOptions } from './catalogue.js'
import { Compiler } from './compiler.js'
import { DuckdbEngine, type EngineParts } from './duckdb-engine.js'
import { ownFileFailure } from './engine-folder.js'
import { EngineProcesses } from './engine-processes.js'
import { dataFolderFault } from './tables/data-folder.js'
import { dataCopyReader, dataStateReader } from './tables/data-state.js'

export interface DuckdbEngineOptions extends CatalogueOptions {
  /** The data folder, with files such as `<dataset>/<table>.ndjson`; null if there is no data folder. */
  readonly dataDir: string | null
  /** A DuckDB database file, opened read-only, whose schemas are datasets; null if there is no such file. */
  readonly database: string | null
  readonly memoryLimitMb: number
  readonly threads: number
  /** The folder in which the engine creates its own temporary folder, which is removed when the engine is closed or dies. */
  readonly tempDir: string
  readonly observe: Observer
  readonly clock: Clock
  /** Whether many callers share the engine: a query that holds up its process then runs in another one. @default false */
  readonly isShared?: boolean
  /** The most queries that run at once; others wait. @default 8 */
  readonly connections?: number
  /** The largest result in bytes; a larger one fails. @default 64 MB */
  readonly maxResultBytes?: number
  /** Disk space for queries that exceed the memory limit, in megabytes. @default 8,192 */
  readonly tempLimitMb?: number
}

/** The language of the queries. Tests of everything but the translation have another one. */
export interface Language {
  readonly translate: typeof translate
  readonly resolve: EngineParts['resolve']
}

const GOOGLESQL: Language = { translate, resolve: resolveQuery }

const DEFAULT_CONNECTIONS = 8
const DEFAULT_MAX_RESULT_BYTES = 64_000_000
const DEFAULT_TEMP_LIMIT_MB = 8_192

/**
 * Opens the engine. When it resolves, the engine can answer queries; tables are loaded when a query first needs them.
 * @throws SetupError when DuckDB cannot be opened, for example for an invalid database file or two tables with the same name.
 */
export async function openDuckdbEngine(
  options: DuckdbEngineOptions,
  language: Language = GOOGLESQL,
): Promise<DuckdbEngine> {
  const { tables, tempDir, observe, clock } = options
  const catalogue = new Catalogue(options)
  const session = sessionOf(options)
  const processes = await EngineProcesses.start({ tempDir, tables, session, catalogue, observe, clock }).catch(
    error => {
      throw error instanceof SetupError ? error : openFailure(error)
    },
  )
  const dataFault = (): string | null => (options.dataDir === null ? null : dataFolderFault(options.dataDir))
  const discover = (): Promise<void> => processes.discover()
  const compiler = new Compiler({ catalogue, translate: language.translate, discover, dataFault })
  const { maxResultBytes = DEFAULT_MAX_RESULT_BYTES } = options
  const [dataState, dataCopy] = [dataStateReader(options), dataCopyReader(options)]
  const parts = { catalogue, processes, compiler, resolve: language.resolve, maxResultBytes, clock }
  return new DuckdbEngine({ ...parts, dataFault, dataState, dataCopy }, catalogue.view)
}

const sessionOf = (options: DuckdbEngineOptions) => ({
  dataDir: options.dataDir === null ? null : resolve(options.dataDir),
  database: options.database === null ? null : resolve(options.database),
  memoryLimitMb: options.memoryLimitMb,
  tempLimitMb: options.tempLimitMb ?? DEFAULT_TEMP_LIMIT_MB,
  threads: options.threads,
  connections: options.connections ?? DEFAULT_CONNECTIONS,
  isShared: options.isShared ?? false,
})

function openFailure(error: unknown): SetupError {
  const text = error instanceof Error ? error.message : String(error)
  return ownFileFailure(error) ?? new SetupError(`DuckDB could not be opened: ${text}`, { cause: error })
}
