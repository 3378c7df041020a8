/** The engine that runs queries on BigQuery. */
import { setMaxListeners } from 'node:events'
import { setTimeout as elapse } from 'node:timers/promises'
import {
  type BrokenTables,
  type FunctionSources,
  type KeptQuery,
  type NotKept,
  orMistake,
  resolveQuery,
  rootOf,
  SqlError,
  type TableCatalogue,
  type TableDefinition,
  tableCatalogue,
} from '../../../googlesql/index.js'
import { ExportRows } from '../../formats/export-rows.js'
import { BoundedMap, memo } from '../../model/bounded-map.js'
import { CLOSED, deadlineSignal, raced } from '../../model/deadline.js'
import type { ErrorCode } from '../../model/error-codes.js'
import { RunnerError } from '../../model/errors.js'
import type { Observer } from '../../model/events.js'
import { readTypes, typesOf } from '../../model/parameter-types.js'
import type { CheckResult, Clock, Engine, Explanation, ExportOptions, RunOptions } from '../../model/ports.js'
import type { Query, QueryCost, QueryReads, ResultSet, TablePart, WarehouseReads } from '../../model/query.js'
import { QueryFault } from '../../model/query-fault.js'
import { ArgumentFaults } from '../argument-faults.js'
import { checkedColumn } from '../checked-column.js'
import { KeptQueries } from '../kept-queries.js'
import type { Access } from './auth/credentials.js'
import { codedProblem } from './coded-problem.js'
import { DataState } from './data-state.js'
import { ResultEncoder } from './decode/encode-result.js'
import { LongRows } from './decode/long-rows.js'
import { parseRows } from './decode/parse-answer.js'
import { billedBytes, cancelJob, type UnwantedJob } from './jobs/cancel-job.js'
import { checkQuery, readTables } from './jobs/check-query.js'
import { describeTable } from './jobs/describe-table.js'
import { jobLabels } from './jobs/labels.js'
import { runQueryJob } from './jobs/query-job.js'
import { queryParameters } from './jobs/query-parameters.js'
import { MAX_PARTITIONS, partitionsQuery, partsOf } from './partitions.js'
import { PolledValues } from './polled.js'
import { Rest, type RestDeps } from './rest.js'
import type { JobRequest } from './rest-messages.js'
import { runnerErrorOf } from './runner-error.js'

export interface BigQueryEngineOptions {
  readonly access: Access
  /** Tables whose schemas are known; queries may name others. */
  readonly tables: readonly TableDefinition[]
  /** The functions that queries may call, as they are known here; the warehouse runs its own. @default none */
  readonly functions?: FunctionSources
  /** Tables whose schemas have mistakes, which no query can read. @default none */
  readonly broken?: BrokenTables
  /** Where jobs run; null for the location of the data. */
  readonly location: string | null
  /** The dataset of tables that are named without one: `dataset` or `project.dataset`; null for none. */
  readonly defaultDataset: string | null
  /** The limit of a query whose endpoint names none, in bytes; null for no limit. */
  readonly maxBytesBilled: number | null
  /** `projects/p/locations/l/reservations/r`; null for the project's own. */
  readonly reservation: string | null
  readonly priority: 'interactive' | 'batch'
  /** The longest time after which changed data is noticed, in milliseconds. */
  readonly dataPollMs: number
  readonly maxResultBytes: number
  readonly clock: Clock
  readonly observe: Observer
  /** Gives an id that was never given before, of letters, digits, underscores and dashes. */
  readonly newJobId: () => string
  /** Gives a number from 0 to 1, for pauses. */
  readonly random: () => number
  /** How long closing waits for jobs to be cancelled, in milliseconds. @default 5,000 */
  readonly closeWithinMs?: number
}

/** The most queries whose tables are remembered. */
const MAX_QUERIES = 10_000
const CLOSE_WITHIN_MS = 5_000
/** The time limit of the query that lists a table's partitions, in milliseconds. */
const LIST_MS = 20_000
/** BigQuery is asked for its readiness at most once in this time, however often the service is probed. */
const PING_KEPT_MS = 5_000

/** The caller closes it. No request is sent to BigQuery before one of its methods is called. */
export class BigQueryEngine implements Engine {
  readonly name = 'bigquery'
  readonly tier = 'declared'
  readonly #options: BigQueryEngineOptions
  readonly #rest: Rest
  readonly #tables: TableCatalogue
  readonly #faults: ArgumentFaults
  readonly #data: DataState
  readonly #partitions: PolledValues<readonly TablePart[]>
  readonly #keptQueries = new KeptQueries(true)
  readonly #closed = new AbortController()
  readonly #cancellations = new AbortController()
  /** The work that closing waits for: queries, checks, cancellations. */
  readonly #work = new Set<Promise<unknown>>()
  /** The last ping, which is shared for PING_KEPT_MS. */
  #lastPing: Promise<unknown> | null = null

  constructor(options: BigQueryEngineOptions) {
    const { access, clock, random, tables, defaultDataset, functions, broken } = options
    const { project } = access
    this.#options = options
    this.#rest = new Rest(access, clock, random)
    this.#tables = tableCatalogue(tables, { project, defaultDataset }, new Map(), functions, broken)
    this.#faults = new ArgumentFaults({
      resolve: (sql, types) => resolveQuery(sql, this.#tables, readTypes(types)),
      run: (query, runOptions) => this.#runJob(query, runOptions),
    })
    const onFailure = (what: string, cause: unknown): void =>
      options.observe({ kind: 'engine.data-unknown', engine: 'bigquery', what, cause })
    this.#partitions = new PolledValues({ clock, keepMs: options.dataPollMs, onFailure })
    const namedTables = new BoundedMap<string, readonly string[] | null>(MAX_QUERIES)
    this.#data = new DataState({
      clock,
      pollMs: options.dataPollMs,
      describeTable: table => this.#track(describeTable(table, this.#deps('data', this.#closed.signal))),
      namedTables: query => memo(namedTables, query.sql, () => this.#namedTables(query)),
      readTables: query =>
        this.#track(readTables(query, this.#jobRequest(query), this.#deps('data', this.#closed.signal))),
      onFailure,
    })
    // Each running query adds a listener, so many listeners are not a leak.
    setMaxListeners(0, this.#closed.signal, this.#cancellations.signal)
  }

  tables(): TableCatalogue {
    return this.#tables
  }

  run(query: Query, runOptions: RunOptions): Promise<ResultSet> {
    const { exported: _, ...others } = runOptions
    const rethrowExplained = async (error: RunnerError) =>
      Promise.reject(await this.#faults.explain(error, query, others))
    return this.#track(this.#runJob(query, runOptions).catch(rethrowExplained))
  }

  check(sql: string, types: TypeNames, values: Readonly<Record<string, unknown>> = {}): Promise<CheckResult> {
    const bound = Object.entries(types).map(([name, type]) => [name, { type, value: values[name] ?? null }])
    return this.#check({ sql, parameters: Object.fromEntries(bound) })
  }

  /**
   * Checks as `check` does, but asks BigQuery only where the query does not resolve here: BigQuery may know a function or a table that
   * this project does not know.
   */
  async compile(sql: string, types: TypeNames): Promise<CheckResult> {
    const parameterTypes = readTypes(types)
    const query = orMistake(() => resolveQuery(sql, this.#tables, parameterTypes))
    if (!(query instanceof SqlError))
      return { ok: true, columns: query.columns.map(checkedColumn), tables: query.tables }
    const root = rootOf(query.mistake)
    const isBroken = root?.code === 'unknown-table' && root.schema !== undefined
    return isBroken ? { ok: false, problem: query.problem } : this.check(sql, types)
  }

  async explain(query: Query): Promise<Explanation> {
    const { bytes } = await this.#estimateReads(query)
    return { engineSql: query.sql, plan: `processes ${bytes} bytes` }
  }

  async dryRun(query: Query): Promise<QueryReads> {
    return { engine: 'bigquery', ...(await this.#estimateReads(query)) }
  }

  dataState(query: Query): string | null {
    return this.#data.fingerprint(query)
  }

  learnDataState(query: Query): Promise<void> {
    return this.#data.learn(query)
  }

  /** Buckets of time are kept only of a table that is partitioned by that time: of another, BigQuery would bill each part as the whole table. */
  keptQuery(query: Query): KeptQuery | NotKept {
    const kept = this.#keptQueries.keptQueryOf(query, this.#tables, 0)
    if ('reason' in kept) return kept
    const [other] = kept.others
    if (other !== undefined)
      return { reason: `the query reads another table, ${other}, which may change at any time`, at: 0 }
    if (this.#tables.find(kept.table)?.partitionedBy === kept.column) return kept
    const reason = `by its schema file, ${kept.table} is not partitioned by ${kept.column}: BigQuery would bill all of it for each part`
    return { reason, at: 0 }
  }

  async tableParts(table: string, column: string): Promise<readonly TablePart[] | null> {
    if (!this.#tables.find(table)?.columns.some(({ name }) => name === column)) return null
    const full = this.#fullName(table)
    return this.#partitions.learn(`${full} ${column}`, async () => {
      const { signal } = this.#closed
      const runOptions = {
        endpoint: 'partitions',
        maxRows: MAX_PARTITIONS,
        timestamps: 'iso8601',
        timeoutMs: LIST_MS,
        signal,
      } as const
      return partsOf(await this.#track(this.#runJob(partitionsQuery(full), runOptions)))
    })
  }

  async ping(): Promise<void> {
    this.#lastPing ??= this.#estimateReads({ sql: 'SELECT 1', parameters: {} }, 'ENGINE_UNAVAILABLE').finally(() => {
      this.#options.clock.after(PING_KEPT_MS, () => {
        this.#lastPing = null
      })
    })
    await this.#lastPing
  }

  async close(): Promise<void> {
    this.#closed.abort(CLOSED)
    const ended = this.#awaitWork()
    // The clock's timer would not keep the process alive, so that the process could end while the jobs still run.
    const timer = new AbortController()
    const { closeWithinMs = CLOSE_WITHIN_MS } = this.#options
    await Promise.race([ended, elapse(closeWithinMs, undefined, { signal: timer.signal }).catch(() => {})])
    timer.abort()
    this.#cancellations.abort(CLOSED)
    await ended
    this.#rest.close()
  }

  /** Null for a query of wildcard tables, and for one that only BigQuery understands: it may read tables that are not known here. */
  #namedTables({ sql, parameters }: Query): readonly string[] | null {
    const resolved = orMistake(() => resolveQuery(sql, this.#tables, typesOf(parameters)))
    const isUnknown = resolved instanceof SqlError || resolved.tables.some(name => name.includes('*'))
    if (isUnknown) {
      const cause = new QueryFault('a query of wildcard tables, or one that only BigQuery understands')
      this.#options.observe({ kind: 'engine.data-unknown', engine: 'bigquery', what: sql, cause })
      return null
    }
    return resolved.tables.map(name => this.#fullName(name))
  }

  /** The full name, `project.dataset.table`, of a table. @param name as in the table's schema file */
  #fullName(name: string): string {
    const { access, defaultDataset } = this.#options
    const parts = name.split('.')
    if (parts.length > 2) return name
    if (parts.length === 2) return `${access.project}.${name}`
    const dataset = defaultDataset === null ? null : datasetReference(defaultDataset, access.project)
    return `${dataset?.projectId}.${dataset?.datasetId}.${name}`
  }

  /** Waits for all work, again and again: a query that ends may begin a cancellation. */
  async #awaitWork(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work)
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const remove = (): boolean => this.#work.delete(ended)
    const ended: Promise<unknown> = work.then(remove, remove)
    this.#work.add(ended)
    return work
  }

  #deps(endpoint: string, signal: AbortSignal): RestDeps {
    const { access, clock, observe } = this.#options
    const onRetry = (reason: string, pauseMs: number): void =>
      observe({ kind: 'engine.retried', engine: 'bigquery', endpoint, reason, pauseMs })
    return { rest: this.#rest, project: access.project, clock, signal, onRetry }
  }

  /** @throws RunnerError. */
  async #runJob(query: Query, runOptions: RunOptions): Promise<ResultSet> {
    const { clock, random, newJobId, maxResultBytes } = this.#options
    const { endpoint, maxRows, timeoutMs, maxBytes = maxResultBytes, exported } = runOptions
    const deadline = clock.nowMs() + timeoutMs
    const watch = deadlineSignal([runOptions.signal, this.#closed.signal], timeoutMs, clock)
    let cost: QueryCost | undefined
    const rows = exported && exportedRows(exported, runOptions)
    const limits = { maxBytes: Math.min(maxBytes, maxResultBytes) }
    const encoder = new ResultEncoder({ ...runOptions, ...limits, rowsOf: rows?.begin })
    const longRows = new LongRows(runOptions)
    try {
      await runQueryJob({
        ...this.#deps(endpoint, watch.signal),
        ...{ random, newJobId, maxRows, deadline },
        request: this.#runRequest(query, runOptions),
        async accept(schema, page) {
          const cells = typeof page === 'string' ? await raced(longRows.cellsOf(schema, page), watch.signal) : null
          // If the thread could not decode the rows, decoding them here gives the reason.
          const list = typeof page === 'string' ? (cells ?? parseRows(page)) : page
          if (cells) encoder.addCells(schema, cells)
          else encoder.add(schema, list)
          const part = await rows?.takePart()
          if (part) await raced(exported!.write(part), watch.signal)
          return list.length
        },
        onPaid: paid => {
          cost = paid
        },
        cancelLater: job => this.#cancelLater(runOptions, job),
      })
      const result = encoder.finish()
      return { ...result, ...(rows && { body: await rows.finish() }), ...(cost && { cost }) }
    } catch (error) {
      const failure = runnerErrorOf(error, query, watch.signal)
      throw cost ? failure.withCost(cost) : failure
    } finally {
      rows?.close()
      longRows.close()
      watch.end()
    }
  }

  #cancelLater({ endpoint, job }: RunOptions, unwanted: UnwantedJob): void {
    const { observe } = this.#options
    const { reference } = unwanted
    const { jobId } = reference
    const deps = this.#deps(endpoint, this.#cancellations.signal)
    const cancel = async (): Promise<void> => {
      if (!(await cancelJob(unwanted, deps))) return
      observe({ kind: 'job.cancelled', endpoint, jobId })
      if (job?.onBilledLater) job.onBilledLater(await billedBytes(reference, deps))
    }
    void this.#track(cancel().catch(cause => observe({ kind: 'job.cancel-failed', endpoint, jobId, cause })))
  }

  #check(query: Query): Promise<CheckResult> {
    const resolve = (): unknown => resolveQuery(query.sql, this.#tables, typesOf(query.parameters))
    const runCheck = async (): Promise<CheckResult> => {
      const result = await checkQuery(query, this.#jobRequest(query), this.#deps('check', this.#closed.signal))
      return result.ok ? result : { ok: false, problem: codedProblem(result.problem, resolve) }
    }
    return this.#track(runCheck())
  }

  async #estimateReads(query: Query, code: ErrorCode = 'QUERY_FAILED'): Promise<WarehouseReads> {
    const result = await this.#check(query)
    if (!result.ok) throw new RunnerError(code, { cause: new QueryFault(result.problem.message) })
    return result.reads!
  }

  #jobRequest({ sql, parameters }: Query, more: Partial<JobRequest['configuration']> = {}): JobRequest {
    const { access, location, defaultDataset, reservation } = this.#options
    const query = {
      query: sql,
      useLegacySql: false,
      parameterMode: 'NAMED',
      queryParameters: queryParameters(parameters),
      ...(defaultDataset !== null && { defaultDataset: datasetReference(defaultDataset, access.project) }),
      ...more.query,
    }
    const configuration = { ...(reservation !== null && { reservation }), ...more, query }
    return { ...(location !== null && { location }), configuration }
  }

  #runRequest(query: Query, { endpoint, job, exported }: RunOptions): JobRequest {
    const { priority, maxBytesBilled: defaultLimit } = this.#options
    const { token = null, revision = '', labels = {}, maxBytesBilled = null } = job ?? {}
    const limit = maxBytesBilled ?? defaultLimit
    return this.#jobRequest(query, {
      labels: jobLabels(labels, { endpoint, revision, ...(token !== null && { token }) }),
      query: {
        ...(limit !== null && { maximumBytesBilled: String(limit) }),
        // An export gives way to the queries of callers.
        ...((priority === 'batch' || exported) && { priority: 'BATCH' }),
      },
    })
  }
}

function exportedRows({ format }: ExportOptions, { endpoint, job, contract = [] }: RunOptions): ExportRows {
  return new ExportRows(format, { endpoint, revision: job?.revision ?? '', isTruncated: false, contract })
}

type TypeNames = Readonly<Record<string, string>>

function datasetReference(text: string, project: string): { readonly projectId: string; readonly datasetId: string } {
  const dot = text.lastIndexOf('.')
  return { projectId: dot < 0 ? project : text.slice(0, dot), datasetId: text.slice(dot + 1) }
}
