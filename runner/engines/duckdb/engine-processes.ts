/** The processes of an engine: one that queries share, and those for queries that would make other queries wait. */
import { join, resolve } from 'node:path'
import { SetupError } from '../../model/errors.js'
import type { Observer } from '../../model/events.js'
import type { Clock } from '../../model/ports.js'
import type { Catalogue, CatalogueOptions } from './catalogue.js'
import { makeEngineFolder, ownFileFailure, temporaryFailure, tryRemove } from './engine-folder.js'
import { ApartProcesses } from './process/apart-processes.js'
import type { Discovery, Request, SessionOptions } from './process/messages.js'
import type { Ask } from './process/request-queue.js'
import { EngineProcess, type ProcessOptions } from './process/supervisor.js'
import { withFiles } from './tables/source-files.js'

export interface DuckdbEngineOptions extends CatalogueOptions {
  /** The data folder, with files such as `<dataset>/<table>.ndjson`; null if there is no data folder. */
  readonly dataDir: string | null
  /** A DuckDB database file, opened read-only, whose schemas are datasets; null if there is no such file. */
  readonly database: string | null
  readonly memoryLimitMb: number
  readonly threads: number
  /** The folder in which the engine creates its own temporary folder, which is removed when the engine is closed, or by the next engine. */
  readonly tempDir: string
  readonly observe: Observer
  readonly clock: Clock
  /** Whether many callers share the engine: a query that blocks the shared process then runs in a process of its own. @default false */
  readonly isShared?: boolean
  /** The most queries that run at once; others wait. @default 8 */
  readonly connections?: number
  /** The largest result in bytes; a larger one fails. @default 64 MB */
  readonly maxResultBytes?: number
  /** Disk space for queries that exceed the memory limit, in megabytes. @default 8,192 */
  readonly tempLimitMb?: number
}

export const DEFAULT_CONNECTIONS = 8
const DEFAULT_TEMP_LIMIT_MB = 8_192

export class EngineProcesses {
  readonly #options: DuckdbEngineOptions
  readonly #catalogue: Catalogue
  readonly #folder: string
  readonly #session: Omit<SessionOptions, 'folder'>
  readonly #apartProcesses: ApartProcesses
  #apartCount = 0
  /** The process that queries share. */
  shared!: EngineProcess
  /** The names of tables that a shared process reads before a query needs them. */
  readonly #tablesAhead = new Set<string>()
  /** See EngineProcess.ask. */
  readonly ask: Ask

  private constructor(options: DuckdbEngineOptions, catalogue: Catalogue, folder: string) {
    this.#options = options
    this.#catalogue = catalogue
    this.#folder = folder
    this.#session = sessionOf(options, join(folder, 'rows'))
    this.#apartProcesses = new ApartProcesses({
      clock: options.clock,
      session: this.#session,
      start: session => this.#start(`apart-${++this.#apartCount}`, session),
    })
    this.ask = this.#apartProcesses.askSharedOrApart((request, options) => this.shared.ask(request, options))
  }

  /** @throws SetupError when temporary files cannot be written, or DuckDB cannot be opened. */
  static async start(options: DuckdbEngineOptions, catalogue: Catalogue): Promise<EngineProcesses> {
    const folder = makeEngineFolder(options.tempDir)
    try {
      const processes = new EngineProcesses(options, catalogue, folder)
      processes.shared = await processes.#startShared()
      return processes
    } catch (error) {
      tryRemove(folder)
      throw error instanceof SetupError ? error : openFailure(error)
    }
  }

  /** Looks for new tables and adds them to the catalogue. */
  async discover(): Promise<void> {
    const discovery = await this.shared.ask({ kind: 'discover' })
    // This process may not read the new datasets. The next one may, and reports the tables that it finds when it starts.
    if (discovery.hasNewDatasets) await this.shared.renew('there are new datasets')
    else this.#applyDiscovery(discovery)
  }

  /** Reads the tables now, and in every later process before a query needs them. */
  readAhead(tables: Iterable<string>): void {
    for (const table of tables) this.#tablesAhead.add(table)
    void this.#readTables()
  }

  async close(): Promise<void> {
    await Promise.all([this.shared.close(), this.#apartProcesses.close()])
    tryRemove(this.#folder)
  }

  #startShared(): Promise<EngineProcess> {
    return this.#start('child', this.#session, {
      onDiscovery: discovery => {
        this.#applyDiscovery(discovery)
        void this.#readTables()
      },
      tablesAhead: () => [...this.#tablesAhead],
      runsApart: request => this.#apartProcesses.runsApart(request),
    })
  }

  #start(name: string, session: ProcessOptions['session'], more: Partial<ProcessOptions> = {}): Promise<EngineProcess> {
    const { observe, clock } = this.#options
    const onDisruptive = (request: Request): void => this.#apartProcesses.remember(request)
    return EngineProcess.start({ folder: this.#folder, name, session, observe, clock, onDisruptive, ...more })
  }

  #applyDiscovery(discovery: Discovery): void {
    if (this.#catalogue.applyDiscovery(discovery)) this.#apartProcesses.renew()
  }

  /** Reads the tables one by one, so that a query waits for one of them at most. */
  async #readTables(): Promise<void> {
    for (const table of this.#tablesAhead) {
      const statement = { sql: 'SELECT 1', tables: [table], shardReads: [], runsJavaScript: false }
      // If a table cannot be read, or ends the process, it is not read ahead again: the query that needs it reports that.
      const forget = (): boolean => this.#tablesAhead.delete(table)
      await this.shared.ask({ kind: 'explain', ...statement, parameters: [] }).catch(forget)
    }
  }
}

/** The options of the processes' sessions. Rows of tables are written to files in `rowFolder`. @throws SetupError */
function sessionOf(options: DuckdbEngineOptions, rowFolder: string): Omit<SessionOptions, 'folder'> {
  const { dataDir, database, tempDir, memoryLimitMb, threads } = options
  const absolute = (path: string | null): string | null => (path === null ? null : resolve(path))
  const { tempLimitMb = DEFAULT_TEMP_LIMIT_MB, connections = DEFAULT_CONNECTIONS, isShared = false } = options
  const limits = { memoryLimitMb, tempLimitMb, threads, connections, isShared }
  try {
    const tables = options.tables.map((table, index) => withFiles(table, rowFolder, index))
    return { dataDir: absolute(dataDir), database: absolute(database), tables, ...limits }
  } catch (cause) {
    throw temporaryFailure(tempDir, cause)
  }
}

function openFailure(error: unknown): SetupError {
  const text = error instanceof Error ? error.message : String(error)
  return ownFileFailure(error) ?? new SetupError(`DuckDB could not be opened: ${text}`, { cause: error })
}
