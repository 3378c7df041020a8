/** The headers of a request that decide about an answer from stored bytes, in one pass over them. */

/** '' for a header that is not there. */
export interface HitHeaders {
  token: string
  accept: string
  acceptEncoding: string
  ifNoneMatch: string
  requestId: string
  cacheControl: string
}

type Role = keyof HitHeaders | 'bearer' | 'host' | 'stop'

/** `stop`: the slow path answers requests with this header. */
const ROLE_OF: Readonly<Record<string, Role>> = {
  'x-api-key': 'token',
  authorization: 'bearer',
  accept: 'accept',
  'accept-encoding': 'acceptEncoding',
  'if-none-match': 'ifNoneMatch',
  'x-request-id': 'requestId',
  host: 'host',
  origin: 'stop',
  'cache-control': 'cacheControl',
  'if-match': 'stop',
  range: 'stop',
  expect: 'stop',
  'content-length': 'stop',
  'transfer-encoding': 'stop',
  upgrade: 'stop',
}
const ROLES = new Map(Object.entries(ROLE_OF))
/** The longest value of a header that is a list: some browsers and libraries send 200 characters. */
export const MAX_LIST_LENGTH = 8_192
/** The most spellings of header names that are kept. */
const MAX_SPELLINGS = 1_000

export type ReadHeaders = (rawHeaders: readonly string[]) => HitHeaders | null

/**
 * Creates the reader. It returns null for a request that is not simple: a header that matters is repeated, or asks for more; it
 * is sent to a host for which `isServed` is false.
 */
export function createHeaderReader(isServed: (host: string) => boolean): ReadHeaders {
  const spellings = new Map<string, Role | null>()

  function roleOf(name: string): Role | null {
    const known = spellings.get(name)
    if (known !== undefined) return known
    const role = ROLES.get(name.toLowerCase()) ?? null
    if (spellings.size < MAX_SPELLINGS) spellings.set(name, role)
    return role
  }

  return rawHeaders => {
    const headers: HitHeaders = {
      token: '',
      accept: '',
      acceptEncoding: '',
      ifNoneMatch: '',
      requestId: '',
      cacheControl: '',
    }
    let bearer = ''
    let hosts = 0
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const role = roleOf(rawHeaders[i]!)
      if (role === null) continue
      const value = rawHeaders[i + 1]!
      if (role === 'stop' || value.length > MAX_LIST_LENGTH) return null
      if (role === 'host') {
        if (!isServed(value)) return null
        hosts += 1
      } else if (role === 'bearer') {
        if (bearer !== '') return null
        bearer = value
      } else if (!store(headers, role, value)) return null
    }
    if (hosts !== 1) return null
    if (bearer !== '') {
      const token = bearerToken(bearer) ?? ''
      if (headers.token === '') headers.token = token
      else if (token !== '' && token !== headers.token) return null
    }
    return headers.token === '' ? null : headers
  }
}

/**
 * Stores the value of a header; false where the header is repeated, or is empty and not the token. One case for each member:
 * a computed name would be looked up each time.
 */
function store(headers: HitHeaders, role: keyof HitHeaders, value: string): boolean {
  if (value === '') return role === 'token'
  switch (role) {
    case 'token':
      if (headers.token !== '') return false
      headers.token = value
      return true
    case 'accept':
      if (headers.accept !== '') return false
      headers.accept = value
      return true
    case 'acceptEncoding':
      if (headers.acceptEncoding !== '') return false
      headers.acceptEncoding = value
      return true
    case 'ifNoneMatch':
      if (headers.ifNoneMatch !== '') return false
      headers.ifNoneMatch = value
      return true
    case 'requestId':
      if (headers.requestId !== '') return false
      headers.requestId = value
      return true
    case 'cacheControl':
      if (headers.cacheControl !== '') return false
      headers.cacheControl = value
      return true
    default:
      return role satisfies never
  }
}

/** Whether the caller wants a new result rather than a stored one: `no-cache` or `max-age=0` (RFC 9111 §5.2.1). */
export function wantsFresh(cacheControl: string): boolean {
  if (cacheControl === '') return false
  return cacheControl.split(',').some(directive => /^\s*(no-cache|max-age\s*=\s*"?0+"?)\s*$/i.test(directive))
}

/** The token of `Authorization: Bearer`; null for any other text. */
export function bearerToken(authorization: string): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null
}
