/** Turns failures of requests, jobs and answers into the errors that callers and authors get. */
import { offsetOf, type SqlProblem } from '../../../googlesql/index.js'
import { CLOSED, TIMED_OUT } from '../../model/deadline.js'
import type { ErrorCode } from '../../model/error-codes.js'
import { RunnerError } from '../../model/errors.js'
import type { Query } from '../../model/query.js'
import { QueryFault } from '../../model/query-fault.js'
import { BodyTooLargeError } from '../../result/body.js'
import { BrokenContractError } from '../../result/broken-contract.js'
import { BigQueryFailure, REASONS } from './failure.js'
import { TransportError } from './rest.js'

/** The error for callers, which says nothing about SQL and tables. Its cause, which only the log gets, has all details. */
export function runnerErrorOf(error: unknown, query: Query, signal: AbortSignal): RunnerError {
  if (error instanceof RunnerError) return error
  if (signal.aborted) return errorOfAbort(signal.reason)
  if (error instanceof BigQueryFailure) return errorOfFailure(error, query)
  const isTooLarge = error instanceof BodyTooLargeError
  if (isTooLarge || error instanceof BrokenContractError) {
    return new RunnerError(isTooLarge ? 'RESULT_TOO_LARGE' : 'CONTRACT_BROKEN', {
      cause: new QueryFault(error.message),
    })
  }
  if (error instanceof TransportError) return new RunnerError('ENGINE_UNAVAILABLE', { cause: error })
  return new RunnerError('QUERY_FAILED', { cause: error })
}

function errorOfAbort(reason: unknown): RunnerError {
  if (reason === TIMED_OUT) return new RunnerError('QUERY_TIMEOUT')
  if (reason === CLOSED) return new RunnerError('ENGINE_UNAVAILABLE', { cause: new TransportError('engine closed') })
  return new RunnerError('CALL_ABANDONED')
}

function errorOfFailure(failure: BigQueryFailure, query: Query): RunnerError {
  const code = codeOf(failure)
  const retry = Math.max(1, failure.retryAfterSeconds ?? 1)
  return new RunnerError(code, {
    cause:
      code === 'QUERY_FAILED'
        ? new QueryFault(failure.message, {
            cause: failure,
            offset: offsetIn(query.sql, failure),
            unplaced: failure.message.replace(/(?<!\s)\s*\bat \[\d+:\d+\]/g, ''),
          })
        : failure,
    ...(code === 'OVERLOADED' && { headers: { 'Retry-After': String(retry) } }),
  })
}

/** The code for BigQuery's reason; for a reason that is not in the table, the code for the HTTP status. */
function codeOf({ reason, status, text }: BigQueryFailure): ErrorCode {
  if (reason === 'stopped' && /timed? ?out/i.test(text)) return 'QUERY_TIMEOUT'
  const code = REASONS.get(reason)?.code
  if (code !== undefined) return code
  if (status === 429) return 'OVERLOADED'
  if (status >= 500 || status === 401 || status === 403) return 'ENGINE_UNAVAILABLE'
  // BigQuery's own errors have a reason. Without one, a proxy has answered, or the address is wrong.
  return reason === '' && status !== 200 && status !== 400 ? 'ENGINE_UNAVAILABLE' : 'QUERY_FAILED'
}

/** The offset of the place that BigQuery's message names; null where it names none, as with most failures caused by data. */
function offsetIn(sql: string, { text }: BigQueryFailure): number | null {
  const place = PLACE.exec(text)
  return place && offsetOf(sql, { line: Number(place[1]), column: Number(place[2]) })
}

/** The last place in a message. Most end with it, but not `Query error: Division by zero at [3:14]; error in …`. */
const PLACE = /\bat \[(\d+):(\d+)\](?!.*\bat \[\d+:\d+\])/s

/** The failure as a message and its place in the query, from `Unrecognized name: stauts at [3:12]`. */
export function sqlProblemOf(failure: BigQueryFailure): SqlProblem {
  // A diagnostic is one line.
  const text = failure.text.trim().replace(/(?<!\s)\s*\n\s*/g, ' ')
  const place = /(?<!\s)\s*at \[(\d+):(\d+)\]\s*$/.exec(text)
  if (!place) return { line: 1, column: 1, message: text }
  return { line: Number(place[1]), column: Number(place[2]), message: text.slice(0, place.index) }
}
