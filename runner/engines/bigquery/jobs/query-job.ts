/** One query on BigQuery from its request to its rows: one round trip where it is short, polls and pages where it is not. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pauseAfter } from '../../../model/backoff.js'
import type { Clock } from '../../../model/ports.js'
import { type ClientWithin, jobOf } from '../client.js'
import { unexpected } from '../decode/unexpected-cell.js'
import { pause } from '../rest/abortable-wait.js'
import { BigQueryFailure, isOfJob, isTransient, JobEndedFailure } from '../rest/failure.js'
import type { RestJob, RestJobReference, RestQueryResponse, RestSchema } from '../rest/messages.js'
import { RETRY, type Sender, type SendLimits } from '../rest/retry.js'
import { type RestCall, TransportError } from '../rest/transport.js'
import type { JobToCancel } from './cancel-job.js'
import type { FoundJob, JobFinder } from './find-jobs.js'
import { type JobRequest, type JobStart, jobStart } from './job-start.js'

export interface JobOrder {
  readonly request: JobRequest
  readonly priority: 'interactive' | 'batch'
  readonly maxRows: number
  /** Milliseconds since 1970; the job ends itself then. */
  readonly deadline: number
  /** Fires at the deadline too. */
  readonly signal: AbortSignal
  readonly onRetry: SendLimits['onRetry']
  /** Called with some rows after the other, first with none; with more than `maxRows` where there are more. What it throws ends the query. */
  readonly accept: (schema: RestSchema, rows: readonly unknown[]) => void
  /** Called when the query has ended well, before its rows are read: it is paid for, whatever becomes of them. */
  readonly onPaid: (cost: JobCost) => void
}

export interface JobCost {
  readonly bytesProcessed: number
  /** Null where BigQuery does not say. */
  readonly bytesBilled: number | null
  readonly isCacheHit: boolean
  readonly jobId: string | null
}

export interface JobDeps {
  readonly sender: Sender
  readonly client: ClientWithin
  readonly finder: JobFinder
  readonly clock: Clock
  readonly project: string
  /** At most 36 characters: lower-case letters, digits and dashes. */
  readonly newRequestId: () => string
  /** From 0 to 1. */
  readonly random: () => number
  /** Called when the query ends while a job of it may still run, which must then be cancelled. */
  readonly cancelLater: (job: JobToCancel) => void
}

/** How long the server holds an answer back for the query to end. */
const HOLD_MS = 10_000
/** An answer that comes later than this after the time that the server may hold it back counts as lost. */
const NETWORK_MS = 10_000
/** The most jobs that are started for one query: a job that failed for a passing reason has ended. */
const MAX_JOBS = 3
/** An answer that comes sooner, and without a result, was not held back. */
const HASTY_MS = 100

/** @throws BigQueryFailure, TransportError, the signal's reason. Whatever is thrown, no job is left running unseen. */
export async function runQueryJob(order: JobOrder, deps: JobDeps): Promise<void> {
  for (let jobs = 1; ; jobs++) {
    try {
      return await runJob(order, deps)
    } catch (error) {
      if (!(error instanceof JobEndedFailure) || !isTransient(error) || jobs >= MAX_JOBS) throw error
      const pauseMs = pauseAfter(jobs, RETRY, deps.random())
      if (deps.clock.nowMs() + pauseMs >= order.deadline) throw error
      order.onRetry(error.message, pauseMs)
      await pause(pauseMs, order.signal, deps.clock)
    }
  }
}

/** What is known of a job while it is waited for. */
interface JobState {
  reference: RestJobReference | null
  mayRun: boolean
  /** There may be another job of the same start. */
  mayHaveTwin: boolean
}

async function runJob(order: JobOrder, deps: JobDeps): Promise<void> {
  const { project, newRequestId, clock, cancelLater } = deps
  const nowMs = clock.nowMs()
  const jobTimeoutMs = Math.max(1, order.deadline - nowMs)
  const { priority } = order
  const start = jobStart(order.request, { project, id: newRequestId(), nowMs, jobTimeoutMs, priority })
  const state: JobState = { reference: null, mayRun: false, mayHaveTwin: false }
  const job = openJob(order, deps, state)
  try {
    const first = await job.begin(start)
    const answer = await job.ended(first)
    state.mayRun = false
    order.onPaid(await job.cost(answer, answer === first))
    await job.pages(answer)
  } finally {
    const { reference, mayRun, mayHaveTwin } = state
    if (mayRun || mayHaveTwin) cancelLater({ start, reference, hasEnded: !mayRun, mayHaveTwin })
  }
}

interface Job {
  /** The answer to the start, whether the job has ended or not. */
  begin(start: JobStart): Promise<RestQueryResponse>
  /** The first answer with a result. */
  ended(first: RestQueryResponse): Promise<RestQueryResponse>
  /** Passes the rows on to `accept`, page by page. */
  pages(answer: RestQueryResponse): Promise<void>
  cost(answer: RestQueryResponse, isFirst: boolean): Promise<JobCost>
}

function openJob(
  { request, maxRows, deadline, signal, onRetry, accept }: JobOrder,
  deps: JobDeps,
  state: JobState,
): Job {
  const { sender, client, clock, project } = deps
  const holdMs = (): number => Math.max(1, Math.min(HOLD_MS, deadline - clock.nowMs()))
  const limits = (): SendLimits => ({ until: deadline, attemptMs: holdMs() + NETWORK_MS, onRetry })

  return {
    async begin(start) {
      try {
        const call = { ...start.call(holdMs()), signal }
        const body = await sender.send(call, {
          ...limits(),
          onUnknown: () => (state.mayRun = true),
          beforeRetry: () => startedAlready(start),
        })
        return read(start.read(body))
      } catch (error) {
        const found = start.found(error)
        if (found) return read(found)
        throw failure(error)
      }
    },

    async ended(first) {
      let answer = first
      for (let polls = 1; answer.jobComplete !== true; polls++) {
        const began = clock.ticksMs()
        answer = await poll()
        if (answer.jobComplete === true || clock.ticksMs() - began > HASTY_MS) continue
        await pause(pauseAfter(polls, RETRY, deps.random()), signal, clock)
      }
      return answer
    },

    async pages(answer) {
      const { schema = {}, totalRows } = answer
      let page = answer
      accept(schema, [])
      for (let count = 0; ; ) {
        for (const rows of page.rows ?? []) {
          if (!Array.isArray(rows)) throw unexpected('a list of rows')
          accept(schema, rows)
          count += rows.length
          await nextTurn()
        }
        if (count > maxRows) return
        if (!page.pageToken) return expectAll(totalRows, count)
        page = (await sender.send(results({ pageToken: page.pageToken }), limits())) as RestQueryResponse
      }
    },

    async cost(answer, isFirst) {
      const { totalBytesProcessed = '0', totalBytesBilled, cacheHit = false, queryId = null } = answer
      // The answers of getQueryResults do not have the bytes billed.
      const billed = totalBytesBilled ?? (isFirst || cacheHit ? undefined : await billedOf())
      return {
        bytesProcessed: Number(totalBytesProcessed),
        bytesBilled: billed === undefined ? null : Number(billed),
        isCacheHit: cacheHit,
        jobId: state.reference?.jobId ?? queryId,
      }
    },
  }

  function read(answer: RestQueryResponse): RestQueryResponse {
    const { jobReference, jobComplete, errors, schema } = answer
    if (jobReference?.jobId) state.reference = jobReference
    state.mayRun = jobComplete !== true
    if (state.mayRun && !state.reference) throw new TransportError('the answer names no job')
    // Errors beside a schema are warnings, and so are those of a job that goes on.
    const error = state.mayRun || schema?.fields?.length ? undefined : errors?.[0]
    if (error) throw failure(new BigQueryFailure(200, error), true)
    return answer
  }

  /** The answer in place of the start's lost one; undefined where none was lost, or the server knows of no such job. */
  async function startedAlready(start: JobStart): Promise<RestQueryResponse | undefined> {
    if (!state.mayRun || start.isIdempotent) return undefined
    const jobReference = (await foundJobs(start))[0]?.reference
    state.mayHaveTwin ||= jobReference === undefined
    return jobReference && { jobComplete: false, jobReference }
  }

  async function foundJobs(start: JobStart): Promise<readonly FoundJob[]> {
    try {
      return await deps.finder.find(start, signal)
    } catch (error) {
      // Where jobs may not be listed there is still the request id.
      if (error instanceof BigQueryFailure && !isTransient(error)) return []
      throw error
    }
  }

  /** Marks a failure of the job itself as its end. */
  function failure(error: unknown, isEnd = error instanceof BigQueryFailure && isOfJob(error)): unknown {
    if (!isEnd || !(error instanceof BigQueryFailure)) return error
    state.mayRun = false
    return error instanceof JobEndedFailure ? error : new JobEndedFailure(error, state.reference?.jobId ?? null)
  }

  async function poll(): Promise<RestQueryResponse> {
    try {
      const call = results({ timeoutMs: String(holdMs()) })
      return read((await sender.send(call, { ...limits(), beforeRetry: askState })) as RestQueryResponse)
    } catch (error) {
      throw failure(error)
    }
  }

  /** A backendError may be the server's, which is transient, or the job's, which has then ended: the job's resource shows which. */
  async function askState(error: Error): Promise<void> {
    if (!(error instanceof BigQueryFailure) || error.reason === '') return
    const job = await resource()
    const result = job?.status?.state === 'DONE' ? job.status.errorResult : undefined
    if (result) throw failure(new BigQueryFailure(200, result), true)
  }

  async function billedOf(): Promise<string | undefined> {
    return (await resource())?.statistics?.query?.totalBytesBilled
  }

  /** Undefined where the first attempt fails: no result depends on it. */
  async function resource(): Promise<RestJob | undefined> {
    if (!state.reference) return undefined
    try {
      const [job] = await jobOf(client({ ...limits(), maxAttempts: 1, signal }), state.reference).getMetadata()
      return job as RestJob
    } catch {
      return undefined
    }
  }

  function results(more: Readonly<Record<string, string>>): RestCall {
    const { projectId = project, jobId = '', location = undefined } = state.reference ?? {}
    const query = {
      ...(location !== undefined && { location }),
      ...more,
      ...(request.maxResults !== undefined && { maxResults: String(request.maxResults) }),
      'formatOptions.useInt64Timestamp': 'true',
    }
    const path = `projects/${encodeURIComponent(projectId)}/queries/${encodeURIComponent(jobId)}`
    return { method: 'GET', path, query, isLong: true, signal }
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
