/** The engine that runs queries on BigQuery. */
import { setMaxListeners } from 'node:events'
import { setTimeout as elapse } from 'node:timers/promises'
import {
  type BrokenTables,
  type FunctionSources,
  orMistake,
  resolveQuery,
  rootOf,
  SqlError,
  type TableCatalogue,
  type TableDefinition,
  tableCatalogue,
} from '../../../googlesql/index.js'
import { CLOSED, deadlineSignal } from '../../model/deadline.js'
import type { ErrorCode } from '../../model/error-codes.js'
import { RunnerError } from '../../model/errors.js'
import type { Observer } from '../../model/events.js'
import { typesOf } from '../../model/parameter-types.js'
import type { CheckResult, Clock, Engine, RunOptions } from '../../model/ports.js'
import type { Query, QueryCost, ResultSet, WarehouseReads } from '../../model/query.js'
import { QueryFault } from '../../model/query-fault.js'
import { ArgumentFaults } from '../argument-faults.js'
import { checkedColumn } from '../checked-column.js'
import type { Access } from './auth/credentials.js'
import { codedProblem } from './coded-problem.js'
import { ResultEncoder } from './decode/encode-result.js'
import { cancelJob, type UnseenJob } from './jobs/cancel-job.js'
import { checkQuery } from './jobs/check-query.js'
import { jobLabels } from './jobs/labels.js'
import { runQueryJob } from './jobs/query-job.js'
import { queryParameters } from './jobs/query-parameters.js'
import type { JobRequest } from './messages.js'
import { Rest } from './rest.js'
import { runnerErrorOf } from './runner-error.js'

export interface BigQueryEngineOptions {
  readonly access: Access
  /** Tables whose schemas are known; queries may name others. */
  readonly tables: readonly TableDefinition[]
  /** The functions that queries may call, as they are known here; the warehouse runs its own. @default none */
  readonly functions?: FunctionSources
  /** Tables whose schemas have mistakes, which no query can read. @default none */
  readonly broken?: BrokenTables
  /** Where jobs run; null for where the data is. */
  readonly location: string | null
  /** The dataset of tables that are named without one: `dataset` or `project.dataset`; null for none. */
  readonly defaultDataset: string | null
  /** The limit of a query whose endpoint names none, in bytes; null for no limit. */
  readonly maxBytesBilled: number | null
  /** `projects/p/locations/l/reservations/r`; null for the project's own. */
  readonly reservation: string | null
  readonly priority: 'interactive' | 'batch'
  readonly maxResultBytes: number
  readonly clock: Clock
  readonly observe: Observer
  /** Never the same again: letters, digits, underscores and dashes. */
  readonly newJobId: () => string
  /** From 0 to 1: for pauses. */
  readonly random: () => number
  /** How long closing waits for jobs to be cancelled, in milliseconds. @default 5,000 */
  readonly closeWithinMs?: number
}

export interface BigQueryEngine extends Engine {
  /**
   * `check`, without asking BigQuery where the query resolves here: what this project does not know (a function, a table
   * without a schema) BigQuery may.
   */
  readonly compile: Engine['check']
  readonly tables: () => TableCatalogue
}

const CLOSE_WITHIN_MS = 5_000
/** Readiness may be asked for as often as a prober likes; BigQuery is asked once in this time. */
const PING_KEPT_MS = 5_000

/** The caller closes it. No request is sent to BigQuery yet. */
export function openBigQueryEngine(options: BigQueryEngineOptions): BigQueryEngine {
  const { access, clock, observe, random, newJobId } = options
  const { project } = access
  const rest = new Rest(access, clock, random)
  const tables = tableCatalogue(
    options.tables,
    { project, defaultDataset: options.defaultDataset },
    new Map(),
    options.functions,
    options.broken,
  )
  const cancelling = new Set<Promise<void>>()
  /** The answer to all pings of some seconds. */
  let pinged: Promise<unknown> | null = null
  const running = new Set<Promise<unknown>>()
  const closed = new AbortController()
  const cancellations = new AbortController()
  // Each running query adds a listener, so many listeners are not a leak.
  setMaxListeners(0, closed.signal, cancellations.signal)

  const retryObserver = (endpoint: string) => (reason: string, pauseMs: number) =>
    observe({ kind: 'engine.retried', engine: 'bigquery', endpoint, reason, pauseMs })

  function cancelLater(endpoint: string, job: UnseenJob): void {
    const { jobId } = job.reference
    const deps = { rest, project, clock, signal: cancellations.signal, onRetry: retryObserver(endpoint) }
    const work = cancelJob(job, deps).then(
      wasThere => wasThere && observe({ kind: 'job.cancelled', endpoint, jobId }),
      cause => observe({ kind: 'job.cancel-failed', endpoint, jobId, cause }),
    )
    const tracked: Promise<void> = work.then(() => void cancelling.delete(tracked))
    cancelling.add(tracked)
  }

  function jobRequest({ sql, parameters }: Query, more: Partial<JobRequest['configuration']> = {}): JobRequest {
    const { location, defaultDataset, reservation } = options
    const query = {
      query: sql,
      useLegacySql: false,
      parameterMode: 'NAMED',
      queryParameters: queryParameters(parameters),
      ...(defaultDataset !== null && { defaultDataset: datasetReference(defaultDataset, project) }),
      ...more.query,
    }
    const configuration = { ...(reservation !== null && { reservation }), ...more, query }
    return { ...(location !== null && { location }), configuration }
  }

  function runRequest(query: Query, { endpoint, job }: RunOptions): JobRequest {
    const maxBytesBilled = job?.maxBytesBilled ?? options.maxBytesBilled
    const { token = null, revision = '', labels = {} } = job ?? {}
    return jobRequest(query, {
      labels: jobLabels(labels, { endpoint, revision, ...(token !== null && { token }) }),
      query: {
        ...(maxBytesBilled !== null && { maximumBytesBilled: String(maxBytesBilled) }),
        ...(options.priority === 'batch' && { priority: 'BATCH' }),
      },
    })
  }

  const faults = new ArgumentFaults({
    resolve: (sql, types) => resolveQuery(sql, tables, typesOf(types)!),
    run: runJob,
  })

  async function run(query: Query, runOptions: RunOptions): Promise<ResultSet> {
    try {
      return await runJob(query, runOptions)
    } catch (error) {
      throw error instanceof RunnerError ? await faults.explain(error, query, runOptions) : error
    }
  }

  async function runJob(query: Query, runOptions: RunOptions): Promise<ResultSet> {
    const { endpoint, maxRows, timeoutMs, maxBytes = options.maxResultBytes } = runOptions
    const deadline = clock.nowMs() + timeoutMs
    const watch = deadlineSignal([runOptions.signal, closed.signal], timeoutMs, clock)
    let cost: QueryCost | undefined
    try {
      const encoder = new ResultEncoder({ ...runOptions, maxBytes: Math.min(maxBytes, options.maxResultBytes) })
      await runQueryJob({
        ...{ rest, clock, random, project, newJobId, maxRows, deadline },
        request: runRequest(query, runOptions),
        signal: watch.signal,
        onRetry: retryObserver(endpoint),
        accept: (schema, rows) => encoder.add(schema, rows),
        onPaid: paid => {
          cost = paid
        },
        cancelLater: job => cancelLater(endpoint, job),
      })
      return { ...encoder.finish(), ...(cost && { cost }) }
    } catch (error) {
      const failure = runnerErrorOf(error, query, watch.signal)
      throw cost ? failure.withCost(cost) : failure
    } finally {
      watch.end()
    }
  }

  const check: Engine['check'] = (sql, types, values = {}) =>
    checked(
      sql,
      mapEntries(types, (type, name) => ({ type, value: values[name] ?? null })),
    )

  function checked(sql: string, parameters: Query['parameters']): Promise<CheckResult> {
    const query = { sql, parameters }
    return tracked(async () => {
      const deps = { rest, project, clock, signal: closed.signal, onRetry: retryObserver('check') }
      const result = await checkQuery(query, jobRequest(query), deps)
      if (result.ok) return result
      const known = typesOf(mapEntries(parameters, ({ type }) => type))
      return { ok: false, problem: codedProblem(result.problem, () => known && resolveQuery(sql, tables, known)) }
    })
  }

  async function reads({ sql, parameters }: Query, code: ErrorCode = 'QUERY_FAILED'): Promise<WarehouseReads> {
    const result = await checked(sql, parameters)
    if (!result.ok) throw new RunnerError(code, { cause: new QueryFault(result.problem.message) })
    return result.reads!
  }

  /** Closing waits for this work. */
  function tracked<T>(work: () => Promise<T>): Promise<T> {
    const result = work()
    const remove = (): boolean => running.delete(ended)
    const ended: Promise<unknown> = result.then(remove, remove)
    running.add(ended)
    return result
  }

  async function compile(sql: string, types: Readonly<Record<string, string>>): Promise<CheckResult> {
    const known = typesOf(types)
    if (known === null) return check(sql, types)
    const query = orMistake(() => resolveQuery(sql, tables, known))
    if (!(query instanceof SqlError)) return { ok: true, columns: query.columns.map(checkedColumn) }
    const root = rootOf(query.mistake)
    const isBroken = root?.code === 'unknown-table' && root.schema !== undefined
    return isBroken ? { ok: false, problem: query.problem } : check(sql, types)
  }

  return {
    name: 'bigquery',
    run: (query, runOptions) => tracked(() => run(query, runOptions)),
    check,
    compile,
    tables: () => tables,
    async explain(query) {
      const { bytes } = await reads(query)
      return { engineSql: query.sql, plan: `processes ${bytes} bytes` }
    },
    dryRun: async query => ({ engine: 'bigquery', ...(await reads(query)) }),
    async ping() {
      pinged ??= reads({ sql: 'SELECT 1', parameters: {} }, 'ENGINE_UNAVAILABLE').finally(() => {
        clock.after(PING_KEPT_MS, () => {
          pinged = null
        })
      })
      await pinged
    },
    async close() {
      closed.abort(CLOSED)
      const cancelled = Promise.all(running).then(() => Promise.all(cancelling))
      // Not the clock's timer, which does not keep the process alive: the jobs would be left running.
      const enough = new AbortController()
      const { closeWithinMs = CLOSE_WITHIN_MS } = options
      await Promise.race([cancelled, elapse(closeWithinMs, undefined, { signal: enough.signal }).catch(() => {})])
      enough.abort()
      cancellations.abort(CLOSED)
      await cancelled
      rest.close()
    },
  }
}

const mapEntries = <T, R>(given: Readonly<Record<string, T>>, make: (value: T, name: string) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, make(value, name)]))

function datasetReference(text: string, project: string): { readonly projectId: string; readonly datasetId: string } {
  const dot = text.lastIndexOf('.')
  return dot < 0
    ? { projectId: project, datasetId: text }
    : { projectId: text.slice(0, dot), datasetId: text.slice(dot + 1) }
}
