/** In front of the app: answers what the cache holds from finished bytes, and passes everything else on. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import express, { type Response } from 'express'
import type { ListedFormat } from '../../formats/index.js'
import { BoundedMap } from '../../model/bounded-map.js'
import { toRunnerError } from '../../model/errors.js'
import type { Caller, StoredResult } from '../../model/ports.js'
import { chooseType } from '../../request/negotiate.js'
import { type CodingChoice, isAcceptable, negotiateCoding } from '../../request/negotiate-coding.js'
import { admitCall, planCall } from '../../request/plan.js'
import { parsePairs } from '../../request/raw-arguments.js'
import type { AppDeps } from '../app.js'
import {
  agingHeaders,
  callHeaders,
  EVERY_ANSWER,
  freshnessOf,
  type StoredFacts,
  serverTiming,
  storedHeaders,
  VARY,
} from '../headers.js'
import { problemOf } from '../problem.js'
import { isMatch } from '../representation/entity-tags.js'
import { AVAILABLE_CODINGS, type Representation } from '../representation/representation.js'
import { loggedPath, pathOf, queryOf, requestDone, requestIdOf, wasSent } from '../request-context.js'
import { createSendFinished, MAX_COPIED_BYTES } from './finished-response.js'
import { createHeaderTail, flat } from './header-tail.js'
import { createPlanCache, type PlannedAddress } from './plan-cache.js'
import { createHeaderReader, type HitHeaders, wantsFresh } from './request-headers.js'

const PREFIX = '/api/endpoints/query/'
/** Longer addresses take the slow path: caching their plans would cost more than it saves. */
const MAX_ADDRESS = 1_024
/** A name or an id, and nothing that the router would have to make sense of. */
const PLAIN_REF = /^[\w.-]+$/
/** Different `Accept-Encoding` headers that are remembered. */
const MAX_CHOICES = 200
/** Different paths, without their query strings, that are remembered. */
const MAX_PATHS = 2_000

const AS_HIT = { isCacheable: true, outcome: 'hit', isStored: false } as const

type Status = 200 | 304
/** The begin of a head, up to the request id. */
const START = {
  200: 'HTTP/1.1 200 OK\r\nX-Request-Id: ',
  304: 'HTTP/1.1 304 Not Modified\r\nX-Request-Id: ',
} as const

/** What a hit takes to be sent. */
interface Hit {
  readonly caller: Caller
  readonly planned: PlannedAddress
  readonly result: StoredResult
  readonly representation: Representation
}

function storedFacts({ planned, result, representation }: Hit): StoredFacts {
  const { cached, offered } = planned
  return { result, representation, isCacheable: true, offered, endpoint: cached.endpoint, hasRanges: true }
}

/**
 * The listener of `createRunner`: the fast path for hits, the app (the slow path) for all else. Both give the same answers.
 */
export function createFastPath(deps: AppDeps, app: RequestListener): RequestListener {
  const { clock } = deps
  const readHeaders = createHeaderReader(deps.isServedHost)
  const plans = createPlanCache()
  const choices = new Map<string, CodingChoice>()
  const vary = deps.corsOrigins.length > 0 ? `Origin, ${VARY}` : VARY
  const paths = new BoundedMap<string, string>(MAX_PATHS)
  const headerTail = createHeaderTail()
  const sendFinished = createSendFinished()

  function choiceFor(acceptEncoding: string): CodingChoice {
    let choice = choices.get(acceptEncoding)
    if (!choice) {
      choice = negotiateCoding(acceptEncoding === '' ? undefined : acceptEncoding, AVAILABLE_CODINGS)
      if (choices.size < MAX_CHOICES) choices.set(acceptEncoding, choice)
    }
    return choice
  }

  function plan(caller: Caller, headers: HitHeaders, address: string): PlannedAddress | null {
    const path = pathOf(address)
    const ref = path.slice(PREFIX.length)
    if (!PLAIN_REF.test(ref) || address.includes('#')) return null
    const accept = headers.accept === '' ? undefined : headers.accept
    try {
      const call = admitCall(caller, { ref }, deps)
      if (call.endpoint.cache === null) return null
      const given = parsePairs(queryOf(address))
      const offered = chooseType(call.endpoint, given, accept)
      const { cached, ignored } = planCall(call, given, null, deps)
      const ignoredLine = ignored === '' ? '' : flat(`X-Ignored-Arguments: ${ignored}\r\n`)
      return cached && { cached, offered, path: internPath(loggedPath(path)), ignored, ignoredLine, held: null }
    } catch {
      return null // refused: the slow path says why
    }
  }

  /** Returns one string for equal paths, so that look-ups need not compare them letter by letter. */
  function internPath(path: string): string {
    const known = paths.get(path)
    if (known !== undefined) return known
    const own = flat(path)
    paths.set(own, own)
    return own
  }

  function representationOf(
    result: StoredResult,
    { name }: ListedFormat,
    choice: CodingChoice,
  ): Representation | undefined {
    return isAcceptable(choice) ? deps.representations.find(result, name, choice) : undefined
  }

  /** The hit that answers this request; null for any other request, and then no call has been counted. */
  function findHit(headers: HitHeaders, address: string): Hit | null {
    const caller = deps.tokens.find(headers.token)
    if (!caller || (caller.admitFresh !== null && wantsFresh(headers.cacheControl))) return null
    const remembered = plans.find(deps.endpoints(), caller, headers.accept, address)
    const planned = remembered ?? plan(caller, headers, address)
    if (!planned) return null
    const held = deps.results.peek(planned.cached, planned.held)
    const result = held?.result
    const representation = result && representationOf(result, planned.offered, choiceFor(headers.acceptEncoding))
    if (!result || !representation || deps.unsent.isFull(representation.body)) return null
    if (planned.held !== held) planned.held = held
    // Only addresses that are hits are kept, and no long `Accept`: a caller could fill the memory with different ones.
    if (!remembered && headers.accept.length <= MAX_ADDRESS) plans.keep(caller, headers.accept, address, planned)
    return caller.admit() > 0 ? null : { caller, planned, result, representation }
  }

  /** The lines of the headers that stay the same as long as the representation is stored. */
  function fixedLines(status: Status, hit: Hit): string {
    const list = [...storedHeaders(status, storedFacts(hit)), 'Vary', vary, ...EVERY_ANSWER]
    let lines = ''
    for (let i = 0; i < list.length; i += 2) lines += `${list[i]}: ${list[i + 1]}\r\n`
    return flat(lines)
  }

  /** These lines, made once for each representation and status. */
  function fixedLinesOnce(status: Status, hit: Hit): string {
    const { representation } = hit
    if (status === 304) {
      if (representation.head304 === '') representation.head304 = fixedLines(status, hit)
      return representation.head304
    }
    if (representation.head200 === '') representation.head200 = fixedLines(status, hit)
    return representation.head200
  }

  function send(req: IncomingMessage, res: ServerResponse, headers: HitHeaders, hit: Hit, began: number): void {
    const { representation, planned, result } = hit
    const status = headers.ifNoneMatch !== '' && isMatch(headers.ifNoneMatch, representation.etag) ? 304 : 200
    const requestId = requestIdOf(headers.requestId, deps.newRequestId)
    const timing = serverTiming(null, clock.ticksMs() - began)
    const body = status === 200 && req.method !== 'HEAD' ? representation.body : null
    const nowMs = clock.nowMs()
    const freshness = freshnessOf(result, nowMs)
    const opening = `${START[status]}${requestId}\r\nServer-Timing: ${timing}\r\n`
    const head = opening + planned.ignoredLine + fixedLinesOnce(status, hit) + headerTail(freshness, nowMs)
    if (!sendFinished(req, res, status, head, body)) {
      const list = [
        ...storedHeaders(status, storedFacts(hit)),
        ...EVERY_ANSWER,
        ...agingHeaders({ ...AS_HIT, ...freshness }),
        ...callHeaders({ ignored: planned.ignored, runMs: null, totalMs: clock.ticksMs() - began, cost: null }),
      ]
      for (let i = 0; i < list.length; i += 2) res.setHeader(list[i]!, list[i + 1]!)
      express.response.vary.call(res as Response, vary) // beside what the app around us has said there
      res.setHeader('X-Request-Id', requestId)
      res.statusCode = status
      if (body) res.end(body)
      else res.end()
    }
    // Mostly the kernel has taken all of it by now.
    if (res.socket?.writableLength === 0) observeHit(req, hit, requestId, status, began)
    else {
      // A small body has been copied, so that no other response shares it.
      if (body) deps.unsent.add(res, body.byteLength > MAX_COPIED_BYTES ? body : body.subarray(), hit.caller.token)
      res.once('close', () => observeHit(req, hit, requestId, wasSent(req, res) ? status : 499, began))
    }
  }

  function observeHit(req: IncomingMessage, hit: Hit, requestId: string, status: number, began: number): void {
    const { path, cached } = hit.planned
    const call = { requestId, method: req.method!, path, endpoint: cached.endpoint, token: hit.caller.token }
    const outcome = { cache: 'hit', rows: hit.result.rowCount, error: null } as const
    deps.observe(requestDone(call, status, clock.ticksMs() - began, outcome))
  }

  /** Answers 500, as the app does: nothing around this listener would catch what is thrown in it. */
  function fail(req: IncomingMessage, res: ServerResponse, thrown: unknown, began: number): void {
    const error = toRunnerError(thrown)
    deps.observe({ kind: 'bug', where: 'hit', cause: thrown })
    const requestId = deps.newRequestId()
    const call = { requestId, method: req.method!, path: loggedPath(req.url ?? ''), endpoint: null, token: null }
    deps.observe(requestDone(call, error.status, clock.ticksMs() - began, { cache: null, rows: null, error }))
    if (res.headersSent) return void res.destroy()
    const { status, headers, body } = problemOf(error, requestId)
    res.writeHead(status, { ...headers, 'X-Request-Id': requestId })
    res.end(req.method === 'HEAD' ? undefined : body)
  }

  return (req, res) => {
    const { method, url: address = '' } = req
    const isSimple = (method === 'GET' || method === 'HEAD') && address.startsWith(PREFIX)
    if (!isSimple || address.length > MAX_ADDRESS || deps.isDraining()) return app(req, res)
    const began = clock.ticksMs()
    try {
      const headers = readHeaders(req.rawHeaders)
      const hit = headers && findHit(headers, address)
      if (hit) return send(req, res, headers, hit, began)
    } catch (thrown) {
      return fail(req, res, thrown, began)
    }
    app(req, res)
  }
}
