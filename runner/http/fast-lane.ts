/** In front of the app: answers what the cache holds from finished bytes, and passes everything else on. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Caller, StoredResult } from '../model/ports.js'
import { planCached } from '../request/handle.js'
import { type CodingChoice, negotiateCoding } from '../request/negotiate-coding.js'
import { parsePairs } from '../request/wire.js'
import type { AppDeps } from './app.js'
import { MAX_LOGGED_PATH, pathOf, queryOf, requestIdOf } from './exchange.js'
import { AVAILABLE_CODINGS, type Form, mayBeFramed } from './forms.js'
import { Frame } from './frame.js'
import { createPlanMemory, type PlannedAddress } from './plan-memory.js'
import { KEPT_ALIVE, PreparedResponse } from './prepared-response.js'
import { type Asked, createAskedReader, wantsFresh } from './read-asked.js'
import {
  type Freshness,
  freshnessOf,
  isMatch,
  lastingHead,
  passingHead,
  passingLines,
  serverTiming,
  VARY,
} from './result-head.js'

const PREFIX = '/api/endpoints/query/'
/** Longer addresses go the long way: remembering them would cost more than it saves. */
const MAX_ADDRESS = 1_024
/** A name or an id, and nothing that the router would have to make sense of. */
const PLAIN_REF = /^[\w.-]+$/
/** Different `Accept-Encoding` headers that are remembered. */
const MAX_CHOICES = 200

const AS_HIT = { isCacheable: true, outcome: 'hit', isStored: false } as const

type Status = 200 | 304
const STATUS_LINE = { 200: 'HTTP/1.1 200 OK\r\n', 304: 'HTTP/1.1 304 Not Modified\r\n' } as const
const NOTHING = new Uint8Array()

/** What a hit takes to be sent. */
interface Hit {
  readonly caller: Caller
  readonly planned: PlannedAddress
  readonly result: StoredResult
  readonly form: Form
}

/** The listener of `createRunner`. Both roads give the same answers. */
export function createFastLane(deps: AppDeps, app: RequestListener): RequestListener {
  const { clock } = deps
  const readAsked = createAskedReader()
  const plans = createPlanMemory()
  const choices = new Map<string, CodingChoice>()
  const always = ['Vary', deps.corsOrigins.length > 0 ? `Origin, ${VARY}` : VARY, 'X-Content-Type-Options', 'nosniff']
  const dateLine = createDateLine()

  function choiceFor(acceptEncoding: string): CodingChoice {
    let choice = choices.get(acceptEncoding)
    if (!choice) {
      choice = negotiateCoding(acceptEncoding === '' ? undefined : acceptEncoding, AVAILABLE_CODINGS)
      if (choices.size < MAX_CHOICES) choices.set(acceptEncoding, choice)
    }
    return choice
  }

  function plan(caller: Caller, asked: Asked, address: string): PlannedAddress | null {
    const path = pathOf(address)
    const ref = path.slice(PREFIX.length)
    if (!PLAIN_REF.test(ref) || address.includes('#')) return null
    const accept = asked.accept === '' ? undefined : asked.accept
    const found = planCached(caller, { ref, accept, readArguments: () => parsePairs(queryOf(address)) }, deps)
    return found && { plan: found, path: path.slice(0, MAX_LOGGED_PATH) }
  }

  function formOf(result: StoredResult, choice: CodingChoice): Form | undefined {
    const isRefused = choice.coding === null && !choice.mayBePlain
    return isRefused ? undefined : deps.forms.find(result, choice)
  }

  /** Null: no hit. Nothing has been counted by then. */
  function findHit(asked: Asked, address: string): Hit | null {
    const caller = deps.tokens.find(asked.token)
    if (!caller || (caller.admitFresh !== null && wantsFresh(asked.cacheControl))) return null
    const remembered = plans.find(deps.endpoints(), caller, asked.accept, address)
    const planned = remembered ?? plan(caller, asked, address)
    if (!planned) return null
    const result = deps.results.peek(planned.plan.cached)
    const form = result && formOf(result, choiceFor(asked.acceptEncoding))
    if (!result || !form) return null
    if (!remembered) plans.keep(caller, asked.accept, address, planned) // what is no hit is not worth remembering
    return caller.admit() > 0 ? null : { caller, planned, result, form }
  }

  /** The headers that this form has for good, made once. */
  function lastingLines(status: Status, { planned, result, form }: Hit): string {
    const before = form.heads.get(status)
    if (before !== undefined) return before
    const list = [...lastingHead(status, { result, contentType: planned.plan.contentType }, form), ...always]
    let lines = ''
    for (let i = 0; i < list.length; i += 2) lines += `${list[i]}: ${list[i + 1]}\r\n`
    form.heads.set(status, lines)
    return lines
  }

  /** The frame of this form, up to date; null where it has none. */
  function frameOf(status: Status, hit: Hit, freshness: Freshness, nowMs: number): Frame | null {
    const { form } = hit
    let frame = form.frames.get(status)
    if (!frame) {
      if (status === 200 && !mayBeFramed(form)) return null
      frame = new Frame(status === 200 ? form.body : NOTHING)
      form.frames.set(status, frame)
    }
    const second = Math.floor(nowMs / 1000)
    const { freshSeconds, ageSeconds } = freshness
    if (frame.isStale(second, freshSeconds, ageSeconds)) {
      const lines = lastingLines(status, hit) + passingLines(freshness) + dateLine(nowMs) + KEPT_ALIVE
      frame.setLines(lines, second, freshSeconds, ageSeconds)
    }
    return frame
  }

  function sendPrepared(res: PreparedResponse, status: Status, hit: Hit, opening: string, hasBody: boolean): void {
    const { form, result } = hit
    const nowMs = clock.nowMs()
    const freshness = freshnessOf(result, nowMs)
    const frame = res.isNext ? frameOf(status, hit, freshness, nowMs) : null
    const bytes = frame?.open(opening, hasBody)
    if (!bytes) {
      const head = opening + lastingLines(status, hit) + passingLines(freshness) + dateLine(nowMs)
      res.sendPrepared(status, head, hasBody ? form.body : null)
    } else if (!res.sendWhole(status, bytes)) {
      form.frames.delete(status) // it is still being sent: the next one needs another
    }
  }

  function send(req: IncomingMessage, res: ServerResponse, asked: Asked, hit: Hit, began: number): void {
    const { form, planned, result } = hit
    const status = asked.ifNoneMatch !== '' && isMatch(asked.ifNoneMatch, form.etag) ? 304 : 200
    const requestId = requestIdOf(asked.requestId, deps.newRequestId)
    const timing = serverTiming(null, clock.ticksMs() - began)
    const hasBody = status === 200 && req.method !== 'HEAD'
    if (res instanceof PreparedResponse && res.mayBePrepared) {
      const opening = `${STATUS_LINE[status]}X-Request-Id: ${requestId}\r\nServer-Timing: ${timing}\r\n`
      sendPrepared(res, status, hit, opening, hasBody)
    } else {
      const facts = { result, contentType: planned.plan.contentType, ...AS_HIT }
      const freshness = freshnessOf(result, clock.nowMs())
      const list = [...lastingHead(status, facts, form), ...always, ...passingHead(facts, freshness)]
      for (let i = 0; i < list.length; i += 2) res.setHeader(list[i]!, list[i + 1]!)
      res.setHeader('X-Request-Id', requestId)
      res.setHeader('Server-Timing', timing)
      res.statusCode = status
      res.end(hasBody ? form.body : undefined)
    }
    // Mostly the kernel has taken all of it by now.
    if (res.socket?.writableLength === 0) tell(req, hit, requestId, status, began)
    else res.once('close', () => tell(req, hit, requestId, res.writableFinished ? status : 499, began))
  }

  function tell(req: IncomingMessage, hit: Hit, requestId: string, status: number, began: number): void {
    deps.observe({
      kind: 'request.done',
      requestId,
      method: req.method!,
      path: hit.planned.path,
      endpoint: hit.planned.plan.cached.endpoint,
      token: hit.caller.token,
      status,
      durationMs: clock.ticksMs() - began,
      cache: 'hit',
      rows: hit.result.rowCount,
      error: null,
    })
  }

  return (req, res) => {
    const { method, url: address = '' } = req
    const isSimple = (method === 'GET' || method === 'HEAD') && address.startsWith(PREFIX)
    if (!isSimple || address.length > MAX_ADDRESS || deps.isDraining()) return app(req, res)
    const began = clock.ticksMs()
    const asked = readAsked(req.rawHeaders)
    const hit = asked && findHit(asked, address)
    if (hit) send(req, res, asked, hit, began)
    else app(req, res)
  }
}

/** `Date: …`, made anew each second. */
function createDateLine(): (nowMs: number) => string {
  let second = -1
  let line = ''
  return nowMs => {
    const current = Math.floor(nowMs / 1000)
    if (current !== second) {
      second = current
      line = `Date: ${new Date(nowMs).toUTCString()}\r\n`
    }
    return line
  }
}
