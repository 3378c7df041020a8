/** The engine that runs queries on BigQuery. */
import { setMaxListeners } from 'node:events'
import { setTimeout as elapse } from 'node:timers/promises'
import {
  type BrokenTables,
  type FunctionSources,
  orMistake,
  parseTypeName,
  resolveQuery,
  rootOf,
  SqlError,
  type TableCatalogue,
  type TableDefinition,
  type Type,
  tableCatalogue,
} from '../../../googlesql/index.js'
import type { ErrorCode } from '../../model/error-codes.js'
import { RunnerError } from '../../model/errors.js'
import type { Observer } from '../../model/events.js'
import type { CheckResult, Clock, Engine, RunOptions } from '../../model/ports.js'
import type { Query, QueryCost, ResultSet } from '../../model/query.js'
import { QueryFault } from '../../model/query-fault.js'
import { ArgumentFaults } from '../argument-faults.js'
import { checkedColumn } from '../checked-column.js'
import type { Access } from './auth/credentials.js'
import { codedProblem } from './coded-problem.js'
import { CLOSED, deadlineSignal } from './deadline.js'
import { ResultEncoder } from './decode/encode-result.js'
import { cancelJob, type UnseenJob } from './jobs/cancel-job.js'
import { checkQuery } from './jobs/check-query.js'
import { jobLabels } from './jobs/labels.js'
import { type JobCost, runQueryJob } from './jobs/query-job.js'
import { queryParameters } from './jobs/query-parameters.js'
import { memoizeTtl } from './memoize-ttl.js'
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
  const running = new Set<Promise<unknown>>()
  const closed = new AbortController()
  const cancellations = new AbortController()
  // Each running query adds a listener, so many listeners are not a leak.
  setMaxListeners(0, closed.signal, cancellations.signal)

  const retryObserver = (endpoint: string) => (reason: string, pauseMs: number) =>
    observe({ kind: 'engine.retried', engine: 'bigquery', endpoint, reason, pauseMs })

  function cancelLater(endpoint: string, job: UnseenJob): void {
    const { jobId } = job.reference
    const deps = { rest, clock, signal: cancellations.signal, onRetry: retryObserver(endpoint) }
    const work = cancelJob(job, deps).then(
      wasThere => wasThere && observe({ kind: 'job.cancelled', endpoint, jobId }),
      cause => observe({ kind: 'job.cancel-failed', endpoint, jobId, cause }),
    )
    const tracked: Promise<void> = work.then(() => void cancelling.delete(tracked))
    cancelling.add(tracked)
  }

  function jobRequest({ sql, parameters }: Query): JobRequest {
    const { location, defaultDataset, reservation } = options
    return {
      ...(location !== null && { location }),
      configuration: {
        ...(reservation !== null && { reservation }),
        query: {
          query: sql,
          useLegacySql: false,
          parameterMode: 'NAMED',
          queryParameters: queryParameters(parameters),
          ...(defaultDataset !== null && { defaultDataset: datasetReference(defaultDataset, project) }),
        },
      },
    }
  }

  function runRequest(query: Query, { endpoint, job }: RunOptions): JobRequest {
    const maxBytesBilled = job?.maxBytesBilled ?? options.maxBytesBilled
    const { token = null, revision = '', labels = {} } = job ?? {}
    const { configuration, ...request } = jobRequest(query)
    return {
      ...request,
      configuration: {
        ...configuration,
        labels: jobLabels(labels, { endpoint, revision, ...(token !== null && { token }) }),
        query: {
          ...configuration.query,
          ...(maxBytesBilled !== null && { maximumBytesBilled: String(maxBytesBilled) }),
          ...(options.priority === 'batch' && { priority: 'BATCH' as const }),
        },
      },
    }
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
      await runQueryJob(
        {
          request: runRequest(query, runOptions),
          maxRows,
          deadline,
          signal: watch.signal,
          onRetry: retryObserver(endpoint),
          accept: (schema, rows) => encoder.add(schema, rows),
          onPaid: paid => {
            cost = queryCost(paid)
          },
        },
        { rest, clock, random, project, newJobId, cancelLater: job => cancelLater(endpoint, job) },
      )
      return { ...encoder.finish(), ...(cost && { cost }) }
    } catch (error) {
      const failure = runnerErrorOf(error, query, watch.signal)
      throw cost ? failure.withCost(cost) : failure
    } finally {
      watch.end()
    }
  }

  function check(
    sql: string,
    types: Readonly<Record<string, string>>,
    values: Readonly<Record<string, unknown>> = {},
  ): Promise<CheckResult> {
    const parameters = Object.fromEntries(
      Object.entries(types).map(([name, type]) => [name, { type, value: values[name] ?? null }]),
    )
    const query = { sql, parameters }
    return tracked(async () => {
      const deps = { rest, project, clock, signal: closed.signal, onRetry: retryObserver('check') }
      const result = await checkQuery(query, jobRequest(query), deps)
      if (result.ok) return result
      const known = typesOf(types)
      return { ok: false, problem: codedProblem(result.problem, () => known && resolveQuery(sql, tables, known)) }
    })
  }

  /** What a query would read. */
  async function reads(
    { sql, parameters }: Query,
    code: ErrorCode = 'QUERY_FAILED',
  ): Promise<NonNullable<Extract<CheckResult, { ok: true }>['reads']>> {
    const given = Object.entries(parameters)
    const types = Object.fromEntries(given.map(([name, { type }]) => [name, type]))
    const values = Object.fromEntries(given.map(([name, { value }]) => [name, value]))
    const checked = await check(sql, types, values)
    if (!checked.ok) throw new RunnerError(code, { cause: new QueryFault(checked.problem.message) })
    return checked.reads!
  }

  /** Closing waits for this work. */
  function tracked<T>(work: () => Promise<T>): Promise<T> {
    const result = work()
    const ended: Promise<unknown> = result.then(remove, remove)
    running.add(ended)
    return result

    function remove(): void {
      running.delete(ended)
    }
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
    ping: memoizeTtl(PING_KEPT_MS, clock, async () => {
      await reads({ sql: 'SELECT 1', parameters: {} }, 'ENGINE_UNAVAILABLE')
    }),
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

/** The types by name; null where one is not known here. */
function typesOf(names: Readonly<Record<string, string>>): Record<string, Type> | null {
  const types: Record<string, Type> = {}
  for (const [name, text] of Object.entries(names)) {
    const type = parseTypeName(text)
    if (!type) return null
    types[name] = type
  }
  return types
}

function datasetReference(text: string, project: string): { readonly projectId: string; readonly datasetId: string } {
  const dot = text.lastIndexOf('.')
  return dot < 0
    ? { projectId: project, datasetId: text }
    : { projectId: text.slice(0, dot), datasetId: text.slice(dot + 1) }
}

const BYTES_PER_MIB = 2 ** 20
const LEAST_BILLED_MIB = 10

/** An estimate where BigQuery does not tell the bytes billed: they are billed in whole MiB, at least 10 ("On-demand query size calculation"). */
function queryCost({ bytesBilled, ...cost }: JobCost): QueryCost {
  const { bytesProcessed, isCacheHit } = cost
  const mib = Math.max(LEAST_BILLED_MIB, Math.ceil(bytesProcessed / BYTES_PER_MIB))
  const estimate = isCacheHit || bytesProcessed === 0 ? 0 : mib * BYTES_PER_MIB
  return { ...cost, bytesBilled: bytesBilled ?? estimate }
}
