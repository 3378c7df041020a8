/** Reads headers of a request, for the app and the fast path. */

/** The longest value of a header that is a list: some browsers and libraries send 200 characters. */
export const MAX_LIST_LENGTH = 8_192

/** Whether the caller wants a new result rather than a stored one: `no-cache` or `max-age=0` (RFC 9111 §5.2.1). */
export function wantsFresh(cacheControl: string): boolean {
  if (cacheControl === '') return false
  return cacheControl.split(',').some(directive => /^\s*(no-cache|max-age\s*=\s*"?0+"?)\s*$/i.test(directive))
}

/** The token of `Authorization: Bearer`; null for any other text. */
export function bearerToken(authorization: string): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null
}
