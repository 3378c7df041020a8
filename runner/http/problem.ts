/** Builds `application/problem+json` (RFC 9457); no other file does. */

import { diagnosticLine, plainDiagnostic } from '../model/diagnostic.js'
import { ERROR_CODES } from '../model/error-codes.js'
import type { RunnerError } from '../model/errors.js'
import { problemType } from '../model/explain-problem.js'
import { QueryFault } from '../model/query-fault.js'

/** The Retry-After of a 503, in seconds, where the error has none. */
const RETRY_AFTER_SECONDS = '5'

/**
 * The problem for an error; `instance` holds the request id, which is also in the log. Only with `isForAuthors` does it
 * show the mistake in the endpoint.
 */
export function problemOf(error: RunnerError, requestId: string, isForAuthors = false) {
  const { status, title } = ERROR_CODES[error.code]
  const document = {
    type: problemType(error.code),
    title,
    status,
    detail: isForAuthors ? authorsDetail(error) : error.detail,
    instance: `urn:request:${requestId}`,
    code: error.code,
    ...(error.errors.length > 0 && { errors: error.errors }),
    ...(isForAuthors && error.diagnostics.length > 0 && { diagnostics: error.diagnostics.map(plainDiagnostic) }),
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

/** The mistake in the endpoint, with its place where it is known. */
function authorsDetail({ detail, diagnostics, cause }: RunnerError): string {
  if (diagnostics.length > 0) return diagnostics.map(diagnosticLine).join('\n')
  return cause instanceof QueryFault ? cause.message : detail
}
