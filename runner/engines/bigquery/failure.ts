/** BigQuery's errors, and what their reasons mean. Source: "Error messages" of its documentation. */
import type { ErrorCode } from '../../model/error-codes.js'
import type { RestErrorProto } from './rest-messages.js'

/** An error of a request or a job, as BigQuery reports it. Its message, for the log, has the text, the reason, the status and the job. */
export class BigQueryFailure extends Error {
  override readonly name = 'BigQueryFailure'
  /** For example `invalidQuery`; '' where BigQuery gave no reason. */
  readonly reason: string
  /** BigQuery's own words. */
  readonly text: string
  /** The HTTP status; 200 where the answer reported a failed job. */
  readonly status: number
  /** From the answer's Retry-After; null without one. */
  readonly retryAfterSeconds: number | null
  /** The job that has failed, and so has ended; null for the failure of a request. */
  readonly jobId: string | null

  constructor(status: number, error: RestErrorProto, retryAfter: number | null = null, jobId: string | null = null) {
    const text = error.message ?? `status ${status}`
    const facts = [error.reason, `HTTP ${status}`, jobId && `job ${jobId}`].filter(Boolean)
    super(`${text} (${facts.join(', ')})`)
    this.text = text
    this.reason = error.reason ?? ''
    this.status = status
    this.retryAfterSeconds = retryAfter
    this.jobId = jobId
  }

  /** A copy with the id of the job that this failure has ended; the failure itself where it has an id. */
  withJobId(jobId: string): BigQueryFailure {
    const { status, reason, text: message, retryAfterSeconds } = this
    return this.jobId === null ? new BigQueryFailure(status, { reason, message }, retryAfterSeconds, jobId) : this
  }
}

/** The failure that an answer with a status of 300 or more reports. The answer may come from a proxy, with any body. */
export function failureOfAnswer(status: number, body: unknown, retryAfterSeconds: number | null): BigQueryFailure {
  const { errors, message } = (body as { error?: RestErrorProto & { errors?: readonly RestErrorProto[] } })?.error ?? {}
  const first = errors?.[0]
  const text = message ?? first?.message ?? `status ${status}`
  return new BigQueryFailure(status, { reason: first?.reason ?? '', message: text }, retryAfterSeconds)
}

interface Reason {
  readonly code: ErrorCode
  /** The documentation says: try again. */
  readonly isTransient?: true
  /** Only jobs fail for this reason, never requests: the job has ended. */
  readonly isJobFailure?: true
}

/** The error code of the service for each reason of BigQuery. */
export const REASONS: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ['accessDenied', { code: 'ENGINE_UNAVAILABLE' }],
  ['authError', { code: 'ENGINE_UNAVAILABLE' }],
  ['backendError', { code: 'ENGINE_UNAVAILABLE', isTransient: true }],
  ['billingNotEnabled', { code: 'ENGINE_UNAVAILABLE' }],
  ['billingTierLimitExceeded', { code: 'COST_LIMIT_EXCEEDED', isJobFailure: true }],
  ['blocked', { code: 'ENGINE_UNAVAILABLE' }],
  ['bytesBilledLimitExceeded', { code: 'COST_LIMIT_EXCEEDED', isJobFailure: true }],
  ['internalError', { code: 'ENGINE_UNAVAILABLE', isTransient: true }],
  ['invalidQuery', { code: 'QUERY_FAILED', isJobFailure: true }],
  ['jobBackendError', { code: 'ENGINE_UNAVAILABLE', isTransient: true, isJobFailure: true }],
  ['jobInternalError', { code: 'ENGINE_UNAVAILABLE', isTransient: true, isJobFailure: true }],
  ['jobRateLimitExceeded', { code: 'OVERLOADED', isTransient: true, isJobFailure: true }],
  ['notFound', { code: 'QUERY_FAILED' }],
  ['quotaExceeded', { code: 'OVERLOADED' }],
  ['rateLimitExceeded', { code: 'OVERLOADED', isTransient: true }],
  ['resourcesExceeded', { code: 'QUERY_FAILED', isJobFailure: true }],
  ['responseTooLarge', { code: 'RESULT_TOO_LARGE', isJobFailure: true }],
  // BigQuery gives this reason for a cancelled job, and for one that has reached its own timeout.
  ['stopped', { code: 'QUERY_FAILED', isJobFailure: true }],
  ['tableUnavailable', { code: 'ENGINE_UNAVAILABLE', isTransient: true, isJobFailure: true }],
  ['timeout', { code: 'QUERY_TIMEOUT', isJobFailure: true }],
])
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
/** The status of answers about a job that was cancelled. */
const CANCELLED = 499

/** Whether a retry may succeed: the same request again, or, where the job has ended, another job. */
export function isTransient({ reason, status }: BigQueryFailure): boolean {
  const { isTransient = false, isJobFailure = false } = REASONS.get(reason) ?? {}
  // Some reasons that are not transient come with a status of 500, such as bytesBilledLimitExceeded.
  return isTransient || (TRANSIENT_STATUSES.has(status) && reason !== 'quotaExceeded' && !isJobFailure)
}

/** Whether the job has failed, rather than the request that asks about the job. */
export const isJobFailure = ({ reason, status }: BigQueryFailure): boolean =>
  REASONS.get(reason)?.isJobFailure === true || status === 400 || status === CANCELLED
