/** Cancels jobs whose results are no longer wanted, and asks what they were billed for. */
import { pause } from '../../../model/deadline.js'
import { BigQueryFailure } from '../failure.js'
import type { RestDeps } from '../rest.js'
import type { RestJob, RestJobReference } from '../rest-messages.js'

/** A job that may still run although its result is no longer wanted. */
export interface UnwantedJob {
  readonly reference: RestJobReference
  /** Whether the server has said that the job is there. Otherwise its start may still be on its way, or may have had no effect. */
  readonly isKnown: boolean
}

/** For how long a cancellation is tried. If it fails, the job still ends at its own timeout. */
const CANCEL_WITHIN_MS = 60_000
const ATTEMPT_MS = 10_000
const MAX_ATTEMPTS = 20
/**
 * The pauses between cancellations of a job that the server does not know: the request that starts it may still be on its way. Together
 * they last as long as a cancellation is tried.
 */
const PAUSES_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/**
 * Returns whether the server has the job.
 * @throws BigQueryFailure, TransportError when the cancellation has not reached the server within a minute; the signal's reason.
 */
export async function cancelJob({ reference, isKnown }: UnwantedJob, deps: RestDeps): Promise<boolean> {
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

/** The pauses before a cancelled job is asked for its bill, which is known only when the job has ended. */
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

/** The parameter of a request that says where the job runs. */
export const locationOf = ({ location }: RestJobReference): { readonly location?: string } =>
  location === undefined ? {} : { location }

/** The path of the job itself (`jobs`), or of the results of its query (`queries`). */
export const jobPath = (kind: 'jobs' | 'queries', { projectId, jobId }: RestJobReference): string =>
  `projects/${encodeURIComponent(projectId)}/${kind}/${encodeURIComponent(jobId)}`
