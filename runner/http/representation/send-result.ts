/** Sends a result: its headers, and its body unless the caller already has it. */
import type { Request, Response } from 'express'
import { RunnerError } from '../../model/errors.js'
import type { RequestDeps, RunResponse } from '../../request/handle.js'
import { PLAIN } from '../../request/negotiate-coding.js'
import { agingHeaders, freshnessOf, serverTiming, setHeaders, storedHeaders, VARY } from '../headers.js'
import { exchangeOf } from '../request-context.js'
import { endWith } from '../send.js'
import { allowsRange, type ByteRange, contentRange, parseRange } from './byte-range.js'
import { isMatch, isStrongMatch } from './entity-tags.js'
import type { Representation, Representations } from './representation.js'

export interface SendDeps extends Pick<RequestDeps, 'results' | 'clock'> {
  readonly representations: Representations
}

/**
 * Answers 200 with the rows, 206 with the part of them that `Range` asks for, or 304 when `If-None-Match` names this
 * representation.
 * @throws RunnerError PRECONDITION_FAILED when `If-Match` names only other representations; RANGE_NOT_SATISFIABLE; those of
 *   `Representations.make`; OVERLOADED.
 */
export async function sendResult(req: Request, res: Response, response: RunResponse, deps: SendDeps): Promise<void> {
  const { result, isCacheable, format, endpoint, coding, key, runMs, cost, ignored } = response
  // Compressing a result that is not stored would cost its only caller more time than it saves.
  const usedCoding = key === null && coding.mayBePlain ? PLAIN : coding
  const exchange = exchangeOf(res)
  const order = { token: exchange.facts.token ?? '', endpoint, format: format.name, coding: usedCoding }
  // The call alone holds a page that is being cut, or a result that is not stored.
  if (key === null || result.page) exchange.reserve(result.body)
  const representation = await deps.representations.make(result, order, bytes => deps.results.grow(key, bytes))
  const isGetOrHead = req.method === 'GET' || req.method === 'HEAD'
  const ifMatch = req.get('If-Match')
  if (isGetOrHead && ifMatch !== undefined && !isStrongMatch(ifMatch, representation.etag)) {
    throw new RunnerError('PRECONDITION_FAILED', { detail: 'The result is no longer the one that If-Match names.' })
  }
  const isSame = isGetOrHead && isMatch(req.get('If-None-Match'), representation.etag)
  const hasRanges = isInCache(response)
  const range = !isSame && hasRanges && req.method === 'GET' ? rangeOf(req, representation) : null
  const hasBody = !isSame && req.method !== 'HEAD'
  if (hasBody) exchange.hold(representation.body)
  const facts = {
    result,
    representation,
    isCacheable,
    format,
    endpoint: endpoint.name,
    hasRanges,
    url: req.originalUrl,
    ignored,
  }
  setHeaders(res, [
    ...storedHeaders(isSame ? 304 : 200, facts),
    ...agingHeaders({ ...response, ...freshnessOf(result, deps.clock.nowMs()) }),
    'Server-Timing',
    serverTiming(runMs, exchange.elapsedMs(), cost),
  ])
  for (const name of VARY.split(', ')) res.vary(name)
  if (range) {
    res.setHeader('Content-Length', range.end - range.start)
    res.setHeader('Content-Range', contentRange(range, representation.body.byteLength))
    res.status(206)
    endWith(res, representation.body.subarray(range.start, range.end))
    return
  }
  res.status(isSame ? 304 : 200)
  if (hasBody) endWith(res, representation.body)
  else res.end()
}

/** A cacheable result that was just computed and not stored is too large for the cache: each range of it would be a query. */
function isInCache({ isCacheable, outcome, isStored }: RunResponse): boolean {
  return isCacheable && (isStored || (outcome !== 'miss' && outcome !== 'fresh'))
}

/**
 * The range of the body that the request asks for; null for the whole body.
 * @throws RunnerError RANGE_NOT_SATISFIABLE.
 */
function rangeOf(req: Request, { body, etag }: Representation): ByteRange | null {
  const header = req.get('Range')
  if (header === undefined || !allowsRange(req.get('If-Range'), etag)) return null
  const range = parseRange(header, body.byteLength)
  if (range !== 'unsatisfiable') return range
  const headers = { 'Content-Range': contentRange(null, body.byteLength) }
  throw new RunnerError('RANGE_NOT_SATISFIABLE', { detail: `The result has ${body.byteLength} bytes.`, headers })
}
