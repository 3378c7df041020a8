/** The processes of an engine: the one that queries share, and those for queries that would make others wait. */
import { join } from 'node:path'
import type { Observer } from '../../model/events.js'
import type { Clock } from '../../model/ports.js'
import type { Catalogue } from './catalogue.js'
import { makeEngineFolder, temporaryFailure, tryRemove } from './engine-folder.js'
import { ApartProcesses, ofApart } from './process/apart-processes.js'
import type { Discovery, Request, SessionOptions, TableSource } from './process/messages.js'
import type { Ask } from './process/request-queue.js'
import { EngineProcess, type ProcessOptions } from './process/supervisor.js'
import { withFiles } from './tables/source-files.js'

export interface ProcessesOptions {
  /** The folder in which the engine creates its own temporary folder, which is removed when the engine is closed or dies. */
  readonly tempDir: string
  readonly tables: readonly TableSource[]
  readonly session: Omit<SessionOptions, 'folder' | 'tables'>
  readonly catalogue: Catalogue
  readonly observe: Observer
  readonly clock: Clock
}

export class EngineProcesses {
  readonly #options: ProcessesOptions
  readonly #folder: string
  readonly #session: Omit<SessionOptions, 'folder'>
  readonly #apart: ApartProcesses
  #apartCount = 0
  #shared!: EngineProcess
  /** The tables that each shared process reads before a query needs them. */
  readonly #tablesAhead = new Set<string>()
  /** See EngineProcess.ask. */
  ask!: Ask

  private constructor(options: ProcessesOptions, folder: string) {
    this.#options = options
    this.#folder = folder
    this.#session = { ...options.session, tables: filesOfAll(options, join(folder, 'rows')) }
    this.#apart = new ApartProcesses({
      clock: options.clock,
      start: () => this.#start(`apart-${++this.#apartCount}`, ofApart(this.#session)),
    })
  }

  /** @throws SetupError when temporary files cannot be written; EngineDiedError when DuckDB cannot be opened. */
  static async start(options: ProcessesOptions): Promise<EngineProcesses> {
    const folder = makeEngineFolder(options.tempDir)
    try {
      const processes = new EngineProcesses(options, folder)
      await processes.#startShared()
      return processes
    } catch (error) {
      tryRemove(folder)
      throw error
    }
  }

  /** Looks for new tables, which the catalogue then has. */
  async discover(): Promise<void> {
    const discovery = await this.#shared.ask({ kind: 'discover' })
    // Another process, which may read the new datasets, tells by itself what it finds.
    if (discovery.hasNewDatasets) await this.#shared.renew('there are new datasets')
    else this.#applyDiscovery(discovery)
  }

  /** Reads the tables now, and in every later process before a query needs them. */
  readAhead(tables: Iterable<string>): void {
    for (const table of tables) this.#tablesAhead.add(table)
    void this.#readTables()
  }

  /** Resolves when the shared process has answered. */
  async ping(signal: AbortSignal): Promise<void> {
    await this.#shared.ask({ kind: 'ping' }, { signal })
  }

  /** The id of the shared process while it runs. */
  pid(): number | undefined {
    return this.#shared.pid()
  }

  async close(): Promise<void> {
    await Promise.all([this.#shared.close(), this.#apart.close()])
    tryRemove(this.#folder)
  }

  async #startShared(): Promise<void> {
    this.#shared = await this.#start('child', this.#session, {
      onDiscovery: discovery => {
        this.#applyDiscovery(discovery)
        void this.#readTables()
      },
      tablesAhead: () => [...this.#tablesAhead],
      runsApart: request => this.#apart.runsApart(request),
    })
    this.ask = this.#apart.askBeside(this.#shared.ask)
  }

  #start(name: string, session: ProcessOptions['session'], more: Partial<ProcessOptions> = {}): Promise<EngineProcess> {
    const { observe, clock } = this.#options
    const onDisruptive = (request: Request): void => this.#apart.remember(request)
    return EngineProcess.start({ folder: this.#folder, name, session, observe, clock, onDisruptive, ...more })
  }

  #applyDiscovery(discovery: Discovery): void {
    if (this.#options.catalogue.applyDiscovery(discovery)) this.#apart.renew()
  }

  /** Reads the tables one by one, so that a query waits for one of them at most. */
  async #readTables(): Promise<void> {
    for (const table of this.#tablesAhead) {
      const statement = { sql: 'SELECT 1', tables: [table], shardReads: [], runsJavaScript: false }
      // A table that cannot be read, or that ends the process, is left to the query that needs it.
      const forget = (): boolean => this.#tablesAhead.delete(table)
      await this.#shared.ask({ kind: 'explain', ...statement, parameters: [] }).catch(forget)
    }
  }
}

/** The tables with their files; rows are written to files in `folder`. @throws SetupError */
function filesOfAll({ tables, tempDir }: ProcessesOptions, folder: string): readonly TableSource[] {
  try {
    return tables.map((table, index) => withFiles(table, folder, index))
  } catch (cause) {
    throw temporaryFailure(tempDir, cause)
  }
}
