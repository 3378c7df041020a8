/** Finds jobs whose start was not answered, among those that the server lists; it starts none. */
import type { GetJobsOptions, GetJobsResponse } from '@google-cloud/bigquery'
import type { Clock } from '../../../model/ports.js'
import type { ClientWithin } from '../client.js'
import { rejectOnAbort } from '../rest/abortable-wait.js'
import type { RestJob, RestJobReference } from '../rest/messages.js'
import type { SendLimits } from '../rest/retry.js'
import { type JobStart, REQUEST_LABEL } from './job-start.js'

export interface FoundJob {
  readonly reference: RestJobReference
  readonly hasEnded: boolean
}

export interface JobFinder {
  /**
   * Every job of this start that the server lists, the newest first. None may mean that the start is still on its way.
   * @throws BigQueryFailure, TransportError; the signal's reason as soon as it fires.
   */
  find(start: JobStart, signal: AbortSignal): Promise<readonly FoundJob[]>
}

export interface JobFinderDeps {
  readonly client: ClientWithin
  readonly clock: Clock
  /** Ends every search. */
  readonly signal: AbortSignal
  readonly onRetry: SendLimits['onRetry']
}

/** This machine's clock may be ahead of the server's by this much. */
const CLOCK_SKEW_MS = 60_000
const WITHIN_MS = 20_000
const ATTEMPT_MS = 10_000
const MAX_ATTEMPTS = 4
const PAGE_JOBS = 1000
/** More jobs of ours in a minute than the server would start. */
const MAX_PAGES = 50
const FIELDS = { fields: 'nextPageToken,jobs(jobReference,status/state,configuration/labels)' }

interface Search {
  fromMs: number
  readonly found: Promise<ReadonlyMap<string, readonly FoundJob[]>>
}

/**
 * Searches that are asked for while one runs share the next one, so that a thousand lost answers cost two lists. Every caller
 * may list the jobs that it has started (reference of jobs.list).
 */
export function createJobFinder({ client, clock, signal, onRetry }: JobFinderDeps): JobFinder {
  let next: Search | null = null
  let last: Promise<unknown> = Promise.resolve()

  return {
    async find(start, callerSignal) {
      const search = next ?? begin()
      search.fromMs = Math.min(search.fromMs, start.fromMs)
      return (await rejectOnAbort(search.found, callerSignal)).get(start.id) ?? []
    },
  }

  function begin(): Search {
    const search: Search = {
      fromMs: Infinity,
      found: last.then(() => {
        next = null
        return list(search.fromMs - CLOCK_SKEW_MS)
      }),
    }
    last = search.found.catch(() => {})
    next = search
    return search
  }

  async function list(fromMs: number): Promise<ReadonlyMap<string, readonly FoundJob[]>> {
    const until = clock.nowMs() + WITHIN_MS
    const listing = client({ until, attemptMs: ATTEMPT_MS, maxAttempts: MAX_ATTEMPTS, onRetry, signal })
    const found = new Map<string, FoundJob[]>()
    let query: GetJobsOptions | null | undefined = {
      minCreationTime: String(fromMs),
      projection: 'full',
      maxResults: PAGE_JOBS,
      ...FIELDS,
    }
    for (let pages = 1; pages <= MAX_PAGES && query; pages++) {
      const [jobs, next]: GetJobsResponse = await listing.getJobs(query)
      for (const { metadata } of jobs) add(found, metadata as RestJob)
      query = next
    }
    return found
  }
}

function add(found: Map<string, FoundJob[]>, { jobReference, configuration, status }: RestJob): void {
  const id = configuration?.labels?.[REQUEST_LABEL]
  if (id === undefined || !jobReference?.jobId) return
  const reference = { ...jobReference, jobId: jobReference.jobId }
  const job = { reference, hasEnded: status?.state === 'DONE' }
  found.set(id, [...(found.get(id) ?? []), job])
}
