/** Builds `application/problem+json` (RFC 9457); no other file does. */
import { ERROR_CODES, type ErrorCode } from '../model/error-codes.js'
import type { RunnerError } from '../model/errors.js'

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

/** The address that explains the code: `/problems/argument-invalid`. */
function problemType(code: ErrorCode): string {
  return `/problems/${code.toLowerCase().replaceAll('_', '-')}`
}

/** The explanation of a code, served at its `type`; undefined for an unknown code. */
export function explainProblem(name: string): Readonly<Record<string, unknown>> | undefined {
  const code = (Object.keys(ERROR_CODES) as ErrorCode[]).find(known => problemType(known) === `/problems/${name}`)
  if (code === undefined) return undefined
  const { status, title } = ERROR_CODES[code]
  return { type: problemType(code), code, status, title }
}
