/** What an error code means. `what` and `remedy` are Markdown, in which only code is marked. */
export interface ErrorText {
  readonly status: number
  readonly title: string
  /** What happened. */
  readonly what: string
  /**
   * Whose fault it is: `caller`, who called; `author`, who wrote the endpoint; `operator`, who runs the server; `program`, a
   * bug. @default caller
   */
  readonly fault?: 'caller' | 'author' | 'operator' | 'program'
  /** What to do. */
  readonly remedy: string
}

/**
 * The catalogue of errors that callers can meet. Codes are never renamed and never used again for something else.
 * `GET /problems/<code>` and docs/reference/errors.md, which `npm run generate` writes, have these texts.
 */
export const ERROR_CODES = {
  ARGUMENT_INVALID: {
    status: 400,
    title: 'Invalid arguments',
    what: 'An argument is missing, has the wrong type, breaks a constraint or makes the query fail by itself. `errors` names every such argument.',
    remedy: 'Correct the arguments that `errors` names; the description of the endpoint says what each takes.',
  },
  REQUEST_INVALID: {
    status: 400,
    title: 'Invalid request',
    what: 'The request is not valid HTTP, or its address, encoding or body is broken. In an address `é` is written `%C3%A9`.',
    remedy: 'Correct the request. Most libraries for HTTP encode addresses and bodies by themselves.',
  },
  TOKEN_MISSING: {
    status: 401,
    title: 'A token is needed',
    what: 'No token was sent.',
    remedy: 'Send the token as `X-API-KEY`, or as `Authorization: Bearer`, never in the address.',
  },
  TOKEN_UNKNOWN: {
    status: 401,
    title: 'Unknown or expired token',
    what: 'The token is unknown, revoked or expired.',
    remedy: 'Ask the operator for another token. Asking again with the same one does not help.',
  },
  TOKEN_NOT_ALLOWED: {
    status: 403,
    title: 'The token does not allow this call',
    what: 'The token may not call this endpoint, pins no tenant, pins an argument to another value than the call has, or lacks `--export`. If its `--allow` does not match the name, the answer is the same whether or not the endpoint exists.',
    remedy:
      'Leave out the arguments that the token pins, or ask the operator for a token that allows this call. The log of the server has the reason.',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    title: 'The origin is not allowed',
    what: 'A page of another origin has called `/mcp`. `--public-url` and `--cors-origins` say which origins may.',
    remedy: 'Call from the address of the server itself, or ask the operator to add the origin to `--cors-origins`.',
  },
  ENDPOINT_UNKNOWN: {
    status: 404,
    title: 'No such endpoint',
    what: 'No endpoint has this name or id.',
    remedy: 'Look for the name in `GET /api/endpoints`. It may have been renamed or removed.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'Nothing here',
    what: 'Nothing is at this address.',
    remedy: 'Correct the address. Endpoints are below `/api/endpoints/query/`.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    what: 'The address does not take this method.',
    remedy: 'Use one of the methods that the header `Allow` lists.',
  },
  NOT_ACCEPTABLE: {
    status: 406,
    title: 'No acceptable representation',
    what: '`format`, `Accept` or `Accept-Encoding` asks for a format or an encoding that this address does not have. `detail` lists those that it has.',
    remedy: 'Ask for one of the formats that `detail` lists, or leave the choice out for JSON.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: 'The request took too long to arrive',
    what: 'The request did not arrive completely within 30 seconds.',
    remedy: 'Send the request again. If that fails too, look for what slows the connection down.',
  },
  PAGE_GONE: {
    status: 410,
    title: 'The pages are gone',
    what: '`cursor` belongs to a result that is no longer stored, and the query now gives a different result: the data or the endpoint has changed.',
    remedy: 'Begin again with the first page: send `page_size` without `cursor`.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    title: 'Precondition failed',
    what: '`If-Match` names another result than the current one.',
    remedy: 'Ask again without `If-Match`, and go on with the new result.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    title: 'Request body too large',
    what: 'The body has more than 1 MiB.',
    remedy: 'Send fewer or shorter arguments, in several calls if need be.',
  },
  URI_TOO_LONG: {
    status: 414,
    title: 'Request address too long',
    what: 'The address has more than 16,384 characters.',
    remedy: 'Send the arguments in the body of a POST to the same address.',
  },
  BODY_TYPE_UNSUPPORTED: {
    status: 415,
    title: 'Unsupported request body',
    what: 'The body is neither JSON nor a form, is compressed, or is not UTF-8.',
    remedy: 'Send the arguments as a JSON object with `Content-Type: application/json`, or as a form.',
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    title: 'Range not satisfiable',
    what: '`Range` begins after the end of the result. `Content-Range` has the number of its bytes.',
    remedy: 'Ask for a range within the result, or for all of it.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    title: 'Expectation failed',
    what: '`Expect` asks for something other than `100-continue`.',
    remedy: 'Leave `Expect` out.',
  },
  HOST_NOT_SERVED: {
    status: 421,
    title: 'Unknown host name',
    what: '`Host` is not one of the names that `--hosts` lists.',
    remedy:
      'Use the address that the operator has given. A proxy in front of the server passes on the `Host` of the request.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    what: 'The token has used up its `--rate`, or it already has `--concurrent` calls waiting for queries, or an export of it is running. `Retry-After` says when to ask again.',
    remedy:
      'Wait for as many seconds as `Retry-After` says. If you need more calls, ask the operator for a higher limit.',
  },
  BUDGET_EXCEEDED: {
    status: 429,
    title: 'The budget is used up',
    what: 'The token has used up its `--bytes-per-day`. `Retry-After` says how many seconds are left until midnight in UTC.',
    remedy:
      'Wait until midnight UTC, when the budget starts again, ask for less, or ask the operator for a larger budget. Results from the cache cost nothing.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'Request headers too large',
    what: 'The request line and the headers have more than 128 KiB, or a header that is a list, such as `Accept`, more than 8,192 characters.',
    remedy: 'Send fewer or shorter headers. Often there are too many cookies.',
  },
  CALL_ABANDONED: {
    status: 499,
    title: 'The caller went away',
    what: 'The caller left before the answer. Only the log and the metrics have this code.',
    remedy: 'If it happens often, wait longer for answers: the queries take more time than the callers allow.',
  },
  INTERNAL: {
    status: 500,
    title: 'Internal error',
    what: "Sluice failed unexpectedly, or the program that embeds it did. The log has the cause under the request's id.",
    fault: 'program',
    remedy: 'Tell the operator the id in `instance`. The operator reports it with the lines that the log has for it.',
  },
  QUERY_FAILED: {
    status: 502,
    title: 'The query failed',
    what: 'The engine rejected the query or could not finish it. The log has the cause.',
    fault: 'author',
    remedy:
      'Tell the operator the id in `instance`. The log says what the engine said, and the author corrects the query.',
  },
  COST_LIMIT_EXCEEDED: {
    status: 502,
    title: 'The query would cost too much',
    what: 'BigQuery would bill more bytes for the query than the manifest or the server allows.',
    fault: 'author',
    remedy:
      'Ask for less, such as a shorter period. If it happens with ordinary arguments, the author makes the query cheaper or raises `max_bytes_billed`.',
  },
  RESULT_TOO_LARGE: {
    status: 502,
    title: 'The result is too large',
    what: 'The result has more bytes than `max_result_bytes` or `--max-result` allows, or more than twice as many in another format than JSON. Or it has more cells or longer texts than a workbook (`xlsx`) can hold. Or it is asked for in pages, and is larger than a quarter of `--cache-memory`. Or it is an export of more rows than its `max_rows`.',
    fault: 'author',
    remedy:
      'Ask for less, such as a shorter period. If it happens with ordinary arguments, the author lowers `max_rows` or raises `max_result_bytes`; for pages the operator raises `--cache-memory`.',
  },
  CONTRACT_BROKEN: {
    status: 502,
    title: 'The result breaks its contract',
    what: 'A value is NULL where the endpoint promises one (`required`), or is a number that its `json: number` excludes.',
    fault: 'author',
    remedy:
      'Tell the operator the id in `instance`. The log names the column and the row; the author corrects the query, or what `columns` promises.',
  },
  ENGINE_UNAVAILABLE: {
    status: 502,
    title: 'The engine is not available',
    what: 'The embedded engine cannot be started, or has ended while it ran this query alone. Or BigQuery cannot be reached, has failed, or refuses the credentials, the access or the billing of the project.',
    fault: 'operator',
    remedy:
      'Ask again later. The operator finds the reason in the log: often the query needs more memory than the embedded engine has, or the service account lacks a role in BigQuery.',
  },
  OVERLOADED: {
    status: 503,
    title: 'Too busy',
    what: 'Too many queries run or wait, in all or for this token; or `--max-exports` exports run; or too many large results are being converted to other formats; or callers have not yet read more than `--max-unsent` bytes of results; or BigQuery has reached a quota or a rate of its own. `Retry-After` says when to ask again.',
    fault: 'operator',
    remedy:
      'Wait for as many seconds as `Retry-After` says, then ask again. If it happens often, the operator adds replicas, caches more, or asks for a higher quota of BigQuery.',
  },
  ENDPOINT_BROKEN: {
    status: 503,
    title: 'The endpoint has a mistake',
    what: 'The manifest of this endpoint, or a partial that it includes, has a mistake. The other endpoints are served. The log has the file, the line and the reason; with `serve --dev` the answer has them too, in `diagnostics`.',
    fault: 'author',
    remedy:
      'Tell the operator the name of the endpoint. Its author runs `sluice validate`, and corrects the mistakes that it lists; the server loads the corrected manifest with `--watch`, at SIGHUP, or when it starts again.',
  },
  DRAINING: {
    status: 503,
    title: 'Shutting down',
    what: 'The process is shutting down. `Retry-After` says when to ask again.',
    fault: 'operator',
    remedy: 'Ask again after as many seconds as `Retry-After` says: another process, or the next one, answers.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    title: 'The shared results store is not available',
    what: 'A purge has not reached the shared store. `Retry-After` says when to ask again.',
    fault: 'operator',
    remedy: 'Purge again after as many seconds as `Retry-After` says.',
  },
  NOT_READY: {
    status: 503,
    title: 'Not ready',
    what: 'The engine has no process or has not answered for 10 seconds, its data folder is missing, or every endpoint has a mistake. Only `/readyz` answers with this code.',
    fault: 'operator',
    remedy:
      'Wait until `/readyz` is a 200. If it does not become one, the operator looks at the log for the engine and at the data folder.',
  },
  QUERY_TIMEOUT: {
    status: 504,
    title: 'The query timed out',
    what: 'The query took longer than `timeout_seconds`, the wait for its turn included.',
    fault: 'author',
    remedy:
      'Ask for less, such as a shorter period. If it happens with ordinary arguments, the author makes the query faster or raises `timeout_seconds`.',
  },
  HTTP_VERSION_TOO_OLD: {
    status: 505,
    title: 'HTTP/1.1 is needed',
    what: 'An export was asked for over HTTP/1.0, in which an answer that was broken off looks like a whole one.',
    fault: 'operator',
    remedy:
      'Send the request over HTTP/1.1. A proxy in front of the server must do so too: in nginx, `proxy_http_version 1.1;`.',
  },
} as const satisfies Record<string, ErrorText>

export type ErrorCode = keyof typeof ERROR_CODES
