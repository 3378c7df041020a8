/** Sends a request again, after a pause, while its failure is transient and there is time. */
import { type Backoff, pauseAfter } from '../../../model/backoff.js'
import type { Clock } from '../../../model/ports.js'
import { pause } from './abortable-wait.js'
import { BigQueryFailure, failureOfAnswer, isOfJob, isTransient } from './failure.js'
import { type RestCall, type Transport, TransportError } from './transport.js'

export interface Sender {
  /**
   * The body of a successful answer. Send only idempotent requests, or requests that `beforeRetry` makes safe to repeat.
   * @throws BigQueryFailure, TransportError: the last failure, when it is not transient or the attempts or the time are
   *   used up; the signal's reason as soon as it fires; what `beforeRetry` throws.
   */
  send(call: RestCall, limits: SendLimits): Promise<unknown>
}

export interface SendLimits {
  /** Milliseconds since 1970; no attempt begins after it. */
  readonly until: number
  /** How long one attempt may go without an answer, in milliseconds, before it is given up and made again. */
  readonly attemptMs: number
  /** @default 6 */
  readonly maxAttempts?: number
  readonly onRetry: (reason: string, pauseMs: number) => void
  /** Called when it is not known whether the server has done what it was asked. */
  readonly onUnknown?: () => void
  /**
   * Called before each retry. It prevents the retry by throwing, or by resolving to a body, which is then the result;
   * undefined lets the retry go on.
   */
  readonly beforeRetry?: (failure: Error) => Promise<unknown>
}

export interface SenderDeps {
  readonly transport: Transport
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
}

const MAX_ATTEMPTS = 6
/** As Google advises for requests. */
export const RETRY: Backoff = { firstMs: 200, longestMs: 8_000, jitter: 0.5 }

export function createSender({ transport, clock, random }: SenderDeps): Sender {
  return {
    async send(call, { until, attemptMs, maxAttempts = MAX_ATTEMPTS, onRetry, onUnknown, beforeRetry }) {
      for (let attempt = 1; ; attempt++) {
        call.signal.throwIfAborted()
        const outcome = await attemptOnce(call, attemptMs)
        if (!('error' in outcome)) return outcome.body
        const { error } = outcome
        if (isUnknown(error)) onUnknown?.()
        call.signal.throwIfAborted()
        const pauseMs = pauseBefore(attempt, error, random())
        if (!isRetryable(error) || attempt >= maxAttempts || clock.nowMs() + pauseMs >= until) throw error
        const instead = await beforeRetry?.(error)
        if (instead !== undefined) return instead
        onRetry(error.message, pauseMs)
        await pause(pauseMs, call.signal, clock)
      }
    },
  }

  async function attemptOnce(
    call: RestCall,
    attemptMs: number,
  ): Promise<{ readonly body: unknown } | { readonly error: Failure }> {
    const attempt = new AbortController()
    const follow = (): void => attempt.abort(call.signal.reason)
    call.signal.addEventListener('abort', follow, { once: true })
    const cancelTimer = clock.after(attemptMs, () => attempt.abort(new TransportError('no answer in time')))
    try {
      const answer = await transport.send({ ...call, signal: attempt.signal })
      return answer.status < 300 ? { body: answer.body } : { error: failureOfAnswer(answer) }
    } catch (error) {
      return { error: error instanceof TransportError ? error : new TransportError(String(error), { cause: error }) }
    } finally {
      cancelTimer()
      call.signal.removeEventListener('abort', follow)
    }
  }
}

type Failure = BigQueryFailure | TransportError

/** Whether the same request may succeed when it is sent again. For a failed job it would only find the same failure. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof TransportError) return error.isTransient
  return error instanceof BigQueryFailure && isTransient(error) && !isOfJob(error)
}

/** An answer of 5xx may come from a proxy that lost the server's answer. */
function isUnknown(error: Failure): boolean {
  return error instanceof TransportError ? error.wasSent : error.status >= 500 || error.status === 408
}

/** The first retry after a broken connection follows at once: servers close idle connections. */
function pauseBefore(attempt: number, error: Failure, random: number): number {
  if (error instanceof BigQueryFailure && error.retryAfterSeconds !== null) return error.retryAfterSeconds * 1000
  if (attempt === 1 && error instanceof TransportError && error.wasSent) return 0
  return pauseAfter(attempt, RETRY, random)
}
