/** One exchange (request and response): its id, its end, and its event `request.done`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request, Response } from 'express'
import type { RunnerError } from '../model/errors.js'
import { type CacheOutcome, type Observer, requestDone } from '../model/events.js'
import { queueOfTurns } from '../model/in-turns.js'
import type { Clock } from '../model/ports.js'
import type { QueryCost } from '../model/query.js'
import type { RequestFacts } from '../request/plan.js'
import type { UnsentBodies } from './unsent-bodies.js'

/** Paths in the log are cut to this many characters. */
const MAX_LOGGED_PATH = 512
/** A request id that is safe in a header, in a log line and in a URN. */
const SANE_REQUEST_ID = /^[\w.~:-]{1,128}$/

/** Hundreds of callers may leave at once, and each query that is cancelled takes time. */
const nextAbandonedCall = queueOfTurns()

export interface ExchangeDeps {
  readonly clock: Clock
  readonly observe: Observer
  readonly newRequestId: () => string
  readonly unsent: UnsentBodies
}

/** When the exchange ends, in whatever way, `request.done` is observed. */
export class Exchange {
  readonly requestId: string
  readonly facts: RequestFacts = { token: null, endpoint: null }
  /** Set when rows are sent. */
  cache: CacheOutcome | null = null
  rows: number | null = null
  cost: QueryCost | null = null
  /** Set when a problem is sent, or would have been sent to a caller who left. */
  error: RunnerError | null = null
  /** Set where the error breaks off an answer that had begun. */
  isBrokenOff = false
  /** Set for a request of an agent. */
  via: 'mcp' | null = null
  /** Set where the calls of the request have events of their own, so that the request needs none. */
  hasCallEvents = false
  readonly #deps: ExchangeDeps
  readonly #res: Response
  readonly #began: number
  readonly #callerLeft = new AbortController()

  constructor(req: Request, res: Response, deps: ExchangeDeps) {
    this.#deps = deps
    this.#res = res
    this.#began = deps.clock.ticksMs()
    this.requestId = requestIdOf(req.get('X-Request-Id') ?? '', deps.newRequestId)
    res.locals['exchange'] = this
    res.setHeader('X-Request-Id', this.requestId)
    res.once('close', () => {
      if (wasSent(req, res)) this.#end(req)
      else void nextAbandonedCall().then(() => this.#end(req))
    })
  }

  /** Fires when the caller leaves before the response has been sent. */
  get signal(): AbortSignal {
    return this.#callerLeft.signal
  }

  /** Milliseconds since the request arrived. */
  elapsedMs(): number {
    return this.#deps.clock.ticksMs() - this.#began
  }

  /** To be called with a copy of a result before it is compressed or converted. @throws RunnerError OVERLOADED. */
  reserve(body: Uint8Array): void {
    this.#deps.unsent.reserve(this.#res, body, this.facts.token ?? '')
  }

  /** To be called with the body before it is sent. @throws RunnerError OVERLOADED. */
  hold(body: Uint8Array): void {
    this.#deps.unsent.hold(this.#res, body, this.facts.token ?? '')
  }

  #end(req: Request): void {
    const isSent = wasSent(req, this.#res)
    if (!isSent) this.#callerLeft.abort()
    if (this.hasCallEvents) return
    const { requestId, facts, cache, rows, cost, error, via } = this
    const path = loggedPath(req.originalUrl)
    const call = { requestId, method: req.method, path, ...facts, ...(via && { via }) }
    const outcome = { cache, rows, error, ...(cost && { cost }) }
    const unsentStatus = this.isBrokenOff && error ? error.status : 499
    this.#deps.observe(requestDone(call, isSent ? this.#res.statusCode : unsentStatus, this.elapsedMs(), outcome))
  }
}

/** The path of an address, as it may be logged. */
export const loggedPath = (url: string): string => pathOf(url).slice(0, MAX_LOGGED_PATH)

/**
 * Whether the whole response has been sent; call it when the response closes. node:http also counts bytes as written that a
 * destroyed socket still held.
 */
export function wasSent(req: IncomingMessage, res: ServerResponse): boolean {
  return res.writableFinished && !req.socket.destroyed
}

/** The exchange of this response. */
export const exchangeOf = (res: Response): Exchange => res.locals['exchange'] as Exchange

/** The caller's request id where it is safe, else a new one. */
export function requestIdOf(sentId: string, newRequestId: () => string): string {
  return sentId !== '' && SANE_REQUEST_ID.test(sentId) ? sentId : newRequestId()
}

/** The path of an address, without its query string. */
export const pathOf = (url: string): string => url.split('?', 1)[0]!

/** The query string of an address, without `?`; '' for none. */
export const queryOf = (url: string): string => url.slice(pathOf(url).length + 1)

/** `http://127.0.0.1:8080`, from the request's Host. Behind a proxy that ends TLS, `--public-url` gives the address. */
export function originOf(req: Request): string {
  const host = req.get('Host') ?? ''
  const address = `${req.protocol}://${host}`
  return URL.canParse(address)
    ? new URL(address).origin
    : `${req.protocol}://${req.socket.localAddress}:${req.socket.localPort}`
}
