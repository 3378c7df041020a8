/** The headers of a result. */
import type { QueryCost } from '../../model/query.js'
import type { RunResponse } from '../../request/handle.js'
import type { OfferedType } from '../../request/negotiate.js'
import type { Representation } from './representation.js'

/** Header names and values, alternating. */
export type HeaderList = string[]

export const VARY = 'X-API-KEY, Authorization, Accept, Accept-Encoding'

/** The seconds for which the result stays fresh, and its age in seconds. */
export interface Freshness {
  readonly freshSeconds: number
  readonly ageSeconds: number
}

/** The remaining time is rounded up and the age down, so that both always add up to the ttl. */
export function freshnessOf(result: RunResponse['result'], nowMs: number): Freshness {
  const { freshUntil, storedAt, dataState } = result
  return {
    freshSeconds: dataState !== undefined ? 0 : Math.max(0, Math.ceil((freshUntil - nowMs) / 1000)),
    ageSeconds: Math.max(0, Math.floor((nowMs - storedAt) / 1000)),
  }
}

export type CacheFacts = Pick<RunResponse, 'result' | 'isCacheable' | 'outcome' | 'isStored'>

/**
 * The whole ttl, however old the result is: a cache subtracts `Age` from it (RFC 9111 §4.2). Zero where the data may change at
 * any time, so that a client's cache revalidates each time, and usually gets a 304.
 */
function maxAgeSeconds({ freshUntil, storedAt, dataState }: RunResponse['result']): number {
  return dataState !== undefined ? 0 : Math.ceil((freshUntil - storedAt) / 1000)
}

export interface FixedHeaderFacts {
  readonly result: RunResponse['result']
  /** Whether the endpoint is cached. */
  readonly isCacheable: boolean
  readonly offered: OfferedType
  /** Its name. */
  readonly endpoint: string
  /** Whether the next request for the same bytes finds them in the cache, so that a part of them can be asked for. */
  readonly hasRanges: boolean
}

/** The headers of a 200, or of the 304 that stands for one (RFC 9110 §15.4.5), that stay the same as long as the representation is stored. */
export function fixedHeaders(
  status: 200 | 304,
  { result, isCacheable, offered, endpoint, hasRanges }: FixedHeaderFacts,
  representation: Representation,
): HeaderList {
  const head: HeaderList = []
  const set = (name: string, value: string): void => void head.push(name, value)
  set('ETag', representation.etag)
  set('Cache-Control', isCacheable ? `private, max-age=${maxAgeSeconds(result)}` : 'private, no-cache')
  set('X-Row-Count', String(result.rowCount))
  if (result.isTruncated) set('X-Truncated', 'true')
  if (status === 304) return head
  set('Content-Type', offered.contentType)
  // An endpoint's name has only letters, digits, points and hyphens.
  if (offered.extension !== null) set('Content-Disposition', `attachment; filename="${endpoint}.${offered.extension}"`)
  if (representation.coding !== null) set('Content-Encoding', representation.coding)
  set('Content-Length', String(representation.body.byteLength))
  set('Accept-Ranges', hasRanges ? 'bytes' : 'none')
  return head
}

/** Names the arguments that were ignored; see unknown-arguments.ts. */
export const IGNORED_ARGUMENTS = 'X-Ignored-Arguments'

/** The headers that change with the age of the result. */
export function freshnessHeaders(facts: CacheFacts, { freshSeconds, ageSeconds }: Freshness): HeaderList {
  const head: HeaderList = []
  const set = (name: string, value: string): void => void head.push(name, value)
  set('Cache-Status', cacheStatus(facts, freshSeconds))
  if (facts.isCacheable) set('Age', String(ageSeconds))
  return head
}

/** `Server-Timing`: milliseconds in the engine (null where it was not asked) and in total, and the warehouse's cost. */
export function serverTiming(runMs: number | null, totalMs: number, cost: QueryCost | null = null): string {
  const total = `total;dur=${totalMs.toFixed(1)}`
  if (runMs === null) return total
  // A call that joined a running query has waited only for its rest.
  return `engine;dur=${Math.min(runMs, totalMs).toFixed(1)}${costOf(cost)}, ${total}`
}

function costOf(cost: QueryCost | null): string {
  if (cost === null) return ''
  return cost.isCacheHit ? ';desc="cache hit"' : `;desc="${cost.bytesBilled} bytes billed"`
}

/** RFC 9211. */
function cacheStatus({ outcome, isStored }: CacheFacts, freshSeconds: number): string {
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

/** The strong comparison of RFC 9110 §13.1.1: `*`, or a list of tags; tags with `W/` never match. */
export function isStrongMatch(ifMatch: string, etag: string): boolean {
  if (ifMatch.trim() === '*') return true
  const tags: readonly string[] = ifMatch.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
  return tags.includes(etag)
}

/** The weak comparison of RFC 9110 §13.1.2: `*`, or a list of tags whose `W/` is ignored. */
export function isMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  const tags: readonly string[] = ifNoneMatch.match(/"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
  return tags.includes(etag)
}
