/** The OpenAPI documents of callers as bytes, made on request. Loaded on the first request, since few servers are asked. */
import { createHash, randomUUID } from 'node:crypto'
import type { Endpoint } from '../model/endpoint.js'
import { stringifyExact } from '../model/exact-json.js'
import type { Caller } from '../model/ports.js'
import { type DocumentOptions, openApiDocument, revisionOf } from '../openapi/document.js'
import { mayRun } from '../request/authorize.js'
import type { EndpointIndex } from '../request/route.js'

/** What a request asks for, besides who asks. */
export type DocumentRequest = Pick<DocumentOptions, 'version' | 'allFormats' | 'serverUrl' | 'engine'>

/** The most characters that are kept; a document beyond them, or a reload, drops all others. */
const MAX_CHARACTERS = 8_000_000

/** Stands for the server's address while a document is made. No manifest has this text. */
const ADDRESS = `https://${randomUUID()}.invalid`

/** The documents of the endpoints that are served now, by caller and request. */
export class OpenApiDocuments {
  #index: EndpointIndex | null = null
  #revision = ''
  #kept = new Map<Caller, Map<string, KeptDocument>>()
  #characters = 0

  /** The bytes, which are put together anew with each call, and a hash of what makes them up, for an ETag. */
  find(index: EndpointIndex, caller: Caller, order: DocumentRequest) {
    if (index !== this.#index) {
      this.#index = index
      this.#revision = revisionOf(index.all)
      this.#forgetAll()
    }
    const { parts, tag } = this.#keptDocument(index.all, caller, order)
    const address = JSON.stringify(order.serverUrl).slice(1, -1)
    return { body: () => Buffer.from(parts.join(address)), tag: hash(`${tag} ${address}`) }
  }

  #keptDocument(all: readonly Endpoint[], caller: Caller, order: DocumentRequest): KeptDocument {
    const key = `${order.version} ${order.allFormats}`
    const kept = this.#kept.get(caller)?.get(key)
    if (kept) return kept
    const made = make(all, caller, { ...order, revision: this.#revision })
    if (this.#characters + made.length > MAX_CHARACTERS) this.#forgetAll()
    this.#characters += made.length
    this.#kept.set(caller, (this.#kept.get(caller) ?? new Map<string, KeptDocument>()).set(key, made))
    return made
  }

  #forgetAll(): void {
    this.#kept = new Map()
    this.#characters = 0
  }
}

type KeptDocument = ReturnType<typeof make>

/**
 * A document in the parts between the server's address. The address is the `Host` of a request, which can always be another,
 * so it is not a part of what is kept.
 */
function make(all: readonly Endpoint[], caller: Caller, options: Omit<DocumentOptions, 'pinned'>) {
  const visible = all.filter(endpoint => mayRun(caller, endpoint))
  const pinned = Object.keys(caller.pinned)
  const text = stringifyExact(openApiDocument(visible, { ...options, serverUrl: ADDRESS, pinned }))
  return { parts: text.split(ADDRESS), length: text.length, tag: hash(text) }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)
