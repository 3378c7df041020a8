/** Cancels jobs on the server whose results are no longer wanted, and learns what they were billed for; it never starts one. */
import { pause } from '../../../model/deadline.js'
import { BigQueryFailure } from '../failure.js'
import type { RestJob, RestJobReference } from '../messages.js'
import type { RestDeps } from '../rest.js'

/** A job that may still run although its result is not wanted. */
export interface UnseenJob {
  readonly reference: RestJobReference
  /** The server has said that it is there; otherwise its start may be still on its way, or may have had no effect. */
  readonly isKnown: boolean
}

/** How long a cancellation is tried; the job's own timeout ends it at the latest. */
const CANCEL_WITHIN_MS = 60_000
const ATTEMPT_MS = 10_000
const MAX_ATTEMPTS = 20
/**
 * A request whose caller has left may still be on its way to the server: its job is cancelled at once, and where the server does
 * not know it, after each of these pauses, which together last as long as a cancellation is tried.
 */
const PAUSES_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/**
 * Whether there was such a job.
 * @throws BigQueryFailure, TransportError when the server could not be told in a minute; the signal's reason.
 */
export async function cancelJob({ reference, isKnown }: UnseenJob, deps: RestDeps): Promise<boolean> {
  const { rest, clock, signal, onRetry } = deps
  const call = { method: 'POST', path: `${jobPath('jobs', reference)}/cancel`, query: locationOf(reference) } as const
  const limits = limitsFrom(clock.nowMs())
  for (const pauseMs of [...PAUSES_MS, null]) {
    try {
      await rest.send(call, { ...limits, onRetry, signal })
      return true
    } catch (error) {
      if (isKnown || !(error instanceof BigQueryFailure) || error.status !== NOT_FOUND) throw error
      if (pauseMs !== null) await pause(pauseMs, signal, clock)
    }
  }
  return false
}

const NOT_FOUND = 404

/** A job that was cancelled may take a while to end; what it is billed for is known then. */
const BILL_PAUSES_MS: readonly number[] = [0, 1_000, 5_000, 20_000, 60_000]

/** The bytes that a cancelled job was billed for; 0 where the server does not say. @throws as cancelJob does. */
export async function billedBytes(reference: RestJobReference, deps: RestDeps): Promise<number> {
  const { rest, clock, signal, onRetry } = deps
  const call = { method: 'GET', path: jobPath('jobs', reference), query: locationOf(reference) } as const
  for (const pauseMs of BILL_PAUSES_MS) {
    await pause(pauseMs, signal, clock)
    const limits = limitsFrom(clock.nowMs())
    const { status, statistics } = (await rest.send(call, { ...limits, onRetry, signal })) as RestJob
    if (status?.state === 'DONE') return Number(statistics?.query?.totalBytesBilled ?? 0)
  }
  return 0
}

const limitsFrom = (nowMs: number) =>
  ({ until: nowMs + CANCEL_WITHIN_MS, attemptMs: ATTEMPT_MS, maxAttempts: MAX_ATTEMPTS }) as const

/** The place of the job, as a request about it has it. */
export const locationOf = ({ location }: RestJobReference): { readonly location?: string } =>
  location === undefined ? {} : { location }

/** The job's resource, or the results of its query. */
export const jobPath = (kind: 'jobs' | 'queries', { projectId, jobId }: RestJobReference): string =>
  `projects/${encodeURIComponent(projectId)}/${kind}/${encodeURIComponent(jobId)}`
