/**
 * The embedded engine in the parent process: translates queries, sends them to the engine's processes, and translates their errors.
 */
import { isWildcard } from '../../../googlesql/data.js'
import {
  isComputedView,
  type KeptQuery,
  type NotKept,
  resolveQuery,
  SqlError,
  type TableCatalogue,
  type TableDefinition,
} from '../../../googlesql/index.js'
import type { GenerateOptions, TranslatedQuery } from '../../../googlesql-duckdb/index.js'
import { deadlineSignal } from '../../model/deadline.js'
import { RunnerError, SetupError } from '../../model/errors.js'
import { readTypes } from '../../model/parameter-types.js'
import {
  BACKGROUND,
  type CheckResult,
  type Engine,
  type Explanation,
  type RunOptions,
  type TablePartsOptions,
  type TolerantRun,
} from '../../model/ports.js'
import type { Query, QueryReads, ResultSet, TablePart } from '../../model/query.js'
import { ArgumentFaults } from '../argument-faults.js'
import { KeptQueries } from '../kept-queries.js'
import type { Catalogue, TableView } from './catalogue.js'
import type { CompiledQuery } from './compiled-query.js'
import { bind, type Compiler, sourceOf, statementOf } from './compiler.js'
import type { DuckdbEngineOptions, EngineProcesses } from './engine-processes.js'
import type { Answers, BoundQuery, Discovery, RunRequest } from './process/messages.js'
import { RequestFailure } from './process/request-queue.js'
import { runnerError } from './runner-error.js'
import { dataFolderFault } from './tables/data-folder.js'

/** The timeout of a check or an explanation, in milliseconds: a query that needs longer for planning alone is hardly usable. */
const COMPILE_TIMEOUT_MS = 30_000
/** The timeout of a ping, in milliseconds: most queries occupy the child's main thread for a shorter time. */
const PING_TIMEOUT_MS = 10_000
const DATABASE_NOT_KEPT: NotKept = { reason: 'nothing tells which rows of an attached database have changed', at: 0 }
const DEFAULT_MAX_RESULT_BYTES = 64_000_000

/** The parts that an engine shares with its views (`withTables`). */
export interface DuckdbEngineDeps {
  readonly options: DuckdbEngineOptions
  readonly catalogue: Catalogue
  readonly processes: EngineProcesses
  readonly compiler: Compiler
  /** A fingerprint of the data of these tables; see `Engine.dataState`. */
  readonly dataState: (tables: readonly string[]) => string | null
  readonly dataCopy: () => string
}

export class DuckdbEngine implements Engine {
  readonly name = 'duckdb'
  readonly tier = 'exact'
  readonly #deps: DuckdbEngineDeps
  readonly #view: TableView
  readonly #argumentFaults: ArgumentFaults
  readonly #compiledTables = new Set<string>()
  // NULLs in REQUIRED columns of Parquet files are read: the engine does not check them.
  readonly #keptQueries = new KeptQueries(false)

  constructor(deps: DuckdbEngineDeps, view: TableView) {
    this.#deps = deps
    this.#view = view
    this.#argumentFaults = new ArgumentFaults({
      resolve: (sql, types) => resolveQuery(sql, deps.catalogue.tables, readTypes(types)),
      run: (query, options) => this.#run(query, options),
    })
  }

  async run(query: Query, options: RunOptions): Promise<ResultSet> {
    try {
      return await this.#run(query, options)
    } catch (error) {
      const { exported: _, ...others } = options
      throw await this.#argumentFaults.explain(error as RunnerError, query, others)
    }
  }

  async runTolerant(query: Query, options: RunOptions, tolerated: number): Promise<TolerantRun> {
    const { compiler } = this.#deps
    const generateOptions = { delay: 'rows', tolerated } as const
    const translation = compiler.translateOnce(sourceOf(query, this.#view), generateOptions)
    const bound = bind(translation, query)
    const fallible = translation.fallible!
    try {
      await this.#askRows(bound, translation.columns, { ...options, contract: [] }, options.signal)
      return { ...fallible, failure: null }
    } catch (error) {
      if (!(error instanceof RequestFailure) || error.failure.kind !== 'query') throw runnerError(error, options.signal)
      return { ...fallible, failure: error.failure.reason }
    }
  }

  /**
   * An engine in which `testTables` replace tables: a query that names a key of the map reads the declared table of its value, which has
   * the same columns. The new engine uses this engine's processes, and is closed with this engine.
   */
  withTables(testTables: ReadonlyMap<string, TableDefinition>): DuckdbEngine {
    return new DuckdbEngine(this.#deps, this.#deps.catalogue.viewWith(testTables))
  }

  /** Like `check`, but without DuckDB: checks names, types and everything else that the translator can check. */
  async compile(
    sql: string,
    types: Readonly<Record<string, string>>,
    more: Pick<GenerateOptions, 'tellsConstants'> = {},
  ): Promise<CheckResult & { readonly compiled?: CompiledQuery }> {
    const { catalogue, compiler } = this.#deps
    try {
      const compiled = await compiler.compile({ sql, types: readTypes(types), view: catalogue.view }, more)
      for (const table of compiled.translation.tables) {
        if (!isComputedView(table)) this.#compiledTables.add(table)
      }
      return { ok: true, columns: compiled.checkedColumns, tables: compiled.translation.tables, compiled }
    } catch (error) {
      if (error instanceof SqlError) return { ok: false, problem: error.problem }
      throw runnerError(error)
    }
  }

  async check(sql: string, types: Readonly<Record<string, string>>): Promise<CheckResult> {
    const result = await this.compile(sql, types, { tellsConstants: true })
    if (result.compiled === undefined) return result
    const { compiled } = result
    const [columnCount, constants] = [compiled.translation.columns.length, compiled.translation.constants!]
    const { compiler, processes } = this.#deps
    return this.#withDeadline(COMPILE_TIMEOUT_MS, async signal => {
      try {
        await compiler.runRetrying(compiled, 'branches', attempt =>
          processes.ask({ kind: 'check', ...statementOf(attempt), columnCount }, { signal }),
        )
        return { ok: true, columns: compiled.checkedColumns, constants }
      } catch (error) {
        // DuckDB finds some errors of the query before it runs the query, such as a constant that overflows or an invalid pattern.
        if (!(error instanceof RequestFailure) || error.failure.kind !== 'query') throw error
        return { ok: false, problem: { line: 1, column: 1, message: error.failure.message }, constants }
      }
    })
  }

  explain(query: Query): Promise<Explanation> {
    const { compiler, processes } = this.#deps
    return this.#withDeadline(COMPILE_TIMEOUT_MS, async signal => {
      const compiled = await compiler.compile(sourceOf(query, this.#view))
      const { sql, plan } = await compiler.runRetrying(compiled, 'rows', attempt =>
        processes.ask({ kind: 'explain', ...bind(attempt, query) }, { signal }),
      )
      return { engineSql: sql, plan }
    })
  }

  dryRun(query: Query): Promise<QueryReads> {
    const { compiler, processes } = this.#deps
    return this.#withDeadline(COMPILE_TIMEOUT_MS, async signal => {
      const source = sourceOf(query, this.#view)
      const translation = await compiler.withNewFiles(query.sql, () =>
        compiler.translateOnce(source, { tellsPartitions: true }),
      )
      const { partitionReads = [] } = translation
      const request = { kind: 'reads', ...bind(translation, query), partitionReads } as const
      return { engine: 'duckdb', ...(await processes.ask(request, { signal })) }
    })
  }

  readAhead(): void {
    this.#deps.processes.readAhead(this.#compiledTables)
  }

  keptQuery(query: Query): KeptQuery | NotKept {
    if (this.#deps.options.database !== null) return DATABASE_NOT_KEPT
    const { tables, revision } = this.#deps.catalogue
    return this.#keptQueries.keptQueryOf(query, tables, revision)
  }

  dataState(query: Query): string | null {
    try {
      return this.#deps.dataState(this.#deps.compiler.tablesOf(query))
    } catch {
      return null // A query that cannot be translated has no known tables.
    }
  }

  dataCopy(): string {
    return this.#deps.dataCopy()
  }

  async tableParts(
    table: string,
    column: string,
    { withTimes, query, signal }: TablePartsOptions,
  ): Promise<readonly TablePart[] | null> {
    const { compiler, processes } = this.#deps
    try {
      const compiled = isWildcard(table) && query ? await compiler.compiledOf(query, this.#view) : null
      const bound = compiled && bind(compiled.translation, query!)
      const shardReads = bound?.shardReads.filter(read => read.table === table) ?? []
      const parameters = bound?.parameters ?? []
      return await processes.ask({ kind: 'parts', table, column, withTimes, shardReads, parameters }, { signal })
    } catch (error) {
      throw runnerError(error, signal)
    }
  }

  async ping(): Promise<void> {
    const { options, processes } = this.#deps
    const fault = dataFolderFault(options.dataDir)
    if (fault !== null) throw new RunnerError('ENGINE_UNAVAILABLE', { cause: new SetupError(fault) })
    await this.#withDeadline(PING_TIMEOUT_MS, signal => processes.shared.ask({ kind: 'ping' }, { signal }))
  }

  close(): Promise<void> {
    return this.#deps.processes.close()
  }

  /** All tables that queries can name, including discovered ones. */
  tables(): TableCatalogue {
    return this.#deps.catalogue.tables
  }

  /** The id of the child process while it runs. */
  pid(): number | undefined {
    return this.#deps.processes.shared.pid()
  }

  /** Tables that have files and cannot be queried, and why. */
  unreadable(): Discovery['unreadable'] {
    return this.#deps.catalogue.discovery.unreadable
  }

  #run(query: Query, options: RunOptions): Promise<ResultSet> {
    const { compiler } = this.#deps
    const run = async (signal: AbortSignal): Promise<ResultSet> => {
      const compiled = await compiler.compiledOf(query, this.#view)
      const { translation, resultColumns, source } = compiled
      const ask = (attempt: TranslatedQuery): Promise<Answers['run']> =>
        this.#askRows(bind(attempt, query), translation.columns, options, signal)
      // An export does not limit rows early: when too few rows came, it could not run again, since rows have been sent.
      const first = options.exported ? compiler.translate(source, {}) : translation
      const answer = await compiler.runRetrying(compiled, 'rows', ask, first)
      return { columns: resultColumns, ...answer }
    }
    return this.#withDeadline(options.timeoutMs, run, [options.signal])
  }

  #askRows(
    bound: BoundQuery,
    columns: RunRequest['columns'],
    options: RunOptions,
    signal: AbortSignal,
  ): Promise<Answers['run']> {
    const { maxResultBytes = DEFAULT_MAX_RESULT_BYTES } = this.#deps.options
    const { maxRows, timestamps, contract = [], maxBytes = maxResultBytes, endpoint, job, exported, parts } = options
    const limits = { maxRows, maxBytes: Math.min(maxResultBytes, maxBytes) }
    const resultOptions = { columns, timestamps, contract, ...limits, ...(parts && { parts }) }
    const tellsParts = options.tellsParts === true
    const share = { caller: job?.token ?? BACKGROUND, endpoint, ...(job?.waiters && { waiters: job.waiters }) }
    const { processes } = this.#deps
    if (!exported) return processes.ask({ kind: 'run', ...bound, ...resultOptions, tellsParts }, { signal, share })
    const facts = { format: exported.format, endpoint, revision: job?.revision ?? '' }
    return processes.ask(
      { kind: 'run', ...bound, ...resultOptions, tellsParts, exported: facts },
      { signal, onPart: exported.write },
    )
  }

  /** @throws RunnerError */
  async #withDeadline<T>(
    timeoutMs: number,
    ask: (signal: AbortSignal) => Promise<T>,
    signals: readonly AbortSignal[] = [],
  ): Promise<T> {
    const { signal, end } = deadlineSignal(signals, timeoutMs, this.#deps.options.clock)
    try {
      return await ask(signal)
    } catch (error) {
      throw runnerError(error, signal)
    } finally {
      end()
    }
  }
}
