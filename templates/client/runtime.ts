/** Any JSON value. */
export type Json = unknown
export type EndpointName = keyof Endpoints
export type Args<N extends EndpointName> = Endpoints[N]['args']
export type Row<N extends EndpointName> = Endpoints[N]['row']
/** The arguments that every one of several endpoints takes. */
type AllArgs<N extends EndpointName> = (N extends EndpointName ? (args: Args<N>) => void : never) extends (
  args: infer A,
) => void
  ? A
  : never

export interface SluiceOptions {
  /** The server's address: `https://sluice.example.com`, or `''` for a page's own server. */
  readonly url: string
  /** A function is asked for each call, and once more where the token has expired. */
  readonly token: string | (() => string | Promise<string>)
}

type Tag = string | null | undefined

export interface CallOptions<T extends Tag = Tag> {
  /** Ends the call and its waits. */
  readonly signal?: AbortSignal | null | undefined
  /** The `meta.etag` of an earlier result: `rows` is null where the result is still the same. */
  readonly etag?: T
}

export interface Meta {
  readonly rowCount: number
  /** The result had more rows, and was cut. */
  readonly truncated: boolean
  readonly etag: string | null
  /** How old the result is; 0 where it was made for this call. */
  readonly ageSeconds: number
  /** Where the result came from. */
  readonly cache: 'hit' | 'miss' | 'collapsed' | 'stale' | 'request' | 'bypass' | null
  readonly requestId: string | null
}

export interface Sluice {
  /**
   * Calls an endpoint. After a 429 or a 503 it waits as long as `Retry-After` says, and tries twice more.
   * @throws SluiceError for every other failure that the server tells; what `fetch` throws, also where the signal ends it.
   */
  call<N extends EndpointName, T extends Tag = undefined>(
    name: N,
    ...rest: {} extends AllArgs<N>
      ? [args?: AllArgs<N>, options?: CallOptions<T>]
      : [args: AllArgs<N>, options?: CallOptions<T>]
  ): Promise<{ rows: T extends string ? Row<N>[] | null : Row<N>[]; meta: Meta }>
}

/** The server refused the call or could not answer it. */
export class SluiceError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** Each bad argument. */
  readonly errors: readonly { readonly parameter: string; readonly detail: string }[]
  readonly requestId: string | null

  constructor({ status, statusText, headers }: Response, { code, detail, title, errors }: Record<string, unknown>) {
    const isProblem = typeof code === 'string'
    const text = isProblem ? (detail ?? title) : `the server answered ${status} ${statusText}`.trim()
    const each: SluiceError['errors'] = isProblem && Array.isArray(errors) ? errors : []
    const known = isProblem ? (code as ErrorCode) : 'UNKNOWN'
    super([`${known}: ${text}`, ...each.map(one => `${one.parameter} ${one.detail}`)].join('; '))
    this.name = 'SluiceError'
    this.code = known
    this.status = status
    this.errors = each
    this.requestId = headers.get('X-Request-Id')
  }
}

/** A 429 or 503 is tried again this often, unless Retry-After asks for a longer wait than this many seconds. */
const RETRIES = 2
const LONGEST_WAIT = 60
/** A longer query string goes into the body of a POST. */
const LONGEST_QUERY = 8_000

export function createSluice({ url, token }: SluiceOptions): Sluice {
  const base = `${url.replace(/\/+$/, '')}/api/endpoints/query/`

  async function call(name: string, args: object = {}, { signal = null, etag }: CallOptions = {}) {
    const { query, body } = requestOf(args)
    const headers: Record<string, string> = { Accept: 'application/json' }
    if (body !== null) headers['Content-Type'] = 'application/json'
    if (etag) headers['If-None-Match'] = etag
    headers['X-API-KEY'] = typeof token === 'string' ? token : await token()
    let isRenewed = false
    for (let retries = 0; ; ) {
      const response = await fetch(base + encodeURIComponent(name) + query, {
        method: body === null ? 'GET' : 'POST',
        headers,
        body,
        signal,
        redirect: 'manual', // Another address must not get the token.
      })
      if (response.status === 304) return { rows: null, meta: metaOf(response.headers, 0) }
      const { result: rows, ...problem } = objectOf(await response.text())
      if (response.status === 200 && Array.isArray(rows)) return { rows, meta: metaOf(response.headers, rows.length) }
      const error = new SluiceError(response, problem)
      const seconds = waitOf(response)
      if ((error.code as string) === 'TOKEN_EXPIRED' && typeof token !== 'string' && !isRenewed) {
        headers['X-API-KEY'] = await token()
        isRenewed = true
      } else if (seconds !== null && retries < RETRIES) {
        await wait(seconds * 1000, signal)
        retries += 1
      } else throw error
    }
  }
  return { call: call as Sluice['call'] }
}

function requestOf(args: object): { readonly query: string; readonly body: string | null } {
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null)
  const texts = given.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)] as const)
  const pairs = new URLSearchParams()
  for (const [name, text] of texts) for (const one of typeof text === 'string' ? [text] : text) pairs.append(name, one)
  const query = pairs.toString()
  // A list of one element that has a comma could be mistaken for a list in one text.
  const isUnclear = texts.some(([, text]) => typeof text !== 'string' && text.length === 1 && /^\[|,/.test(`${text}`))
  if (!isUnclear && query.length <= LONGEST_QUERY) return { query: query && `?${query}`, body: null }
  return { query: '', body: JSON.stringify(Object.fromEntries(texts)) }
}

function metaOf(headers: Headers, rows: number): Meta {
  const status = /(?:^|,)\s*sluice((?:;[^,]*)*)/.exec(headers.get('Cache-Status') ?? '')?.[1] ?? ''
  const cache = /\b(?:hit|collapsed)\b/.exec(status)?.[0] ?? /\bfwd=(\w+)/.exec(status)?.[1] ?? null
  return {
    rowCount: Number(headers.get('X-Row-Count') ?? rows),
    truncated: headers.get('X-Truncated') === 'true',
    etag: headers.get('ETag'),
    ageSeconds: Number(headers.get('Age') ?? 0),
    cache: cache as Meta['cache'],
    requestId: headers.get('X-Request-Id'),
  }
}

function objectOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** The seconds after which the call may be tried again; null where it may not. */
function waitOf({ status, headers }: Response): number | null {
  const text = headers.get('Retry-After')
  if (text === null || (status !== 429 && status !== 503)) return null
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return seconds <= LONGEST_WAIT ? Math.max(seconds, 0) : null
}

const wait = (ms: number, signal: AbortSignal | null): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
