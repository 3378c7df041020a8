/** Sends a result: its headers, and its body unless the caller already has it. */
import type { Request, Response } from 'express'
import { RunnerError } from '../../model/errors.js'
import type { RunResponse } from '../../request/handle.js'
import { PLAIN } from '../../request/negotiate-coding.js'
import type { RepresentationStore } from './representation.js'
import { freshnessOf, isMatch, isStrongMatch, lastingHead, passingHead, serverTiming, VARY } from './result-head.js'

export interface SendDeps {
  readonly representations: RepresentationStore
  /** Called with the bytes that were added to the stored result of a key. */
  readonly grow: (key: string, bytes: number) => void
  readonly nowMs: () => number
  readonly elapsedMs: () => number
}

/**
 * Answers 200 with the rows, or 304 when `If-None-Match` names this representation.
 * @throws RunnerError PRECONDITION_FAILED when `If-Match` names others only.
 */
export async function sendResult(req: Request, res: Response, response: RunResponse, deps: SendDeps): Promise<void> {
  const { result, offered, endpoint, coding, key, runMs, cost } = response
  // Compressing a result that is not stored would cost its only caller more time than it saves.
  const worthIt = key === null && coding.mayBePlain ? PLAIN : coding
  const representation = await deps.representations.make(
    result,
    { endpoint, format: offered.format, coding: worthIt },
    bytes => {
      if (key !== null) deps.grow(key, bytes)
    },
  )
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  const ifMatch = req.get('If-Match')
  if (isRead && ifMatch !== undefined && !isStrongMatch(ifMatch, representation.etag)) {
    throw new RunnerError('PRECONDITION_FAILED', { detail: 'The result is no longer the one that If-Match names.' })
  }
  const status = isRead && isMatch(req.get('If-None-Match'), representation.etag) ? 304 : 200
  const head = [
    ...lastingHead(status, { result, offered, endpoint: endpoint.name }, representation),
    ...passingHead(response, freshnessOf(result, deps.nowMs())),
  ]
  for (let i = 0; i < head.length; i += 2) res.setHeader(head[i]!, head[i + 1]!)
  for (const name of VARY.split(', ')) res.vary(name)
  res.setHeader('Server-Timing', serverTiming(runMs, deps.elapsedMs(), cost))
  res.status(status)
  if (status === 304 || req.method === 'HEAD') res.end()
  else res.end(representation.body)
}
