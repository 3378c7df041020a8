/** Any JSON value. */
export type Json = unknown
export type EndpointName = keyof Endpoints
export type Args<N extends EndpointName> = Endpoints[N]['args']
export type Row<N extends EndpointName> = Endpoints[N]['row']
type Takes<A> = (args: A) => void
/** The arguments that every one of several endpoints takes. */
type AllArgs<N extends EndpointName> = (N extends N ? Takes<Args<N>> : never) extends Takes<infer A> ? A : never
type Tag = string | null | undefined
/** The endpoints that have pages. */
export type PagedName = { [N in EndpointName]: Endpoints[N] extends { pages: true } ? N : never }[EndpointName]

export interface SluiceOptions {
  /** The server's address: `https://sluice.example.com`, or `''` for a page's own server. */
  readonly url: string
  /** A function is asked for each call, and once more where the token has expired. */
  readonly token: string | (() => string | Promise<string>)
}

export interface CallOptions<T extends Tag = Tag> {
  /** Ends the call and its waits. */
  readonly signal?: AbortSignal | null | undefined
  /** The `meta.etag` of an earlier result: `rows` is null where the result is still the same. */
  readonly etag?: T
}

export interface RowsOptions extends Pick<CallOptions, 'signal'> {
  /** How many rows are fetched at once; without it as many as the endpoint allows. */
  readonly pageSize?: number | undefined
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
  /**
   * The rows of all pages, one after the other. `meta` is that of the page that was fetched last, and null before the first.
   * @throws what `call` throws; SluiceError PAGE_GONE where the data has changed and the result of the first page is gone.
   */
  rows<N extends PagedName>(
    name: N,
    ...rest: {} extends AllArgs<N> ? [args?: AllArgs<N>, options?: RowsOptions] : [args: AllArgs<N>, options?: RowsOptions]
  ): AsyncIterableIterator<Row<N>> & { readonly meta: Meta | null }
}

/** The server refused the call or could not answer it. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError'
  readonly code: ErrorCode
  readonly status: number
  /** Each bad argument. */
  readonly errors: readonly { readonly parameter: string; readonly detail: string }[]
  readonly requestId: string | null

  constructor({ status, headers }: Response, { code, detail, errors }: Record<string, unknown>) {
    const known = typeof code === 'string' ? (code as ErrorCode) : 'UNKNOWN'
    const each: SluiceError['errors'] = Array.isArray(errors) ? errors : []
    const text = `${known}: ${detail ?? `the server answered ${status}`}`
    super([text, ...each.map(one => `${one.parameter} ${one.detail}`)].join('; '))
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

  async function ask(name: string, args: object, { signal = null, etag }: CallOptions) {
    const { query, body } = requestOf(args)
    const headers: Record<string, string> = { Accept: 'application/json' }
    if (body !== null) headers['Content-Type'] = 'application/json'
    if (etag) headers['If-None-Match'] = etag
    headers['X-API-KEY'] = typeof token === 'string' ? token : await token()
    const method = body === null ? 'GET' : 'POST'
    for (let renewals = 0, retries = 0; ; ) {
      // A redirect is an error: another address must not get the token.
      const init = { method, headers, body, signal, redirect: 'manual' } as const
      const response = await fetch(base + encodeURIComponent(name) + query, init)
      const meta = metaOf(response.headers)
      if (response.status === 304) return { rows: null, meta, next: null }
      const { result: rows, next = null, ...problem } = Object(await response.json().catch(emptyIfNotJson))
      if (response.status === 200 && Array.isArray(rows)) return { rows, meta, next }
      const error = new SluiceError(response, problem)
      const seconds = waitOf(response)
      if ((error.code as string) === 'TOKEN_EXPIRED' && typeof token !== 'string' && renewals++ < 1) {
        headers['X-API-KEY'] = await token()
      } else if (seconds <= LONGEST_WAIT && retries++ < RETRIES) await wait(seconds * 1000, signal)
      else throw error
    }
  }

  async function call(name: string, args: object = {}, options: CallOptions = {}) {
    const { rows, meta } = await ask(name, args, options)
    return { rows, meta }
  }

  function rows(name: string, args: object = {}, { signal, pageSize = PAGE_SIZES[name] }: RowsOptions = {}) {
    async function* walk(): AsyncGenerator<unknown> {
      for (let cursor: unknown; cursor !== null; ) {
        const page = await ask(name, { ...args, page_size: pageSize, cursor }, { signal })
        all.meta = page.meta
        yield* page.rows ?? []
        cursor = page.next
      }
    }
    const all = Object.assign(walk(), { meta: null as Meta | null })
    return all
  }
  return { call: call as Sluice['call'], rows: rows as Sluice['rows'] }
}

function requestOf(args: object): { readonly query: string; readonly body: string | null } {
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null)
  const texts = given.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : textOf(value)] as const)
  const pairs = new URLSearchParams()
  for (const [name, text] of texts) for (const one of typeof text === 'string' ? [text] : text) pairs.append(name, one)
  const query = pairs.toString()
  // In an address, a list of one element that has a comma could be mistaken for a list in one text, and an empty element for none.
  const isUnclear = texts.some(([, text]) => {
    return typeof text !== 'string' && (text.includes('') || (text.length === 1 && /^\[|,/.test(`${text}`)))
  })
  if (!isUnclear && query.length <= LONGEST_QUERY) return { query: query && `?${query}`, body: null }
  return { query: '', body: JSON.stringify(Object.fromEntries(texts)) }
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

function metaOf(headers: Headers): Meta {
  const status = /(?:^|,)\s*sluice;[^,]*/.exec(headers.get('Cache-Status') ?? '')?.[0] ?? ''
  const cache = /\b(?:hit|collapsed)\b/.exec(status)?.[0] ?? /\bfwd=(\w+)/.exec(status)?.[1] ?? null
  return {
    rowCount: Number(headers.get('X-Row-Count')),
    truncated: headers.get('X-Truncated') === 'true',
    etag: headers.get('ETag'),
    ageSeconds: Number(headers.get('Age')),
    cache: cache as Meta['cache'],
    requestId: headers.get('X-Request-Id'),
  }
}

function emptyIfNotJson(error: unknown): object {
  if (error instanceof SyntaxError) return {}
  throw error
}

/** The seconds after which the call may be tried again; NaN where it may not. */
function waitOf({ status, headers }: Response): number {
  const text = (status === 429 || status === 503) && headers.get('Retry-After')
  if (!text) return Number.NaN
  return /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
}

/** Ends early where the signal ends the call: the next fetch fails with its reason. */
const wait = (ms: number, signal: AbortSignal | null): Promise<void> =>
  new Promise(resolve => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
