/** The catalogue of errors that callers can meet. Codes are never renamed and never used again for something else. */
export const ERROR_CODES = {
  ARGUMENT_INVALID: { status: 400, title: 'Invalid arguments' },
  REQUEST_INVALID: { status: 400, title: 'Invalid request' },
  TOKEN_MISSING: { status: 401, title: 'A token is needed' },
  TOKEN_UNKNOWN: { status: 401, title: 'Unknown or expired token' },
  TOKEN_NOT_ALLOWED: { status: 403, title: 'The token does not allow this call' },
  ENDPOINT_UNKNOWN: { status: 404, title: 'No such endpoint' },
  NOT_FOUND: { status: 404, title: 'Nothing here' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  NOT_ACCEPTABLE: { status: 406, title: 'No acceptable representation' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long to arrive' },
  BODY_TOO_LARGE: { status: 413, title: 'Request body too large' },
  URI_TOO_LONG: { status: 414, title: 'Request address too long' },
  BODY_TYPE_UNSUPPORTED: { status: 415, title: 'Unsupported request body' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  HEADERS_TOO_LARGE: { status: 431, title: 'Request headers too large' },
  CALL_ABANDONED: { status: 499, title: 'The caller went away' },
  INTERNAL: { status: 500, title: 'Internal error' },
  QUERY_FAILED: { status: 502, title: 'The query failed' },
  ENGINE_UNAVAILABLE: { status: 502, title: 'The engine is not available' },
  OVERLOADED: { status: 503, title: 'Too busy' },
  DRAINING: { status: 503, title: 'Shutting down' },
  NOT_READY: { status: 503, title: 'Not ready' },
  QUERY_TIMEOUT: { status: 504, title: 'The query timed out' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof ERROR_CODES
