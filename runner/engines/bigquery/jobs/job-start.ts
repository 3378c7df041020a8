/** The two ways to start a query's job so that it is found again: jobs.query and jobs.insert, with an id that is ours. */
import { BigQueryFailure } from '../rest/failure.js'
import type { RestJob, RestJobReference, RestQueryRequest, RestQueryResponse } from '../rest/messages.js'
import type { RestCall } from '../rest/transport.js'

/** What a job is asked for, whichever way it is started. */
export type JobRequest = Omit<RestQueryRequest, 'requestId' | 'timeoutMs' | 'jobTimeoutMs' | 'formatOptions'>

export interface JobStart {
  /** The value of the label REQUEST_LABEL of its job. */
  readonly id: string
  /** Milliseconds since 1970: nothing of it was sent before. */
  readonly fromMs: number
  /** However often it is sent, it starts one job. */
  readonly isIdempotent: boolean
  /** It is answered after `timeoutMs` at the latest, whether the job has ended or not. */
  readonly call: (timeoutMs: number) => Omit<RestCall, 'signal'>
  readonly read: (body: unknown) => RestQueryResponse
  /** The answer where the failure says that the job is there already; null for any other. */
  readonly found: (failure: unknown) => RestQueryResponse | null
}

export interface StartOptions {
  readonly project: string
  /** Unique; at most 36 characters, which are lower-case letters, digits and dashes. */
  readonly id: string
  /** Milliseconds since 1970: now. */
  readonly nowMs: number
  /** The job ends itself then. */
  readonly jobTimeoutMs: number
  readonly priority: 'interactive' | 'batch'
}

/** The label by which a job is found where the answer with its own id was lost. */
export const REQUEST_LABEL = 'request'

export function jobStart(given: JobRequest, options: StartOptions): JobStart {
  const request = { ...given, labels: { ...given.labels, [REQUEST_LABEL]: options.id } }
  const ways = options.priority === 'batch' ? inserted(request, options) : queried(request, options)
  return { id: options.id, fromMs: options.nowMs, ...ways }
}

type Ways = Omit<JobStart, 'id' | 'fromMs'>

/**
 * One round trip for a short query. The reference of jobs.query promises idempotence by request id only to queries that
 * change data: "read only queries can ignore this token".
 */
function queried(request: JobRequest, { project, id, jobTimeoutMs }: StartOptions): Ways {
  const path = `projects/${encodeURIComponent(project)}/queries`
  const full = (timeoutMs: number): RestQueryRequest => ({
    ...request,
    requestId: id,
    timeoutMs,
    jobTimeoutMs: String(jobTimeoutMs),
    formatOptions: { useInt64Timestamp: true },
  })
  return {
    isIdempotent: false,
    call: timeoutMs => ({ method: 'POST', path, body: full(timeoutMs), isLong: true }),
    read: body => body as RestQueryResponse,
    found: () => null,
  }
}

/** jobs.query knows no priority; jobs.insert has no result in its answer. */
function inserted(request: JobRequest, { project, id, jobTimeoutMs }: StartOptions): Ways {
  const { location } = request
  const reference: RestJobReference = { projectId: project, jobId: id, ...(location !== undefined && { location }) }
  const { query, ...configuration } = jobConfiguration(request)
  const body: RestJob = {
    jobReference: reference,
    configuration: {
      ...configuration,
      jobTimeoutMs: String(jobTimeoutMs),
      query: { ...query, priority: 'BATCH' },
    },
  }
  const path = `projects/${encodeURIComponent(project)}/jobs`
  return {
    isIdempotent: true,
    call: () => ({ method: 'POST', path, body, isLong: true }),
    read(job) {
      const given = (job as RestJob).jobReference
      return { jobComplete: false, jobReference: { ...reference, ...given, jobId: id } }
    },
    found(failure) {
      if (!(failure instanceof BigQueryFailure) || failure.reason !== 'duplicate') return null
      // "Already Exists: Job project:EU.id": where no location was asked for, this is how it is known.
      const place = /Job [^ ]*:([\w-]+)\.[\w-]+/.exec(failure.text)?.[1]
      return { jobComplete: false, jobReference: { ...(place !== undefined && { location: place }), ...reference } }
    },
  }
}

/** The same request as a job resource, where some options belong to the job and others to its query. */
export function jobConfiguration(request: JobRequest): NonNullable<RestJob['configuration']> & { query: object } {
  const { labels, reservation, location: _location, maxResults: _maxResults, ...query } = request
  return {
    ...(labels !== undefined && { labels }),
    ...(reservation !== undefined && { reservation }),
    query,
  }
}
