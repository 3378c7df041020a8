/**
 * The headers of responses, a row each: its value on a result, whether a page of another origin may read it, and what OpenAPI
 * says of it. The app, the fast path, CORS and OpenAPI read these rows.
 */
import type { ServerResponse } from 'node:http'
import type { Format } from '../formats/format.js'
import { CURSOR } from '../model/page.js'
import type { PartialRead, QueryCost } from '../model/query.js'
import type { RunResponse } from '../request/handle.js'

/** Header names and values, alternating. */
export type HeaderList = string[]

/** The seconds for which the result stays fresh, and its age in seconds. */
export interface Freshness {
  readonly freshSeconds: number
  readonly ageSeconds: number
}

/** The facts about an answer that stay the same while its representation is stored. */
export interface StoredFacts {
  readonly result: RunResponse['result']
  readonly representation: { readonly etag: string; readonly coding: string | null; readonly body: Uint8Array }
  /** Whether the endpoint is cached. */
  readonly isCacheable: boolean
  readonly format: Format
  /** The endpoint's name. */
  readonly endpoint: string
  /** Whether the next request for the same bytes finds them in the cache, so that a part of them can be asked for. */
  readonly hasRanges: boolean
  /** The address of the call, with its query string. */
  readonly url: string
  /** The value of X-Ignored-Arguments; '' where no argument was ignored. */
  readonly ignored: string
}

/** The facts that change with the age of the result. */
export type AgingFacts = Pick<RunResponse, 'isCacheable' | 'outcome' | 'isStored' | 'partial'> & Freshness

type Answer = '200' | '304'

interface ResponseHeader {
  readonly name: string
  /** Its value on every answer. */
  readonly always?: string
  /** Its value on a result; null where the result does not have it. */
  readonly stored?: (facts: StoredFacts) => string | null
  readonly aging?: (facts: AgingFacts) => string | null
  /** A 304 does not have it, since it describes the body. */
  readonly isOfBody?: true
  /** A page of another origin may read it, besides the few headers that such a page may always read. */
  readonly isExposed?: true
  /** Only endpoints that have pages send it. */
  readonly isOfPages?: true
  readonly openApi?: { readonly header: object; readonly answers: readonly Answer[] }
}

const RESULT = ['200'] as const
const BOTH = ['200', '304'] as const
const NO_RESULT = [] as const
const TEXT = { type: 'string' }
const COUNT = { type: 'integer', minimum: 0 }
const describe = (description: string, schema: object, answers: readonly Answer[] = RESULT) => ({
  header: { description, schema },
  answers,
})

const ROWS: readonly ResponseHeader[] = [
  {
    name: 'ETag',
    stored: ({ representation }) => representation.etag,
    isExposed: true,
    openApi: describe('A strong tag of this representation, for `If-None-Match`.', TEXT, BOTH),
  },
  {
    name: 'Cache-Control',
    stored: ({ isCacheable, result }) => (isCacheable ? `private, max-age=${maxAge(result)}` : 'private, no-cache'),
    openApi: describe('How long the result may be kept.', TEXT, BOTH),
  },
  {
    name: 'Age',
    aging: ({ isCacheable, ageSeconds }) => (isCacheable ? String(ageSeconds) : null),
    isExposed: true,
    openApi: describe('How old the result is, in seconds.', COUNT),
  },
  {
    name: 'Cache-Status',
    aging: cacheStatus,
    isExposed: true,
    openApi: describe('Where the result came from (RFC 9211).', TEXT),
  },
  { name: 'Server-Timing', isExposed: true, openApi: describe('Milliseconds in the engine and in total.', TEXT) },
  {
    name: 'X-Row-Count',
    stored: ({ result }) => String(result.rowCount),
    isExposed: true,
    openApi: describe('The number of rows.', COUNT),
  },
  {
    name: 'X-Total-Rows',
    stored: ({ result }) => (result.page ? String(result.page.totalRows) : null),
    isExposed: true,
    isOfPages: true,
    openApi: describe('The number of rows of all pages; absent where no page was asked for.', COUNT),
  },
  {
    name: 'X-Truncated',
    stored: ({ result }) => (result.isTruncated ? 'true' : null),
    isExposed: true,
    openApi: describe('`true` if the result was cut to `max_rows`; absent otherwise.', { ...TEXT, enum: ['true'] }),
  },
  {
    name: 'X-Ignored-Arguments',
    stored: ({ ignored }) => ignored || null,
    isExposed: true,
    openApi: describe(
      'Arguments of the call that the endpoint does not declare: names, percent-encoded, with commas between them.',
      TEXT,
    ),
  },
  {
    name: 'X-Request-Id',
    isExposed: true,
    openApi: describe('The id of the request, which the log has too.', TEXT, BOTH),
  },
  { name: 'Retry-After', isExposed: true, openApi: describe('In how many seconds to ask again.', COUNT, NO_RESULT) },
  { name: 'Content-Type', stored: ({ format }) => format.contentType, isOfBody: true },
  {
    name: 'Content-Disposition',
    stored: ({ format, endpoint }) => dispositionOf(format, endpoint),
    isOfBody: true,
    isExposed: true,
  },
  { name: 'Content-Encoding', stored: ({ representation }) => representation.coding, isOfBody: true },
  { name: 'Content-Length', stored: ({ representation }) => String(representation.body.byteLength), isOfBody: true },
  { name: 'Accept-Ranges', stored: ({ hasRanges }) => (hasRanges ? 'bytes' : 'none'), isOfBody: true, isExposed: true },
  { name: 'Content-Range', isExposed: true },
  {
    name: 'Link',
    stored: ({ result, url }) => (result.page?.next ? nextLink(url, result.page.next) : null),
    isExposed: true,
    isOfPages: true,
    openApi: describe('Where the next page is (`rel="next"`); absent on the last one.', TEXT),
  },
  { name: 'WWW-Authenticate', isExposed: true },
  { name: 'Allow', isExposed: true },
  { name: 'X-Content-Type-Options', always: 'nosniff' },
]

/** The same address with this cursor (RFC 8288). The caller of a POST sends its body again. */
function nextLink(url: string, next: string): string {
  const [path = '', ...rest] = url.split('?')
  const pairs = rest.join('?').split('&')
  // decodeURIComponent does not throw, since all names were decoded before the call.
  const others = pairs.filter(pair => pair !== '' && decodeURIComponent(pair.split('=', 1)[0]!) !== CURSOR)
  // An address has one character for each byte, and may have characters that would end it in this header.
  const encoded = [path, [...others, `cursor=${next}`].join('&')]
    .join('?')
    .replace(/[^\x21-\x7e]|["<>\\^`{|}]/g, byte => {
      return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
    })
  return `<${encoded}>; rel="next"`
}

/** Sets the headers of this list. */
export function setHeaders(res: ServerResponse, list: HeaderList): void {
  for (let i = 0; i < list.length; i += 2) res.setHeader(list[i]!, list[i + 1]!)
}

/** The headers of every answer. */
export const EVERY_ANSWER: HeaderList = ROWS.flatMap(({ name, always }) => (always === undefined ? [] : [name, always]))

/** The headers of a 200, or of its 304 (RFC 9110 §15.4.5), that stay the same while the representation is stored. */
export const storedHeaders = (status: 200 | 304, facts: StoredFacts): HeaderList =>
  listOf(({ stored, isOfBody }) => (status === 304 && isOfBody ? null : stored?.(facts)))

export const agingHeaders = (facts: AgingFacts): HeaderList => listOf(({ aging }) => aging?.(facts))

function listOf(read: (row: ResponseHeader) => string | null | undefined): HeaderList {
  const list: HeaderList = []
  for (const row of ROWS) {
    const value = read(row)
    if (value !== null && value !== undefined) list.push(row.name, value)
  }
  return list
}

/** `Access-Control-Expose-Headers`. */
export const EXPOSED = ROWS.filter(({ isExposed }) => isExposed)
  .map(({ name }) => name)
  .join(', ')

/** The rows that OpenAPI describes, without or with those of pages. */
const describedRows = (hasPages: boolean) => ROWS.filter(row => row.openApi && (hasPages || !row.isOfPages))

/** The headers that OpenAPI describes, by name. */
export const headerObjects = (hasPages: boolean): Readonly<Record<string, object>> =>
  Object.fromEntries(describedRows(hasPages).map(({ name, openApi }) => [name, openApi!.header]))

/** The names of the described headers that this answer has. */
export const namesFor = (answer: Answer, hasPages: boolean): readonly string[] =>
  describedRows(hasPages)
    .filter(({ openApi }) => openApi!.answers.includes(answer))
    .map(({ name }) => name)

/** The value of Content-Disposition; null for a format that browsers show. No character in an endpoint's name needs to be escaped. */
export function dispositionOf({ isAttachment, extension }: Format, endpoint: string): string | null {
  return isAttachment ? `attachment; filename="${endpoint}.${extension}"` : null
}

export const VARY = 'X-API-KEY, Authorization, Accept, Accept-Encoding'

/** The remaining time is rounded up and the age down, so that both always add up to the ttl. */
export function freshnessOf(result: RunResponse['result'], nowMs: number): Freshness {
  const { freshUntil, storedAt, dataState } = result
  return {
    freshSeconds: dataState !== undefined ? 0 : Math.max(0, Math.ceil((freshUntil - nowMs) / 1000)),
    ageSeconds: Math.max(0, Math.floor((nowMs - storedAt) / 1000)),
  }
}

/**
 * The whole ttl, however old the result is: a cache subtracts `Age` from it (RFC 9111 §4.2). Zero where the data may change at
 * any time, so that a client's cache revalidates each time, and usually gets a 304.
 */
function maxAge({ freshUntil, storedAt, dataState }: RunResponse['result']): number {
  return dataState !== undefined ? 0 : Math.ceil((freshUntil - storedAt) / 1000)
}

/** `Server-Timing`: milliseconds in the engine (null where it was not asked) and in total, and the warehouse's cost. */
export function serverTiming(runMs: number | null, totalMs: number, cost: QueryCost | null): string {
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
function cacheStatus({ outcome, isStored, freshSeconds, partial }: AgingFacts): string {
  if (outcome === 'hit') return `sluice; hit; ttl=${freshSeconds}`
  const stored = isStored ? '; stored' : ''
  if (partial && outcome === 'miss') return `sluice; fwd=partial${stored}; detail="${partialDetail(partial)}"`
  return `sluice; fwd=${FORWARDED[outcome]}${stored}`
}

const partialDetail = ({ kept, of, tier }: PartialRead): string => `kept ${kept} of ${of} buckets; ${tier}`

/** What Cache-Status says of a call that was not a hit. */
const FORWARDED: Readonly<Record<Exclude<AgingFacts['outcome'], 'hit'>, string>> = {
  miss: 'miss',
  coalesced: 'miss; collapsed',
  fresh: 'request',
  stale: 'stale',
  bypass: 'bypass',
}
