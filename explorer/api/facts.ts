/** The facts in the headers of a result, as values and in words. */

export interface Facts {
  /** The rows of the whole result, of which a page has a part. */
  readonly rowCount: number
  readonly isTruncated: boolean
  /** Bytes on the wire; null where the server does not say. */
  readonly wireBytes: number | null
  /** `br`, `gzip`; null for none. */
  readonly coding: string | null
  /** Bytes of the decoded body. */
  readonly bodyBytes: number
  /** `Cache-Status` as it was sent. */
  readonly cacheStatus: string
  readonly outcome: CacheWord
  readonly ageSeconds: number | null
  readonly etag: string | null
  readonly requestId: string | null
  /** Milliseconds: in the engine (null where it was not asked), in the server, and from the click to the last byte. */
  readonly engineMs: number | null
  readonly serverMs: number | null
  readonly elapsedMs: number
  /** What BigQuery billed; null where no query ran there. */
  readonly bytesBilled: number | null
  /** When the answer came, in milliseconds since 1970. */
  readonly at: number
}

export type CacheWord = 'hit' | 'miss' | 'shared' | 'stale' | 'fresh' | 'uncached'

interface Received {
  readonly bodyBytes: number
  readonly elapsedMs: number
  readonly at: number
}

export function factsOf(headers: Pick<Headers, 'get'>, received: Received): Facts {
  const cacheStatus = headers.get('Cache-Status') ?? ''
  const timing = headers.get('Server-Timing') ?? ''
  return {
    ...received,
    rowCount: Number(headers.get('X-Total-Rows') ?? headers.get('X-Row-Count') ?? 0),
    isTruncated: headers.get('X-Truncated') === 'true',
    wireBytes: numberOf(headers.get('Content-Length')),
    coding: headers.get('Content-Encoding'),
    cacheStatus,
    outcome: outcomeOf(cacheStatus),
    ageSeconds: numberOf(headers.get('Age')),
    etag: headers.get('ETag'),
    requestId: headers.get('X-Request-Id'),
    engineMs: durationOf(timing, 'engine'),
    serverMs: durationOf(timing, 'total'),
    bytesBilled: billedOf(timing),
  }
}

function numberOf(text: string | null): number | null {
  return text === null || !Number.isFinite(Number(text)) ? null : Number(text)
}

function durationOf(timing: string, name: string): number | null {
  return numberOf(new RegExp(`(?:^|,)\\s*${name};dur=([\\d.]+)`).exec(timing)?.[1] ?? null)
}

function billedOf(timing: string): number | null {
  if (timing.includes('desc="cache hit"')) return 0
  return numberOf(/desc="(\d+) bytes billed"/.exec(timing)?.[1] ?? null)
}

function outcomeOf(status: string): CacheWord {
  if (/; hit\b/.test(status)) return 'hit'
  if (/; collapsed\b/.test(status)) return 'shared'
  if (/; fwd=miss\b/.test(status)) return 'miss'
  if (/; fwd=stale\b/.test(status)) return 'stale'
  if (/; fwd=request\b/.test(status)) return 'fresh'
  return 'uncached'
}

/** `hit, 312 s old, fresh for 588 s more`. */
export function cacheInWords({ outcome, cacheStatus, ageSeconds }: Facts): string {
  const age = ageSeconds === null ? '' : `, ${ageSeconds} s old`
  const ttl = /; ttl=(\d+)/.exec(cacheStatus)?.[1]
  const stored = cacheStatus.includes('stored') ? ', and the result is stored' : ''
  switch (outcome) {
    case 'hit':
      return `hit${age}${ttl === undefined || ttl === '0' ? '' : `, fresh for ${ttl} s more`}`
    case 'miss':
      return `miss: the query ran${stored}`
    case 'shared':
      return 'miss: joined a query that another call had begun'
    case 'stale':
      return `stale${age}: a new result is on its way, or could not be had`
    case 'fresh':
      return `new result as asked: the query ran${stored}`
    case 'uncached':
      return 'not cached: the query runs on every call'
    default:
      return outcome satisfies never
  }
}

/** In USD; null where nothing is known to have been billed. */
export function priceOf({ bytesBilled }: Pick<Facts, 'bytesBilled'>, usdPerTib: number | null): number | null {
  return bytesBilled === null || usdPerTib === null ? null : (bytesBilled / 2 ** 40) * usdPerTib
}
