/** A result as a response: its validators, how fresh it is, and its bytes unless the caller has them. */
import type { Request, Response } from 'express'
import type { RunResponse } from '../request/handle.js'

/** Answers 200 with the rows, or 304 when `If-None-Match` names this representation. */
export function sendResult(req: Request, res: Response, response: RunResponse, nowMs: number, totalMs: number): void {
  const { result, contentType, runMs } = response
  // Rounded up as the age is rounded down, so that the two always add up to the ttl.
  const freshSeconds = Math.max(0, Math.ceil((result.freshUntil - nowMs) / 1000))
  res.setHeader('ETag', result.etag)
  res.setHeader('Cache-Control', response.isCacheable ? `private, max-age=${freshSeconds}` : 'private, no-cache')
  for (const name of ['X-API-KEY', 'Authorization', 'Accept', 'Accept-Encoding']) res.vary(name)
  res.setHeader('Cache-Status', cacheStatus(response, freshSeconds))
  if (response.isCacheable) res.setHeader('Age', Math.max(0, Math.floor((nowMs - result.storedAt) / 1000)))
  const timings = [...(runMs === null ? [] : [`engine;dur=${runMs.toFixed(1)}`]), `total;dur=${totalMs.toFixed(1)}`]
  res.setHeader('Server-Timing', timings.join(', '))
  res.setHeader('X-Row-Count', result.rowCount)
  if (result.isTruncated) res.setHeader('X-Truncated', 'true')
  if ((req.method === 'GET' || req.method === 'HEAD') && isMatch(req.get('If-None-Match'), result.etag)) {
    res.status(304).end()
    return
  }
  res.setHeader('Content-Type', contentType)
  res.setHeader('Content-Length', result.body.byteLength)
  res.status(200)
  if (req.method === 'HEAD') res.end()
  else res.end(result.body)
}

/** RFC 9211. */
function cacheStatus({ outcome, isStored }: RunResponse, freshSeconds: number): string {
  switch (outcome) {
    case 'hit':
      return `sluice; hit; ttl=${freshSeconds}`
    case 'miss':
      return isStored ? 'sluice; fwd=miss; stored' : 'sluice; fwd=miss'
    case 'coalesced':
      return 'sluice; fwd=miss; collapsed'
    case 'stale':
      return 'sluice; fwd=stale'
    case 'bypass':
      return 'sluice; fwd=bypass'
    default:
      return outcome satisfies never
  }
}

/** The weak comparison of RFC 9110 §13.1.2: `*`, or a list of tags of which `W/` is no part. */
export function isMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const tags: readonly string[] = ifNoneMatch.match(/"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
  return tags.includes(etag)
}
