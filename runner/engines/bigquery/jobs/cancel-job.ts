/** Cancels jobs on the server whose results are no longer wanted; it never starts one. */
import type { Clock } from '../../../model/ports.js'
import { type ClientWithin, jobOf } from '../client.js'
import { pause } from '../rest/abortable-wait.js'
import type { RestJobReference } from '../rest/messages.js'
import { isRetryable, type SendLimits } from '../rest/retry.js'
import type { FoundJob, JobFinder } from './find-jobs.js'
import type { JobStart } from './job-start.js'

/** A start whose job may still run. */
export interface JobToCancel {
  readonly start: JobStart
  /** The reference of its job; null where it is not known. */
  readonly reference: RestJobReference | null
  /** That job has ended. */
  readonly hasEnded: boolean
  /** It was sent again although its first job could not be found: there may be two. */
  readonly mayHaveTwin: boolean
}

export interface CancelDeps {
  readonly client: ClientWithin
  readonly finder: JobFinder
  readonly clock: Clock
  /** Ends the attempts. */
  readonly signal: AbortSignal
  readonly onRetry: SendLimits['onRetry']
  /** Called for each job that was asked to end. */
  readonly onCancelled: (jobId: string) => void
}

/** How long a cancellation is tried; the job's own timeout ends it at the latest. */
const CANCEL_WITHIN_MS = 60_000
const ATTEMPT_MS = 10_000
const MAX_ATTEMPTS = 20
/**
 * A request whose caller has left may still be on its way to the server: its job is looked for at once, and after each of
 * these pauses, which together last as long as a cancellation is tried.
 */
const PAUSES_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/** @throws BigQueryFailure, TransportError when the server could not be told in a minute; the signal's reason. */
export async function cancelJob(job: JobToCancel, deps: CancelDeps): Promise<void> {
  const { client, finder, clock, signal, onRetry, onCancelled } = deps
  const { start, reference, hasEnded, mayHaveTwin } = job
  const until = clock.nowMs() + CANCEL_WITHIN_MS
  const limits = { until, attemptMs: ATTEMPT_MS, maxAttempts: MAX_ATTEMPTS, onRetry, signal }
  if (reference !== null && !hasEnded) await cancel(reference)
  if (reference === null || mayHaveTwin) await cancelOthers()

  async function cancel(reference: RestJobReference): Promise<void> {
    await jobOf(client(limits), reference).cancel()
    onCancelled(reference.jobId)
  }

  async function cancelOthers(): Promise<void> {
    for (let looks = 0; ; looks++) {
      const isLast = looks === PAUSES_MS.length
      const others = await othersFound(isLast)
      for (const other of others) if (!other.hasEnded) await cancel(other.reference)
      if (isLast || others.length > 0) return
      await pause(PAUSES_MS[looks]!, signal, clock)
    }
  }

  async function othersFound(isLast: boolean): Promise<readonly FoundJob[]> {
    try {
      const found = await finder.find(start, signal)
      return found.filter(one => one.reference.jobId !== reference?.jobId)
    } catch (error) {
      if (isLast || !isRetryable(error)) throw error
      return []
    }
  }
}
