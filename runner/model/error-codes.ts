/**
 * The catalogue of errors that callers can meet. Codes are never renamed and never used again for something else. `when` is
 * Markdown for docs/reference/errors.md, which `npm run generate` writes.
 */
export const ERROR_CODES = {
  ARGUMENT_INVALID: {
    status: 400,
    title: 'Invalid arguments',
    when: 'An argument is missing, has the wrong type or breaks a constraint. `errors` names every such argument.',
  },
  REQUEST_INVALID: {
    status: 400,
    title: 'Invalid request',
    when: 'The request is not valid HTTP, or its address, encoding or body is broken. In an address `é` is written `%C3%A9`.',
  },
  TOKEN_MISSING: { status: 401, title: 'A token is needed', when: 'No token was sent.' },
  TOKEN_UNKNOWN: { status: 401, title: 'Unknown or expired token', when: 'The token is unknown, revoked or expired.' },
  TOKEN_NOT_ALLOWED: {
    status: 403,
    title: 'The token does not allow this call',
    when: 'The token may not call this endpoint, or is pinned to another value.',
  },
  ENDPOINT_UNKNOWN: {
    status: 404,
    title: 'No such endpoint',
    when: 'No endpoint has this name or id. Callers without a valid token get a 401 instead.',
  },
  NOT_FOUND: { status: 404, title: 'Nothing here', when: 'Nothing is at this address.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    when: 'The address does not take this method. `Allow` lists the methods that it takes.',
  },
  NOT_ACCEPTABLE: {
    status: 406,
    title: 'No acceptable representation',
    when: '`format`, `Accept` or `Accept-Encoding` asks for something that is not offered. `detail` lists what is.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: 'The request took too long to arrive',
    when: 'The request did not arrive completely within 30 seconds.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    title: 'Precondition failed',
    when: '`If-Match` names another result than the current one.',
  },
  BODY_TOO_LARGE: { status: 413, title: 'Request body too large', when: 'The body has more than 1 MiB.' },
  URI_TOO_LONG: {
    status: 414,
    title: 'Request address too long',
    when: 'The address has more than 16,384 characters. Send long arguments in a POST body.',
  },
  BODY_TYPE_UNSUPPORTED: {
    status: 415,
    title: 'Unsupported request body',
    when: 'The body is neither JSON nor a form, is compressed, or is not UTF-8.',
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    title: 'Range not satisfiable',
    when: '`Range` begins after the end of the result. `Content-Range` has the number of its bytes.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    title: 'Expectation failed',
    when: '`Expect` asks for something other than `100-continue`.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    when: 'The token has used up its rate. `Retry-After` says when to ask again.',
  },
  BUDGET_EXCEEDED: {
    status: 429,
    title: 'The budget is used up',
    when: 'The token has used up its `--bytes-per-day`. `Retry-After` says how many seconds are left until midnight in UTC.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'Request headers too large',
    when: 'The request line and the headers have more than 128 KiB.',
  },
  CALL_ABANDONED: {
    status: 499,
    title: 'The caller went away',
    when: 'The caller left before the answer. Only the log and the metrics have this code.',
  },
  INTERNAL: {
    status: 500,
    title: 'Internal error',
    when: "A bug in Sluice, or in the app around its listener. The log has the cause under the request's id.",
  },
  QUERY_FAILED: {
    status: 502,
    title: 'The query failed',
    when: 'The engine rejected the query or could not finish it. The log has the cause.',
  },
  COST_LIMIT_EXCEEDED: {
    status: 502,
    title: 'The query would cost too much',
    when: 'BigQuery would bill more bytes for the query than the manifest or the server allows.',
  },
  RESULT_TOO_LARGE: {
    status: 502,
    title: 'The result is too large',
    when: 'The result has more bytes than `max_result_bytes` or `--max-result` allow, or more than twice as many in another format. Ask for less.',
  },
  CONTRACT_BROKEN: {
    status: 502,
    title: 'The result breaks its contract',
    when: 'A value is NULL in a column that is `required`, or is a number that `json: number` cannot have. The log names column and row.',
  },
  ENGINE_UNAVAILABLE: {
    status: 502,
    title: 'The engine is not available',
    when: "The engine's process cannot be started, or died twice while it ran this query.",
  },
  OVERLOADED: {
    status: 503,
    title: 'Too busy',
    when: 'Too many queries run or wait already. `Retry-After` says when to ask again.',
  },
  DRAINING: {
    status: 503,
    title: 'Shutting down',
    when: 'The process is shutting down. `Retry-After` says when to ask again.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    title: 'The shared results store is not available',
    when: 'A purge has not reached the shared store. `Retry-After` says when to ask again.',
  },
  NOT_READY: {
    status: 503,
    title: 'Not ready',
    when: 'The engine does not answer, or its data folder is missing. Only `/readyz` says so.',
  },
  QUERY_TIMEOUT: {
    status: 504,
    title: 'The query timed out',
    when: 'The query took longer than `timeout_seconds`, the wait for its turn included.',
  },
} as const satisfies Record<string, { status: number; title: string; when: string }>

export type ErrorCode = keyof typeof ERROR_CODES
