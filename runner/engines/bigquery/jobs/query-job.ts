/** One query on BigQuery from its request to its rows: its job is started, polled until it has ended, and read page by page. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pauseAfter } from '../../../model/backoff.js'
import type { Clock } from '../../../model/ports.js'
import { pause } from '../deadline.js'
import { unexpected } from '../decode/unexpected-cell.js'
import { BigQueryFailure, isOfJob, isTransient, JobEndedFailure } from '../failure.js'
import type { JobRequest, RestErrorProto, RestJob, RestJobReference, RestResults, RestSchema } from '../messages.js'
import { RETRY, type Rest, type RestCall, type SendLimits, TransportError } from '../rest.js'
import { jobPath, type UnseenJob } from './cancel-job.js'

export interface JobOrder {
  readonly request: JobRequest
  readonly maxRows: number
  /** Milliseconds since 1970; the job ends itself then. */
  readonly deadline: number
  /** Fires at the deadline too. */
  readonly signal: AbortSignal
  readonly onRetry: SendLimits['onRetry']
  /** Called with some rows after the other, first with none; with more than `maxRows` where there are more. What it throws ends the query. */
  readonly accept: (schema: RestSchema, rows: readonly unknown[]) => void
  /** Called when the query has ended well: it is paid for, whatever becomes of its rows. */
  readonly onPaid: (cost: JobCost) => void
}

export interface JobCost {
  readonly bytesProcessed: number
  /** Null where BigQuery does not say. */
  readonly bytesBilled: number | null
  readonly isCacheHit: boolean
  readonly jobId: string
}

export interface JobDeps {
  readonly rest: Rest
  readonly clock: Clock
  readonly project: string
  /** Never the same again; at most 1,024 letters, digits, underscores and dashes. */
  readonly newJobId: () => string
  /** From 0 to 1. */
  readonly random: () => number
  /** Called when the query ends while its job may still run, which must then be cancelled. */
  readonly cancelLater: (job: UnseenJob) => void
}

/** How long the server holds an answer back for the query to end. */
const HOLD_MS = 10_000
/** An answer that comes later than this after the time that the server may hold it back counts as lost. */
const NETWORK_MS = 10_000
/** The most jobs that are started for one query: a job that failed for a passing reason has ended. */
const MAX_JOBS = 3
/** An answer that comes sooner, and without a result, was not held back. */
const HASTY_MS = 100
/** Rows of one page, at most. BigQuery gives at most 10 MB at once. */
const MAX_PAGE_ROWS = 100_000

/** @throws BigQueryFailure, TransportError, the signal's reason. Whatever is thrown, no job is left running unseen. */
export async function runQueryJob(order: JobOrder, deps: JobDeps): Promise<void> {
  for (let jobs = 1; ; jobs++) {
    try {
      return await new QueryJob(order, deps).run()
    } catch (error) {
      if (!(error instanceof JobEndedFailure) || !isTransient(error) || jobs >= MAX_JOBS) throw error
      const pauseMs = pauseAfter(jobs, RETRY, deps.random())
      if (deps.clock.nowMs() + pauseMs >= order.deadline) throw error
      order.onRetry(error.message, pauseMs)
      await pause(pauseMs, order.signal, deps.clock)
    }
  }
}

class QueryJob {
  readonly #order: JobOrder
  readonly #deps: JobDeps
  #reference: RestJobReference
  /** The server has said that the job is there. */
  #isKnown = false
  #mayRun = false

  constructor(order: JobOrder, deps: JobDeps) {
    this.#order = order
    this.#deps = deps
    const { location } = order.request
    this.#reference = { projectId: deps.project, jobId: deps.newJobId(), ...(location !== undefined && { location }) }
  }

  async run(): Promise<void> {
    try {
      await this.#start()
      const answer = await this.#ended()
      this.#mayRun = false
      const paid = this.#cost(answer).then(this.#order.onPaid)
      await this.#pages(answer).finally(() => paid)
    } finally {
      if (this.#mayRun) this.#deps.cancelLater({ reference: this.#reference, isKnown: this.#isKnown })
    }
  }

  /** However often it is sent, it starts one job: a second one of this id is refused as a duplicate. */
  async #start(): Promise<void> {
    const { clock, rest, project } = this.#deps
    const { configuration } = this.#order.request
    const jobTimeoutMs = String(Math.max(1, this.#order.deadline - clock.nowMs()))
    const body = { jobReference: this.#reference, configuration: { ...configuration, jobTimeoutMs } }
    const call = { method: 'POST', path: `projects/${encodeURIComponent(project)}/jobs`, body } as const
    try {
      const onUnknown = (): void => {
        this.#mayRun = true
      }
      const { jobReference, status } = (await rest.send(call, { ...this.#limits(), onUnknown })) as RestJob
      this.#mayRun = true
      if (jobReference?.jobId !== this.#reference.jobId) throw new TransportError('the answer does not name the job')
      this.#isKnown = true
      if (jobReference.location !== undefined) this.#reference = { ...this.#reference, location: jobReference.location }
      if (status?.errorResult) throw this.#failed(new BigQueryFailure(200, status.errorResult))
    } catch (error) {
      if (!(error instanceof BigQueryFailure) || error.reason !== 'duplicate') throw this.#marked(error)
      this.#isKnown = this.#mayRun = true
      // "Already Exists: Job project:EU.id": where no location was asked for, this is how it is known.
      const location = /Job [^ ]*:([\w-]+)\.[\w-]+/.exec(error.text)?.[1]
      this.#reference = { ...(location !== undefined && { location }), ...this.#reference }
    }
  }

  /** The first answer with a result. */
  async #ended(): Promise<RestResults> {
    const { clock, random } = this.#deps
    for (let polls = 1; ; polls++) {
      const began = clock.ticksMs()
      const answer = await this.#poll()
      // Errors beside a schema are warnings, and so are those of a job that goes on.
      const error = answer.jobComplete === true && !answer.schema?.fields?.length ? answer.errors?.[0] : undefined
      if (error) throw this.#failed(new BigQueryFailure(200, error))
      if (answer.jobComplete === true) return answer
      if (clock.ticksMs() - began <= HASTY_MS)
        await pause(pauseAfter(polls, RETRY, random()), this.#order.signal, clock)
    }
  }

  async #poll(): Promise<RestResults> {
    const beforeRetry = async (error: Error): Promise<void> => {
      const result = await this.#errorResult(error)
      if (result) throw this.#failed(new BigQueryFailure(200, result))
    }
    const call = this.#results({ timeoutMs: String(this.#holdMs()) })
    try {
      return await this.#deps.rest.send(call, { ...this.#limits(), beforeRetry })
    } catch (error) {
      const hasEnded = error instanceof JobEndedFailure || (await this.#errorResult(error)) !== undefined
      throw hasEnded ? this.#failed(error as BigQueryFailure) : this.#marked(error)
    }
  }

  /** The job's own failure: a backendError may be the server's, or the job's, which has then ended. */
  async #errorResult(error: unknown): Promise<RestErrorProto | undefined> {
    if (!(error instanceof BigQueryFailure) || error.reason === '' || isOfJob(error)) return undefined
    const { state, errorResult } = (await this.#resource())?.status ?? {}
    return state === 'DONE' ? errorResult : undefined
  }

  async #cost({ totalBytesProcessed = '0', cacheHit = false }: RestResults): Promise<JobCost> {
    const billed = cacheHit ? undefined : (await this.#resource())?.statistics?.query?.totalBytesBilled
    return {
      bytesProcessed: Number(totalBytesProcessed),
      bytesBilled: billed === undefined ? null : Number(billed),
      isCacheHit: cacheHit,
      jobId: this.#reference.jobId,
    }
  }

  /** Undefined where the first attempt fails: no result depends on it. */
  async #resource(): Promise<RestJob | undefined> {
    const { location } = this.#reference
    const query = { ...(location !== undefined && { location }) }
    const call = { method: 'GET', path: jobPath('jobs', this.#reference), query } as const
    return this.#deps.rest.send(call, { ...this.#limits(), maxAttempts: 1 }).catch(() => undefined)
  }

  /** Passes the rows on to `accept`, page by page, with turns for other work of the process. */
  async #pages(answer: RestResults): Promise<void> {
    const { accept, maxRows } = this.#order
    const { schema = {}, totalRows } = answer
    accept(schema, [])
    let page = answer
    for (let count = 0; ; ) {
      for (const rows of page.rows ?? []) {
        if (!Array.isArray(rows)) throw unexpected('a list of rows')
        accept(schema, rows)
        count += rows.length
        await nextTurn()
      }
      if (count > maxRows) return
      if (!page.pageToken) return expectAll(totalRows, count)
      page = await this.#deps.rest.send(this.#results({ pageToken: page.pageToken }), this.#limits())
    }
  }

  #results(more: Readonly<Record<string, string>>): RestCall {
    const { location } = this.#reference
    const query = {
      ...(location !== undefined && { location }),
      ...more,
      maxResults: String(Math.min(this.#order.maxRows + 1, MAX_PAGE_ROWS)),
      'formatOptions.useInt64Timestamp': 'true',
    }
    return { method: 'GET', path: jobPath('queries', this.#reference), query }
  }

  #holdMs(): number {
    return Math.max(1, Math.min(HOLD_MS, this.#order.deadline - this.#deps.clock.nowMs()))
  }

  #limits(): SendLimits {
    const { deadline, signal, onRetry } = this.#order
    return { until: deadline, attemptMs: this.#holdMs() + NETWORK_MS, onRetry, signal }
  }

  /** The failure of a request, or of the job itself, which has then ended. */
  #marked(error: unknown): unknown {
    return error instanceof BigQueryFailure && isOfJob(error) ? this.#failed(error) : error
  }

  #failed(failure: BigQueryFailure): JobEndedFailure {
    this.#mayRun = false
    return failure instanceof JobEndedFailure ? failure : new JobEndedFailure(failure, this.#reference.jobId)
  }
}

/**
 * An answer with fewer rows than it announces would be a wrong result. An answer without a number may have lost its page token
 * too; emulators leave the number 0 out.
 */
function expectAll(totalRows: string | undefined, count: number): void {
  if (totalRows === undefined && count > 0) throw unexpected('the number of all rows')
  if (Number(totalRows ?? 0) !== count) throw unexpected(`${totalRows} rows in all (not ${count})`)
}
