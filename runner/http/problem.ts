/** Builds `application/problem+json` (RFC 9457); no other file does. */
import { ERROR_CODES } from '../model/error-codes.js'
import type { RunnerError } from '../model/errors.js'
import { problemType } from '../model/explain-problem.js'

/** A finished error response. */
export interface Problem {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The Retry-After of a 503, in seconds, where the error has none. */
const RETRY_AFTER_SECONDS = '5'

/** The problem for an error; `instance` holds the request id, which is also in the log. */
export function problemOf(error: RunnerError, requestId: string): Problem {
  const { status, title } = ERROR_CODES[error.code]
  const document = {
    type: problemType(error.code),
    title,
    status,
    detail: error.detail,
    instance: `urn:request:${requestId}`,
    code: error.code,
    ...(error.errors.length > 0 && { errors: error.errors }),
  }
  const body = Buffer.from(JSON.stringify(document))
  const headers = {
    'Content-Type': 'application/problem+json',
    'Content-Length': String(body.byteLength),
    'Cache-Control': 'no-store',
    ...(status === 503 && { 'Retry-After': RETRY_AFTER_SECONDS }),
    ...error.headers,
  }
  return { status, headers, body }
}
