/** The headers of a result: what a cache must know, and what the caller may wish to. */
import type { QueryCost } from '../../model/query.js'
import type { RunResponse } from '../../request/handle.js'
import type { Representation } from './representation.js'

/** Names and values in turn. */
export type HeaderList = string[]

export const VARY = 'X-API-KEY, Authorization, Accept, Accept-Encoding'

/** Seconds that the result stays fresh and has existed. */
export interface Freshness {
  readonly freshSeconds: number
  readonly ageSeconds: number
}

/** Rounded up as the age is rounded down, so that the two always add up to the ttl. */
export function freshnessOf(result: RunResponse['result'], nowMs: number): Freshness {
  const { freshUntil, storedAt, dataState } = result
  return {
    // The data may change at any time: whoever keeps the result must ask each time, and mostly gets a 304.
    freshSeconds: dataState !== undefined ? 0 : Math.max(0, Math.ceil((freshUntil - nowMs) / 1000)),
    ageSeconds: Math.max(0, Math.floor((nowMs - storedAt) / 1000)),
  }
}

export type HeadFacts = Pick<RunResponse, 'result' | 'contentType' | 'isCacheable' | 'outcome' | 'isStored'>

/** The headers of a 200, or of the 304 that stands for one (RFC 9110 §15.4.5), that the representation has for good. */
export function lastingHead(
  status: 200 | 304,
  { result, contentType }: Pick<HeadFacts, 'result' | 'contentType'>,
  representation: Representation,
): HeaderList {
  const head: HeaderList = []
  const set = (name: string, value: string): void => void head.push(name, value)
  set('ETag', representation.etag)
  set('X-Row-Count', String(result.rowCount))
  if (result.isTruncated) set('X-Truncated', 'true')
  if (status === 304) return head
  set('Content-Type', contentType)
  if (representation.coding !== null) set('Content-Encoding', representation.coding)
  set('Content-Length', String(representation.body.byteLength))
  return head
}

/** Those that change as the result grows older. */
export function passingHead(facts: HeadFacts, { freshSeconds, ageSeconds }: Freshness): HeaderList {
  const head: HeaderList = []
  const set = (name: string, value: string): void => void head.push(name, value)
  set('Cache-Control', facts.isCacheable ? `private, max-age=${freshSeconds}` : 'private, no-cache')
  set('Cache-Status', cacheStatus(facts, freshSeconds))
  if (facts.isCacheable) set('Age', String(ageSeconds))
  return head
}

/** The same of a hit, as lines. */
export function passingLines({ freshSeconds, ageSeconds }: Freshness): string {
  return `Cache-Control: private, max-age=${freshSeconds}\r\nCache-Status: sluice; hit; ttl=${freshSeconds}\r\nAge: ${ageSeconds}\r\n`
}

/** `Server-Timing`: milliseconds in the engine, null where it was not asked, and in all; and what a warehouse took for it. */
export function serverTiming(runMs: number | null, totalMs: number, cost: QueryCost | null = null): string {
  const total = `total;dur=${tenths(totalMs)}`
  if (runMs === null) return total
  // A call that joined a running query has waited for the rest of it alone.
  return `engine;dur=${tenths(Math.min(runMs, totalMs))}${costOf(cost)}, ${total}`
}

function costOf(cost: QueryCost | null): string {
  if (cost === null) return ''
  return cost.isCacheHit ? ';desc="cache hit"' : `;desc="${cost.bytesBilled} bytes billed"`
}

/** One digit behind the point; toFixed takes ten times as long. */
function tenths(ms: number): string {
  const all = Math.round(ms * 10)
  if (all < 10) return BELOW_ONE[all]!
  return `${Math.trunc(all / 10)}.${all % 10}`
}

/** `0.0` to `0.9`: what hits take. */
const BELOW_ONE: readonly string[] = Array.from({ length: 10 }, (_, tenth) => `0.${tenth}`)

/** RFC 9211. */
function cacheStatus({ outcome, isStored }: HeadFacts, freshSeconds: number): string {
  switch (outcome) {
    case 'hit':
      return `sluice; hit; ttl=${freshSeconds}`
    case 'miss':
      return isStored ? 'sluice; fwd=miss; stored' : 'sluice; fwd=miss'
    case 'coalesced':
      return 'sluice; fwd=miss; collapsed'
    case 'fresh':
      return isStored ? 'sluice; fwd=request; stored' : 'sluice; fwd=request'
    case 'stale':
      return 'sluice; fwd=stale'
    case 'bypass':
      return 'sluice; fwd=bypass'
    default:
      return outcome satisfies never
  }
}

/** The strong comparison of RFC 9110 §13.1.1: `*`, or a list of tags, of which those with `W/` match nothing. */
export function isStrongMatch(ifMatch: string, etag: string): boolean {
  if (ifMatch.trim() === '*') return true
  const tags: readonly string[] = ifMatch.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
  return tags.includes(etag)
}

/** The weak comparison of RFC 9110 §13.1.2: `*`, or a list of tags of which `W/` is no part. */
export function isMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  const tags: readonly string[] = ifNoneMatch.match(/"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
  return tags.includes(etag)
}
