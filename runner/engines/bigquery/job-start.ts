/** The two ways to start a query's job so that it is found again: jobs.query and jobs.insert, with an id that is ours. */
import { BigQueryFailure } from './failure.js'
import type { RestJob, RestJobReference, RestQueryRequest, RestQueryResponse } from './rest.js'
import type { RestCall } from './transport.js'

/** What a job is asked for, whichever way it is started. */
export type JobRequest = Omit<RestQueryRequest, 'requestId' | 'timeoutMs' | 'jobTimeoutMs' | 'formatOptions'>

export interface JobStart {
  /** Sent twice, it starts one job. It is answered after `timeoutMs` at the latest, whether the job has ended or not. */
  readonly call: (timeoutMs: number) => Omit<RestCall, 'signal'>
  readonly read: (body: unknown) => RestQueryResponse
  /** The answer where the failure says that the job is there already; null for any other. */
  readonly found: (failure: unknown) => RestQueryResponse | null
}

export interface StartOptions {
  readonly project: string
  /** Unique; at most 36 characters. */
  readonly id: string
  /** The job ends itself then. */
  readonly jobTimeoutMs: number
  readonly priority: 'interactive' | 'batch'
}

export function jobStart(request: JobRequest, options: StartOptions): JobStart {
  return options.priority === 'batch' ? inserted(request, options) : queried(request, options)
}

/** One round trip for a short query. */
function queried(request: JobRequest, { project, id, jobTimeoutMs }: StartOptions): JobStart {
  const path = `projects/${encodeURIComponent(project)}/queries`
  const full = (timeoutMs: number): RestQueryRequest => ({
    ...request,
    requestId: id,
    timeoutMs,
    jobTimeoutMs: String(jobTimeoutMs),
    formatOptions: { useInt64Timestamp: true },
  })
  return {
    call: timeoutMs => ({ method: 'POST', path, body: full(timeoutMs) }),
    read: body => body as RestQueryResponse,
    found: () => null,
  }
}

/** jobs.query knows no priority; jobs.insert has no result in its answer. */
function inserted(request: JobRequest, { project, id, jobTimeoutMs }: StartOptions): JobStart {
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
    call: () => ({ method: 'POST', path, body }),
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

/** The same wishes in the form of a job resource, where some of them are the job's and others the query's. */
export function jobConfiguration(request: JobRequest): NonNullable<RestJob['configuration']> & { query: object } {
  const { labels, reservation, location: _location, maxResults: _maxResults, ...query } = request
  return {
    ...(labels !== undefined && { labels }),
    ...(reservation !== undefined && { reservation }),
    query,
  }
}
