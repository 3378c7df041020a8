/** In front of the app: answers what the cache holds by node:http's own methods, and passes everything else on. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { ListedFormat } from '../formats/index.js'
import { BoundedMap } from '../model/bounded-map.js'
import { requestDone } from '../model/events.js'
import { pacedTurns } from '../model/in-turns.js'
import { CURSOR } from '../model/page.js'
import type { Caller, StoredResult } from '../model/ports.js'
import { chooseType } from '../request/negotiate.js'
import { type CodingChoice, isAcceptable, negotiateCoding } from '../request/negotiate-coding.js'
import { admitCall, planCall } from '../request/plan.js'
import { parsePairs } from '../request/raw-arguments.js'
import type { AppDeps } from './app.js'
import {
  agingHeaders,
  EVERY_ANSWER,
  type Freshness,
  freshnessOf,
  type HeaderList,
  serverTiming,
  storedHeaders,
  VARY,
} from './headers.js'
import { isMatch } from './representation/entity-tags.js'
import { AVAILABLE_CODINGS, type Representation } from './representation/representation.js'
import { loggedPath, pathOf, queryOf, requestIdOf, wasSent } from './request-context.js'
import { bearerToken, MAX_LIST_LENGTH, wantsFresh } from './request-headers.js'
import { MAX_AT_ONCE } from './send.js'
import { isSentAhead } from './server/connection.js'

const PREFIX = '/api/endpoints/query/'
/** Longer addresses go through the app: keeping their plans would cost more than it saves. */
const MAX_ADDRESS = 1_024
/** A name or an id, without characters that the router would have to decode. */
const PLAIN_REF = /^[\w.-]+$/
/** The most plans that are kept. */
const MAX_PLANS = 10_000
/** A request with one of these headers asks for more than a hit. */
const BEYOND_A_HIT = [
  'origin',
  'if-match',
  'range',
  'expect',
  'content-length',
  'transfer-encoding',
  'upgrade',
] as const

/** What is known of a call before its result is looked up. */
interface PlannedCall {
  readonly caller: Caller
  readonly cached: NonNullable<ReturnType<typeof planCall>['cached']>
  /** Null where the whole result is asked for. */
  readonly page: ReturnType<typeof planCall>['page']
  /** Whether the endpoint is cached. */
  readonly isCacheable: boolean
  readonly url: string
  /** The path as it is logged. */
  readonly path: string
  readonly format: ListedFormat
  readonly choice: CodingChoice
  /** The value of X-Ignored-Arguments; '' where no argument was ignored. */
  readonly ignored: string
  /** The headers of the last answer. */
  head: Head | null
}

/** Headers that stay the same for a second; Date and the id of the request are not among them. */
interface Head extends Freshness {
  readonly status: 200 | 304
  readonly representation: Representation
  readonly list: HeaderList
}

interface Hit {
  readonly planned: PlannedCall
  readonly result: StoredResult
  readonly representation: Representation
}

/** Answers hits, and passes every other request to the app. Both give the same answers. */
export class FastPath {
  readonly #deps: AppDeps
  readonly #app: RequestListener
  readonly #inTurn: ReturnType<typeof pacedTurns>
  readonly #vary: string
  /** Plans by all facts that they depend on; cleared when the endpoints change. */
  readonly #plans = new BoundedMap<string, PlannedCall>(MAX_PLANS)
  #index: ReturnType<AppDeps['endpoints']>

  constructor(deps: AppDeps, app: RequestListener) {
    this.#deps = deps
    this.#app = app
    this.#inTurn = pacedTurns(() => deps.clock.ticksMs())
    this.#vary = deps.corsOrigins.length > 0 ? `Origin, ${VARY}` : VARY
    this.#index = deps.endpoints()
  }

  /** The listener of `createRunner`. */
  readonly answer: RequestListener = (req, res) => {
    const { method, url = '' } = req
    const isSimple = (method === 'GET' || method === 'HEAD') && url.startsWith(PREFIX) && url.length <= MAX_ADDRESS
    // The program around this listener may have set headers; the app combines them with ours.
    if (!isSimple || this.#deps.isDraining() || res.getHeaderNames().length > 0) return this.#passOn(req, res, null)
    const began = this.#deps.clock.ticksMs()
    const isAnswered = !isSentAhead(req) && this.#tryHit(req, res, began, false)
    if (isAnswered !== true) this.#passOn(req, res, isAnswered === null ? null : began)
  }

  /** Answers the request if it is a hit, and says whether it was; null where that failed. Plans a new call only if `mayPlan`. */
  #tryHit(req: IncomingMessage, res: ServerResponse, began: number, mayPlan: boolean): boolean | null {
    try {
      const hit = this.#findHit(req, mayPlan)
      if (hit) this.#send(req, res, hit, began)
      return hit !== null
    } catch (cause) {
      // Nothing around this listener would catch it. The app may still answer, or meets the same bug and says so.
      this.#deps.observe({ kind: 'bug', where: 'hit', cause })
      if (!res.headersSent) return null
      res.destroy()
      return true
    }
  }

  /**
   * Passes the request to the app in its turn: some hundred requests that arrive together would keep the hits behind them waiting.
   * `began` is its time if it may still be a hit, since it is not planned yet or was sent ahead of earlier answers; otherwise null.
   */
  #passOn(req: IncomingMessage, res: ServerResponse, began: number | null): void {
    this.#inTurn(() => {
      if (!res.closed && began !== null && this.#tryHit(req, res, began, true) === true) return
      if (!res.closed) return this.#app(req, res)
      // The caller has left meanwhile.
      const { newRequestId, observe } = this.#deps
      const call = { method: req.method!, path: loggedPath(req.url ?? ''), endpoint: null, token: null }
      observe(requestDone({ requestId: newRequestId(), ...call }, 499, 0, { error: null }))
    })
  }

  /** The hit that answers this request; null for any other request, and then no call has been counted. */
  #findHit(req: IncomingMessage, mayPlan: boolean): Hit | null {
    const { headers, url } = req
    const { endpoints, results, pages, representations, unsent } = this.#deps
    const caller = callerOf(req, this.#deps)
    if (!caller || (caller.admitFresh !== null && wantsFresh(headers['cache-control'] ?? ''))) return null
    if (this.#index !== endpoints()) {
      this.#index = endpoints()
      this.#plans.clear()
    }
    const { accept = '', 'accept-encoding': codings = '' } = headers
    const key = [caller.token, accept, codings, url].join('\0')
    const kept = this.#plans.get(key)
    const planned = kept?.caller === caller ? kept : mayPlan ? this.#plan(caller, req) : null
    if (!planned || !isAcceptable(planned.choice)) return null
    const { page, cached } = planned
    const result = page ? pages.find(page, cached) : results.entry(cached)
    const representation = result && representations.find(result, planned.format.name, planned.choice)
    if (!result || !representation || unsent.isFull(representation.body)) return null
    if (representation.body.byteLength > MAX_AT_ONCE) return null // The app sends it in pieces.
    // Only plans of hits with short headers are kept: otherwise a caller could fill the memory with different ones.
    if (planned !== kept && accept.length + codings.length <= MAX_ADDRESS) this.#plans.set(key, planned)
    return caller.admit() > 0 ? null : { planned, result, representation }
  }

  /** Null where the app must say why the call is refused, or must run it. */
  #plan(caller: Caller, { headers, url = '' }: IncomingMessage): PlannedCall | null {
    const path = pathOf(url)
    const ref = path.slice(PREFIX.length)
    if (!PLAIN_REF.test(ref) || url.includes('#')) return null
    try {
      const endpoint = admitCall(caller, ref, this.#index)
      const given = parsePairs(queryOf(url))
      // A page may be kept even where the endpoint is not cached.
      if (endpoint.cache === null && !given.has(CURSOR)) return null
      const format = chooseType(endpoint, given, headers.accept)
      const choice = negotiateCoding(headers['accept-encoding'], AVAILABLE_CODINGS)
      const { cached, page, ignored } = planCall(caller, given, { endpoint, nowMicros: null }, this.#deps)
      const isCacheable = endpoint.cache !== null
      const address = { url, path: loggedPath(url) }
      return cached && { caller, cached, page, isCacheable, ...address, ignored, format, choice, head: null }
    } catch {
      return null
    }
  }

  #headOf(status: 200 | 304, { planned, result, representation }: Hit): Head {
    const { freshSeconds, ageSeconds } = freshnessOf(result, this.#deps.clock.nowMs())
    const kept = planned.head
    const isSame = kept?.status === status && kept.representation === representation
    if (isSame && kept.freshSeconds === freshSeconds && kept.ageSeconds === ageSeconds) return kept
    const { cached, format, url, isCacheable, ignored } = planned
    const call = { isCacheable, format, endpoint: cached.endpoint, hasRanges: isCacheable, url, ignored }
    const facts = { result, representation, ...call }
    const aging = { isCacheable, outcome: 'hit', isStored: false, freshSeconds, ageSeconds } as const
    const list = ['Vary', this.#vary, ...EVERY_ANSWER, ...storedHeaders(status, facts), ...agingHeaders(aging)]
    planned.head = { status, representation, freshSeconds, ageSeconds, list }
    return planned.head
  }

  #send(req: IncomingMessage, res: ServerResponse, hit: Hit, began: number): void {
    const { planned, result, representation } = hit
    const { cached, caller, path } = planned
    const { clock, newRequestId, observe, unsent } = this.#deps
    const status = isMatch(req.headers['if-none-match'], representation.etag) ? 304 : 200
    const requestId = requestIdOf(String(req.headers['x-request-id'] ?? ''), newRequestId)
    const timing = serverTiming(null, clock.ticksMs() - began, null)
    const ownHeaders = ['X-Request-Id', requestId, 'Server-Timing', timing]
    res.writeHead(status, [...ownHeaders, ...this.#headOf(status, hit).list])
    const hasBody = status === 200 && req.method === 'GET'
    res.end(hasBody ? representation.body : undefined)
    const end = (ended: number): void => {
      const call = { requestId, method: req.method!, path, endpoint: cached.endpoint, token: caller.token }
      const outcome = { cache: 'hit', rows: result.rowCount, error: null } as const
      observe(requestDone(call, ended, clock.ticksMs() - began, outcome))
    }
    // Usually the kernel has taken all bytes by now.
    if (wasSent(req, res)) {
      end(status)
      return
    }
    if (hasBody && !res.destroyed) unsent.hold(res, representation.body, caller.token)
    res.once('close', () => end(wasSent(req, res) ? status : 499))
  }
}

/** The caller; null where the app must look at the headers: one is repeated or asks for more than a hit, or no token is known. */
function callerOf({ headers, rawHeaders }: IncomingMessage, deps: AppDeps): Caller | null {
  if (Object.keys(headers).length * 2 !== rawHeaders.length) return null
  if (BEYOND_A_HIT.some(name => headers[name] !== undefined)) return null
  if (rawHeaders.some(text => text.length > MAX_LIST_LENGTH)) return null
  const { host, authorization, 'x-api-key': apiKey } = headers
  if (host === undefined || !deps.isServedHost(host)) return null
  const bearer = authorization === undefined ? null : bearerToken(authorization)
  if (bearer !== null && apiKey !== undefined && bearer !== apiKey) return null
  const token = apiKey ?? bearer
  return token ? (deps.tokens.find(String(token)) ?? null) : null
}
