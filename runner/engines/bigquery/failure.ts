/** BigQuery's error answers, and what they say about the request and its job. Source: "Error messages" of its documentation. */
import type { RestErrorProto } from './messages.js'

export interface FailureFacts {
  /** From the answer's Retry-After; null without one. */
  readonly retryAfterSeconds?: number | null
  /** Null where it is not known. */
  readonly jobId?: string | null
}

/** An error of a request or a job, as BigQuery reports it. The message holds all its facts, for the log. */
export class BigQueryFailure extends Error {
  override readonly name = 'BigQueryFailure'
  /** `invalidQuery`; '' where none was given. */
  readonly reason: string
  /** BigQuery's own words. */
  readonly text: string
  /** The HTTP status; 200 where the answer reported a failed job. */
  readonly status: number
  readonly retryAfterSeconds: number | null

  constructor(status: number, error: RestErrorProto, { retryAfterSeconds = null, jobId = null }: FailureFacts = {}) {
    const text = error.message ?? `status ${status}`
    const facts = [error.reason, `HTTP ${status}`, jobId && `job ${jobId}`].filter(Boolean)
    super(`${text} (${facts.join(', ')})`)
    this.text = text
    this.reason = error.reason ?? ''
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The job itself failed, so it has ended. */
export class JobEndedFailure extends BigQueryFailure {
  constructor({ status, reason, text, retryAfterSeconds }: BigQueryFailure, jobId: string | null) {
    super(status, { reason, message: text }, { retryAfterSeconds, jobId })
  }
}

/** The failure that an answer with a status of 300 or more reports. A proxy may have given it, with any body. */
export function failureOfAnswer(status: number, body: unknown, retryAfterSeconds: number | null): BigQueryFailure {
  const { errors, message } = (body as { error?: RestErrorProto & { errors?: readonly RestErrorProto[] } })?.error ?? {}
  const first = errors?.[0]
  const text = message ?? first?.message ?? `status ${status}`
  return new BigQueryFailure(status, { reason: first?.reason ?? '', message: text }, { retryAfterSeconds })
}

/** Reasons for which the documentation says: try again. */
const TRANSIENT_REASONS: ReadonlySet<string> = new Set([
  'backendError',
  'internalError',
  'jobBackendError',
  'jobInternalError',
  'jobRateLimitExceeded',
  'rateLimitExceeded',
  'tableUnavailable',
])
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

/** Reasons for which only a job fails; that job has ended. */
const JOB_REASONS: ReadonlySet<string> = new Set([
  'billingTierLimitExceeded',
  'bytesBilledLimitExceeded',
  'invalidQuery',
  'jobBackendError',
  'jobInternalError',
  'jobRateLimitExceeded',
  'resourcesExceeded',
  'responseTooLarge',
  'stopped',
  'tableUnavailable',
  'timeout',
])

/** Whether a retry may succeed: the same request again, or another job where this one has ended. */
export function isTransient({ reason, status }: BigQueryFailure): boolean {
  if (TRANSIENT_REASONS.has(reason)) return true
  // Some lasting reasons come with a status of 500: bytesBilledLimitExceeded does.
  return TRANSIENT_STATUSES.has(status) && reason !== 'quotaExceeded' && !JOB_REASONS.has(reason)
}

/** Whether the job failed, and not the request that asks about it. */
export function isOfJob({ reason, status }: BigQueryFailure): boolean {
  return JOB_REASONS.has(reason) || status === 400 || status === CANCELLED
}

/** The status of answers about a job that was cancelled. */
const CANCELLED = 499
