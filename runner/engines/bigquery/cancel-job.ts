/** Ends jobs on the server that nobody waits for any more. */
import type { Clock } from '../../model/ports.js'
import { BigQueryFailure, isOfJob } from './failure.js'
import type { JobStart } from './job-start.js'
import type { RestJobReference, RestQueryResponse } from './rest.js'
import type { Sender, SendLimits } from './send-again.js'

/** A job that may be running: its reference where it is known, and the request that finds it where it is not. */
export interface AbandonedJob {
  readonly reference: RestJobReference | null
  readonly start: JobStart
}

export interface CancelDeps {
  readonly sender: Sender
  readonly clock: Clock
  /** Gives up. */
  readonly signal: AbortSignal
  readonly onRetry: SendLimits['onRetry']
}

/** How long a cancellation is tried; the job's own timeout ends it at the latest. */
const CANCEL_WITHIN_MS = 60_000
const ATTEMPT_MS = 10_000
const MAX_ATTEMPTS = 20

/**
 * The id of the job that was asked to end; null when it had ended already.
 * @throws BigQueryFailure, TransportError when the server could not be told in a minute; the signal's reason.
 */
export async function cancelJob(job: AbandonedJob, deps: CancelDeps): Promise<string | null> {
  const { sender, clock, signal, onRetry } = deps
  const until = clock.nowMs() + CANCEL_WITHIN_MS
  const limits: SendLimits = { until, attemptMs: ATTEMPT_MS, maxAttempts: MAX_ATTEMPTS, onRetry }
  const reference = job.reference ?? (await findJob())
  if (reference === null) return null
  const { projectId, jobId, location } = reference
  const path = `projects/${encodeURIComponent(projectId)}/jobs/${encodeURIComponent(jobId)}/cancel`
  const query = location === undefined ? {} : { location }
  await sender.send({ method: 'POST', path, query, signal }, limits)
  return jobId

  /**
   * The same start finds the same job, whether its first answer was lost or is still on its way. Should the first
   * request never have arrived, this one starts what is cancelled next.
   */
  async function findJob(): Promise<RestJobReference | null> {
    try {
      return runningJob(job.start.read(await sender.send({ ...job.start.call(0), signal }, limits)))
    } catch (error) {
      const found = job.start.found(error)
      if (found) return runningJob(found)
      if (error instanceof BigQueryFailure && isOfJob(error)) return null
      throw error
    }
  }
}

function runningJob({ jobComplete, jobReference }: RestQueryResponse): RestJobReference | null {
  return jobComplete === true ? null : (jobReference ?? null)
}
