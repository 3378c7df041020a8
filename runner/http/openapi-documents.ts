/** The OpenAPI documents of callers as bytes, made on request. Loaded on the first request, since few servers are asked. */
import { createHash } from 'node:crypto'
import type { Endpoint } from '../model/endpoint.js'
import { stringifyExact } from '../model/exact-json.js'
import type { Caller } from '../model/ports.js'
import { type DocumentOptions, openApiDocument, revisionOf } from '../openapi/document.js'
import { mayRun } from '../request/authorize.js'
import type { EndpointIndex } from '../request/route.js'

/** What a request asks for, besides who asks. */
export type DocumentOrder = Pick<DocumentOptions, 'version' | 'allFormats' | 'serverUrl' | 'engine'>

export interface DocumentBytes {
  readonly body: Buffer
  /** A hash of the bytes, for an ETag. */
  readonly tag: string
}

/** The most bytes that are kept; a document beyond them, or a reload, drops all others. */
const MAX_BYTES = 8_000_000

/** Documents by the load, the caller and what was asked for. */
export interface OpenApiDocuments {
  find(index: EndpointIndex, caller: Caller, order: DocumentOrder): DocumentBytes
}

/** An empty cache. */
export function createOpenApiDocuments(): OpenApiDocuments {
  let known: EndpointIndex | null = null
  let revision = ''
  let kept = new Map<Caller, Map<string, DocumentBytes>>()
  let bytes = 0

  function forgetAll(): void {
    kept = new Map()
    bytes = 0
  }

  return {
    find(index, caller, order) {
      if (index !== known) {
        known = index
        revision = revisionOf(index.all)
        forgetAll()
      }
      const key = `${order.version} ${order.allFormats} ${order.serverUrl}`
      const before = kept.get(caller)?.get(key)
      if (before) return before
      const made = bytesOf(index.all, caller, { ...order, revision })
      if (bytes + made.body.byteLength > MAX_BYTES) forgetAll()
      bytes += made.body.byteLength
      kept.set(caller, (kept.get(caller) ?? new Map<string, DocumentBytes>()).set(key, made))
      return made
    },
  }
}

function bytesOf(all: readonly Endpoint[], caller: Caller, options: Omit<DocumentOptions, 'pinned'>): DocumentBytes {
  const visible = all.filter(endpoint => mayRun(caller, endpoint))
  const document = openApiDocument(visible, { ...options, pinned: Object.keys(caller.pinned) })
  const body = Buffer.from(stringifyExact(document))
  return { body, tag: createHash('sha256').update(body).digest('base64url').slice(0, 22) }
}
