/** Turns failures of the engine into RunnerErrors. */
import { SqlError } from '../../../googlesql/index.js'
import { abortError } from '../../model/deadline.js'
import { invalidArguments, RunnerError } from '../../model/errors.js'
import { QueryFault } from '../../model/query-fault.js'
import type { Failure } from './process/messages.js'
import { EngineDiedError, RequestFailure } from './process/request-queue.js'

/** The RunnerError for a failure; `signal` is the signal that the query was run with. */
export function runnerError(error: unknown, signal?: AbortSignal): RunnerError {
  if (error instanceof RunnerError) return error
  if (error instanceof SqlError) {
    return new RunnerError('QUERY_FAILED', {
      cause: new QueryFault(error.message, { cause: error, offset: error.offset, unplaced: error.reason }),
    })
  }
  if (error instanceof RequestFailure) return errorOfFailure(error.failure, signal)
  if (error instanceof EngineDiedError) return new RunnerError('ENGINE_UNAVAILABLE', { cause: error })
  return new RunnerError('INTERNAL', { cause: error })
}

function errorOfFailure(failure: Failure, signal: AbortSignal | undefined): RunnerError {
  switch (failure.kind) {
    case 'query':
      return new RunnerError('QUERY_FAILED', {
        cause: new QueryFault(failure.message, { cause: failure.cause, kind: failure.reason }),
      })
    case 'javascript-time':
      return new RunnerError('QUERY_FAILED', {
        detail: 'The JavaScript functions of the query took too long.',
        cause: new QueryFault(failure.message),
      })
    case 'engine':
      return new RunnerError('QUERY_FAILED', { cause: new QueryFault('The query failed', { cause: failure.cause }) })
    case 'too-large': {
      const message = `The result is larger than ${sizeText(failure.maxBytes)}`
      return new RunnerError('RESULT_TOO_LARGE', {
        detail: `${message}; ask for less.`,
        cause: new QueryFault(message),
      })
    }
    case 'argument':
      return invalidArguments(failure.errors, { cause: failure.cause })
    case 'contract':
      return new RunnerError('CONTRACT_BROKEN', { cause: new QueryFault(failure.message) })
    case 'disruptive':
      return new RunnerError('ENGINE_UNAVAILABLE', { cause: new EngineDiedError(failure.cause) })
    case 'interrupted':
      return abortError(signal)
    default:
      return failure satisfies never
  }
}

const BYTES_PER_MB = 1_000_000

const sizeText = (bytes: number): string =>
  bytes % BYTES_PER_MB === 0 ? `${bytes / BYTES_PER_MB} MB` : `${bytes} bytes`
