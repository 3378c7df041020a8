/** One query on BigQuery from its request to its rows: its job is started, polled until it has ended, and read page by page. */
import { pauseAfter } from '../../../model/backoff.js'
import { pause } from '../../../model/deadline.js'
import { nextTurn } from '../../../model/in-turns.js'
import type { QueryCost } from '../../../model/query.js'
import { unexpected } from '../decode/unexpected-cell.js'
import { BigQueryFailure, isJobFailure, isTransient } from '../failure.js'
import { RETRY, type RestCall, type RestDeps, type SendLimits, TransportError } from '../rest.js'
import type {
  JobRequest,
  RestErrorProto,
  RestJob,
  RestJobReference,
  RestResults,
  RestSchema,
} from '../rest-messages.js'
import { jobPath, locationOf, type UnwantedJob } from './cancel-job.js'

/** A query to run as a job. Its `signal` fires at the deadline too. */
export interface JobOrder extends RestDeps {
  readonly request: JobRequest
  readonly maxRows: number
  /** In milliseconds since 1970. BigQuery ends the job then. */
  readonly deadline: number
  /**
   * Called first without rows, then with the rows, some at a time: as a list, or as the text of a long part. It may get more rows than
   * `maxRows`. It resolves to the number of the rows; where it rejects, the query ends.
   */
  readonly accept: (schema: RestSchema, rows: readonly unknown[] | string) => Promise<number>
  /** Called when the job has succeeded: it is billed, even if reading its rows fails. */
  readonly onPaid: (cost: QueryCost) => void
  /** Gives an id that was never given before: at most 1,024 letters, digits, underscores and dashes. */
  readonly newJobId: () => string
  /** From 0 to 1. */
  readonly random: () => number
  /** Called when the query ends while its job may still run, which must then be cancelled. */
  readonly cancelLater: (job: UnwantedJob) => void
}

/** For how long the server delays an answer while it waits for the query to end. */
const SERVER_WAIT_MS = 10_000
/** How long an answer may take beyond the server's delay before it counts as lost. */
const NETWORK_MS = 10_000
/** The most jobs that are started for one query: where a job fails for a passing reason, another is started. */
const MAX_JOBS = 3
/** A server that answers sooner than this, and without a result, has not waited for the query: the next poll follows after a pause. */
const HASTY_MS = 100
/** The most rows of one page. BigQuery gives at most 10 MB at once. */
const MAX_PAGE_ROWS = 100_000

/** @throws BigQueryFailure, TransportError, the signal's reason. A job that may still run then is given to `cancelLater`. */
export async function runQueryJob(order: JobOrder): Promise<void> {
  for (let jobs = 1; ; jobs++) {
    try {
      return await new QueryJob(order).run()
    } catch (error) {
      if (!endsJob(error) || !isTransient(error) || jobs >= MAX_JOBS) throw error
      const pauseMs = pauseAfter(jobs, RETRY, order.random())
      if (order.clock.nowMs() + pauseMs >= order.deadline) throw error
      order.onRetry(error.message, pauseMs)
      await pause(pauseMs, order.signal, order.clock)
    }
  }
}

class QueryJob {
  readonly #order: JobOrder
  #reference: RestJobReference
  /** Whether the server has said that the job is there. */
  #isKnown = false
  /** Whether the job may be running on the server. */
  #mayRun = false

  constructor(order: JobOrder) {
    this.#order = order
    const { request, project, newJobId } = order
    const { location } = request
    this.#reference = { projectId: project, jobId: newJobId(), ...(location !== undefined && { location }) }
  }

  async run(): Promise<void> {
    try {
      await this.#start()
      const answer = await this.#awaitEnd()
      this.#mayRun = false
      const paid = this.#cost(answer).then(this.#order.onPaid)
      await this.#readPages(answer).finally(() => paid)
    } finally {
      if (this.#mayRun) this.#order.cancelLater({ reference: this.#reference, isKnown: this.#isKnown })
    }
  }

  /** Starts the job. The request may be sent again: BigQuery refuses a second job with the same id as a duplicate. */
  async #start(): Promise<void> {
    const { clock, rest, project, request } = this.#order
    const { configuration } = request
    const jobTimeoutMs = String(Math.max(1, this.#order.deadline - clock.nowMs()))
    const body = { jobReference: this.#reference, configuration: { ...configuration, jobTimeoutMs } }
    const call = { method: 'POST', path: `projects/${encodeURIComponent(project)}/jobs`, body } as const
    try {
      const onDoubt = (): void => {
        this.#mayRun = true
      }
      const { jobReference, status } = (await rest.send(call, { ...this.#limits(), onDoubt })) as RestJob
      this.#mayRun = true
      if (jobReference?.jobId !== this.#reference.jobId) throw new TransportError('the answer does not name the job')
      this.#isKnown = true
      if (jobReference.location !== undefined) this.#reference = { ...this.#reference, location: jobReference.location }
      if (status?.errorResult) throw this.#jobFailure(new BigQueryFailure(200, status.errorResult))
    } catch (error) {
      if (!(error instanceof BigQueryFailure) || error.reason !== 'duplicate') throw this.#withJobId(error)
      this.#isKnown = this.#mayRun = true
      // "Already Exists: Job project:EU.id": this message tells the location of a job that was started without one.
      const location = /Job [^ ]*:([\w-]+)\.[\w-]+/.exec(error.text)?.[1]
      this.#reference = { ...(location !== undefined && { location }), ...this.#reference }
    }
  }

  /** Polls until the job has ended, and returns the first answer with a result. */
  async #awaitEnd(): Promise<RestResults> {
    const { clock, random } = this.#order
    for (let polls = 1; ; polls++) {
      const began = clock.ticksMs()
      const answer = await this.#poll()
      // Errors beside a schema are warnings, and so are errors of a job that still runs.
      const error = answer.jobComplete === true && !answer.schema?.fields?.length ? answer.errors?.[0] : undefined
      if (error) throw this.#jobFailure(new BigQueryFailure(200, error))
      if (answer.jobComplete === true) return answer
      if (clock.ticksMs() - began <= HASTY_MS)
        await pause(pauseAfter(polls, RETRY, random()), this.#order.signal, clock)
    }
  }

  async #poll(): Promise<RestResults> {
    const beforeRetry = async (error: Error): Promise<void> => {
      const result = await this.#errorResult(error)
      if (result) throw this.#jobFailure(new BigQueryFailure(200, result))
    }
    const call = this.#resultsCall({ timeoutMs: String(this.#serverWaitMs()) })
    try {
      return await this.#order.rest.send(call, { ...this.#limits(), beforeRetry })
    } catch (error) {
      const isOver = endsJob(error) || (await this.#errorResult(error)) !== undefined
      throw isOver ? this.#jobFailure(error as BigQueryFailure) : this.#withJobId(error)
    }
  }

  /** The error that has ended the job, if any. A backendError may be one of the request that asked, or one of the job. */
  async #errorResult(error: unknown): Promise<RestErrorProto | undefined> {
    if (!(error instanceof BigQueryFailure) || error.reason === '' || isJobFailure(error)) return undefined
    const { state, errorResult } = (await this.#askJob())?.status ?? {}
    return state === 'DONE' ? errorResult : undefined
  }

  async #cost({ totalBytesProcessed = '0', cacheHit = false }: RestResults): Promise<QueryCost> {
    const bytesProcessed = Number(totalBytesProcessed)
    const billed = cacheHit ? '0' : (await this.#askJob())?.statistics?.query?.totalBytesBilled
    const bytesBilled = billed === undefined ? estimatedBill(bytesProcessed) : Number(billed)
    return { bytesProcessed, bytesBilled, isCacheHit: cacheHit, jobId: this.#reference.jobId }
  }

  /** The job's resource; undefined where the request fails. The request is not repeated, since no result depends on it. */
  #askJob(): Promise<RestJob | undefined> {
    return this.#order.rest.send(this.#call('jobs', {}), { ...this.#limits(), maxAttempts: 1 }).catch(() => undefined)
  }

  /** Passes the rows on to `accept`, page by page, with turns for other work of the process. The next page is fetched meanwhile. */
  async #readPages(answer: RestResults): Promise<void> {
    const { accept, maxRows, rest } = this.#order
    const { schema = {}, totalRows } = answer
    await accept(schema, [])
    let page = answer
    for (let count = 0; ; ) {
      const { pageToken } = page
      const next =
        pageToken && Number(totalRows) > count ? rest.send(this.#resultsCall({ pageToken }), this.#limits()) : null
      // A failure of the next page is thrown when that page is awaited, after the rows of this page.
      next?.catch(() => null)
      for (const rows of page.rows ?? []) {
        if (!Array.isArray(rows) && typeof rows !== 'string') throw unexpected('a list of rows')
        count += await accept(schema, rows)
        await nextTurn()
      }
      if (count > maxRows) return
      if (!pageToken) return expectAll(totalRows, count)
      page = await (next ?? rest.send(this.#resultsCall({ pageToken }), this.#limits()))
    }
  }

  #resultsCall(more: Readonly<Record<string, string>>): RestCall {
    const maxResults = String(Math.min(this.#order.maxRows + 1, MAX_PAGE_ROWS))
    return this.#call('queries', { ...more, maxResults, 'formatOptions.useInt64Timestamp': 'true' })
  }

  #call(kind: 'jobs' | 'queries', query: Readonly<Record<string, string>>): RestCall {
    return { method: 'GET', path: jobPath(kind, this.#reference), query: { ...locationOf(this.#reference), ...query } }
  }

  #serverWaitMs(): number {
    return Math.max(1, Math.min(SERVER_WAIT_MS, this.#order.deadline - this.#order.clock.nowMs()))
  }

  #limits(): SendLimits {
    const { deadline, signal, onRetry } = this.#order
    return { until: deadline, attemptMs: this.#serverWaitMs() + NETWORK_MS, onRetry, signal }
  }

  /** Adds the job's id to a failure of the job itself; returns any other error as it is. */
  #withJobId(error: unknown): unknown {
    return error instanceof BigQueryFailure && isJobFailure(error) ? this.#jobFailure(error) : error
  }

  #jobFailure(failure: BigQueryFailure): BigQueryFailure {
    this.#mayRun = false
    return failure.withJobId(this.#reference.jobId)
  }
}

/** Whether the error is the failure of a job, which has ended by it. */
const endsJob = (error: unknown): error is BigQueryFailure => error instanceof BigQueryFailure && error.jobId !== null

/**
 * Checks that all rows have come: a result with fewer rows than BigQuery announced would be wrong. An answer without the number may have
 * lost its page token as well, so it is refused; but emulators leave out the number 0.
 */
function expectAll(totalRows: string | undefined, count: number): void {
  if (totalRows === undefined && count > 0) throw unexpected('the number of all rows')
  if (Number(totalRows ?? 0) !== count) throw unexpected(`${totalRows} rows in all (not ${count})`)
}

const BYTES_PER_MIB = 2 ** 20
const LEAST_BILLED_MIB = 10

/** The bytes that a job was billed for, where BigQuery does not say: whole MiB, at least 10 ("On-demand query size calculation"). */
const estimatedBill = (bytesProcessed: number): number =>
  bytesProcessed === 0 ? 0 : Math.max(LEAST_BILLED_MIB, Math.ceil(bytesProcessed / BYTES_PER_MIB)) * BYTES_PER_MIB
