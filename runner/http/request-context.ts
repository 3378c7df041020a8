/** One exchange (request and response): its id, its end, and its event `request.done`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request, Response } from 'express'
import type { RunnerError } from '../model/errors.js'
import type { CacheOutcome, Event, Observer } from '../model/events.js'
import type { Clock } from '../model/ports.js'
import type { QueryCost } from '../model/query.js'
import type { Progress } from '../request/plan.js'
import type { UnsentBodies } from './unsent-bodies.js'

/** Paths in the log are cut to this many characters. */
const MAX_LOGGED_PATH = 512
/** A request id that is safe in a header, in a log line and in a URN. */
const SANE_REQUEST_ID = /^[\w.~:-]{1,128}$/

export interface Exchange {
  readonly requestId: string
  /** Fires when the caller leaves before the response has been sent. */
  readonly signal: AbortSignal
  readonly progress: Progress
  /** Set when rows are sent. */
  cache: CacheOutcome | null
  rows: number | null
  cost: QueryCost | null
  /** Set when a problem is sent, or would have been sent to a caller who left. */
  error: RunnerError | null
  /** Set for a request of an agent. */
  via: 'mcp' | null
  /** Set where the calls that the request holds have events of their own, so that it needs none. */
  hasCallEvents: boolean
  /** Milliseconds since the request arrived. */
  elapsedMs(): number
  /** To be called with the body before it is sent. @throws RunnerError OVERLOADED. */
  hold(body: Uint8Array): void
}

export interface ExchangeDeps {
  readonly clock: Clock
  readonly observe: Observer
  readonly newRequestId: () => string
  readonly unsent: UnsentBodies
}

/** Begins an exchange; `request.done` is observed when it ends, however it does. */
export function beginExchange(req: Request, res: Response, deps: ExchangeDeps): Exchange {
  const began = deps.clock.ticksMs()
  const gone = new AbortController()
  const exchange: Exchange = {
    requestId: requestIdOf(req.get('X-Request-Id') ?? '', deps.newRequestId),
    signal: gone.signal,
    progress: { token: null, endpoint: null },
    cache: null,
    rows: null,
    cost: null,
    error: null,
    via: null,
    hasCallEvents: false,
    elapsedMs: () => deps.clock.ticksMs() - began,
    hold: body => deps.unsent.hold(res, body, exchange.progress.token ?? ''),
  }
  res.locals['exchange'] = exchange
  res.setHeader('X-Request-Id', exchange.requestId)
  res.once('close', () => {
    const isSent = wasSent(req, res)
    if (!isSent) gone.abort()
    if (exchange.hasCallEvents) return
    const path = loggedPath(req.originalUrl)
    const { requestId, progress, cache, rows, cost, error, via } = exchange
    const call = { requestId, method: req.method, path, ...progress, ...(via && { via }) }
    const outcome = { cache, rows, error, ...(cost && { cost }) }
    deps.observe(requestDone(call, isSent ? res.statusCode : 499, exchange.elapsedMs(), outcome))
  })
  return exchange
}

type RequestDone = Extract<Event, { kind: 'request.done' }>

/** The one event about a request: which call, how it was answered, in how many milliseconds, and with what. */
export function requestDone(
  {
    requestId,
    method,
    path,
    endpoint,
    token,
    via,
  }: Pick<RequestDone, 'requestId' | 'method' | 'path' | 'endpoint' | 'token' | 'via'>,
  status: number,
  durationMs: number,
  { cache, rows, cost, error }: Pick<RequestDone, 'cache' | 'rows' | 'cost' | 'error'>,
): RequestDone {
  const kind = 'request.done'
  const done = { kind, requestId, method, path, endpoint, token, status, durationMs, cache, rows, error } as const
  return { ...done, ...(via && { via }), ...(cost && { cost }) }
}

/** The path of an address, as it may be logged. */
export function loggedPath(url: string): string {
  return pathOf(url).slice(0, MAX_LOGGED_PATH)
}

/**
 * Whether the whole response has been sent; call it when the response closes. node:http also counts bytes as written that a
 * destroyed socket still held.
 */
export function wasSent(req: IncomingMessage, res: ServerResponse): boolean {
  return res.writableFinished && !req.socket.destroyed
}

/** The exchange of this response. */
export function exchangeOf(res: Response): Exchange {
  return res.locals['exchange'] as Exchange
}

/** The caller's request id where it is safe, else a new one. */
export function requestIdOf(given: string, newRequestId: () => string): string {
  return given !== '' && SANE_REQUEST_ID.test(given) ? given : newRequestId()
}

/** The path of an address, without its query string. */
export function pathOf(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? url : url.slice(0, mark)
}

/** The query string of an address, without `?`; '' for none. */
export function queryOf(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

/** `http://127.0.0.1:8080`, from the request's Host. Behind a proxy that ends TLS, `--public-url` gives the address. */
export function originOf(req: Request): string {
  const host = req.get('Host') ?? ''
  const address = `${req.protocol}://${host}`
  return URL.canParse(address)
    ? new URL(address).origin
    : `${req.protocol}://${req.socket.localAddress}:${req.socket.localPort}`
}
