/** CORS headers for the configured origins. */
import type { RequestHandler } from 'express'
import { EXPOSED } from './headers.js'

const ALLOWED_METHODS = 'GET, HEAD, POST'
const ALLOWED_HEADERS =
  'X-API-KEY, Authorization, Accept, Content-Type, Cache-Control, If-Match, If-None-Match, Range, If-Range, X-Request-Id, ' +
  'Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id'
/** How long a browser may remember a preflight: 10 minutes. */
const MAX_AGE_SECONDS = '600'

/** `*` among the origins allows every origin; an empty list allows none and adds no header. */
export function cors(origins: readonly string[]): RequestHandler {
  return (req, res, next) => {
    if (origins.length === 0) return next()
    res.vary('Origin') // Also without an Origin: a cache must not serve such an answer to a browser.
    const origin = req.get('Origin')
    if (origin === undefined || !(origins.includes(origin) || origins.includes('*'))) return next()
    // The token has a header of its own, so requests need no credentials mode, and `*` is allowed.
    res.setHeader('Access-Control-Allow-Origin', origins.includes('*') ? '*' : origin)
    res.setHeader('Access-Control-Expose-Headers', EXPOSED)
    if (req.method !== 'OPTIONS' || req.get('Access-Control-Request-Method') === undefined) return next()
    res.setHeader('Access-Control-Allow-Methods', ALLOWED_METHODS)
    res.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS)
    res.setHeader('Access-Control-Max-Age', MAX_AGE_SECONDS)
    res.status(204).end()
  }
}
