/** Requests to this server. Addresses are relative to the page, so that the server may be reached below any path. */
import type { Arguments, Problem } from './contract.js'
import { queryOf } from './query-string.js'

/** Longer addresses become a POST. */
const MAX_ADDRESS = 8_000

/**
 * Asks for no new result, and is not `no-cache`, which the browser would send with `no-store` by itself: what the server's
 * own cache does must be seen.
 */
const AS_STORED = 'max-age=31536000'

export class Refused extends Error {
  override readonly name = 'Refused'
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.title)
    this.problem = problem
  }
}

export interface Asked {
  readonly token: string
  readonly accept?: string
  readonly wantsFresh?: boolean
  readonly signal?: AbortSignal | undefined
  /** A JSON document, which makes it a POST. */
  readonly body?: unknown
}

/** The answer, if it is a success. @throws Refused; an AbortError when `signal` fires. */
export async function ask(path: string, { token, accept = 'application/json', ...rest }: Asked): Promise<Response> {
  const { wantsFresh = false, signal = null, body } = rest
  let response: Response
  try {
    response = await fetch(new URL(`../${path}`, document.baseURI), {
      cache: 'no-store',
      credentials: 'omit',
      signal,
      headers: {
        'X-API-KEY': token,
        Accept: accept,
        'Cache-Control': wantsFresh ? 'no-cache' : AS_STORED,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
  } catch (thrown) {
    if (isAbort(thrown)) throw thrown
    const detail = 'It may have been stopped, or the network is down. Try again when it is back.'
    throw new Refused({ status: 0, code: 'UNREACHABLE', title: 'The server does not answer', detail })
  }
  if (!response.ok) throw new Refused(await problemOf(response))
  return response
}

export interface AskedCall extends Omit<Asked, 'body'> {
  /** A format that `accept` cannot name. It stands in the address, of a POST too. */
  readonly format?: string | undefined
}

/** Calls an endpoint. @throws as `ask` does. */
export function callEndpoint(name: string, args: Arguments, { format, ...asked }: AskedCall): Promise<Response> {
  const path = `api/endpoints/query/${encodeURIComponent(name)}`
  const chosen = format === undefined ? {} : { format }
  const address = (query: string): string => (query === '' ? path : `${path}?${query}`)
  const whole = address(queryOf({ ...args, ...chosen }))
  return whole.length > MAX_ADDRESS ? ask(address(queryOf(chosen)), { ...asked, body: args }) : ask(whole, asked)
}

export const isAbort = (thrown: unknown): boolean => thrown instanceof DOMException && thrown.name === 'AbortError'

async function problemOf(response: Response): Promise<Problem> {
  const { status, headers } = response
  const facts = { status, ...retryAfterOf(headers), ...requestIdOf(headers) }
  try {
    return { code: 'UNKNOWN', title: `HTTP status ${status}`, ...((await response.json()) as object), ...facts }
  } catch {
    return { code: 'UNKNOWN', title: `The server answered with HTTP status ${status}`, ...facts }
  }
}

function retryAfterOf(headers: Headers): Pick<Problem, 'retryAfter'> {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN)
  return Number.isFinite(seconds) ? { retryAfter: seconds } : {}
}

function requestIdOf(headers: Headers): Pick<Problem, 'requestId'> {
  const requestId = headers.get('X-Request-Id')
  return requestId === null ? {} : { requestId }
}
