/** The OpenAPI documents of callers as bytes, made on request. Loaded on the first request, since few servers are asked. */
import { createHash, randomUUID } from 'node:crypto'
import type { Endpoint } from '../model/endpoint.js'
import { stringifyExact } from '../model/exact-json.js'
import { pacedTurns, queueOfTurns } from '../model/in-turns.js'
import { isRecord } from '../model/is-record.js'
import type { Caller } from '../model/ports.js'
import {
  type Description,
  type DocumentOptions,
  describeEndpoints,
  openApiDocument,
  revisionOf,
} from '../openapi/document.js'
import { mayRun } from '../request/authorize.js'
import type { EndpointIndex } from '../request/route.js'

export type DocumentRequest = Pick<DocumentOptions, 'version' | 'allFormats' | 'serverUrl' | 'engine'>

/** The most characters of the kept documents. When a new document would exceed them, all others are dropped. */
const MAX_CHARACTERS = 8_000_000

/** Stands for the server's address while a document is made. No manifest has this text. */
const ADDRESS = `https://${randomUUID()}.invalid`

/** The documents of the endpoints that are served now, by caller and request. */
export class OpenApiDocuments {
  #index: EndpointIndex | null = null
  #revision = ''
  #kept = new Map<Caller, Map<string, Promise<KeptDocument>>>()
  #characters = 0

  /**
   * A function that puts the document's bytes together, and their hash for an ETag. Each call resolves in a turn of its own, since a
   * document of hundreds of endpoints has megabytes.
   */
  async find(index: EndpointIndex, caller: Caller, order: DocumentRequest) {
    if (index !== this.#index) {
      this.#index = index
      this.#revision = revisionOf(index.all)
      this.#forgetAll()
    }
    const { parts, tag } = await this.#keptDocument(index.all, caller, order)
    await nextDocument()
    const address = JSON.stringify(order.serverUrl).slice(1, -1)
    const separator = Buffer.from(address)
    const body = () => Buffer.concat(parts.flatMap((part, i) => (i === 0 ? [part] : [separator, part])))
    return { body, tag: hash(`${tag} ${address}`) }
  }

  #keptDocument(all: readonly Endpoint[], caller: Caller, order: DocumentRequest): Promise<KeptDocument> {
    const key = `${order.version} ${order.allFormats}`
    const kept = this.#kept.get(caller)?.get(key)
    if (kept) return kept
    const document = this.#make(all, caller, { ...order, revision: this.#revision })
    this.#kept.set(caller, (this.#kept.get(caller) ?? new Map<string, Promise<KeptDocument>>()).set(key, document))
    return document
  }

  /**
   * A document, split wherever it has the server's address. The address is not kept, since a caller can choose it by `Host`.
   */
  async #make(all: readonly Endpoint[], caller: Caller, choices: Omit<DocumentOptions, 'pinned' | 'serverUrl'>) {
    const visible = all.filter(endpoint => mayRun(caller, endpoint))
    const options = { ...choices, serverUrl: ADDRESS, pinned: Object.keys(caller.pinned) }
    const descriptions: Description[] = []
    for (const endpoint of describeEndpoints(visible, options)) {
      descriptions.push(endpoint)
      await nextTurn()
    }
    const text = await writeInTurns(openApiDocument(visible, options, descriptions), 3)
    if (this.#characters + text.length > MAX_CHARACTERS) this.#forgetAll()
    this.#characters += text.length
    await nextTurn()
    const parts = text.split(ADDRESS).map(part => Buffer.from(part))
    await nextTurn()
    return { parts, tag: hash(text) }
  }

  #forgetAll(): void {
    this.#kept = new Map()
    this.#characters = 0
  }
}

interface KeptDocument {
  readonly parts: readonly Buffer[]
  readonly tag: string
}

const inTurn = pacedTurns(() => performance.now())
const nextTurn = (): Promise<void> => new Promise(inTurn)
const nextDocument = queueOfTurns()

/** Like stringifyExact, but writes the members of objects in turns, down to this many levels. */
async function writeInTurns(value: unknown, levels: number): Promise<string> {
  if (levels === 0 || !isRecord(value)) {
    await nextTurn()
    return stringifyExact(value)
  }
  const members: string[] = []
  for (const [name, member] of Object.entries(value)) {
    members.push(`${JSON.stringify(name)}:${await writeInTurns(member, levels - 1)}`)
  }
  return `{${members.join()}}`
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)
