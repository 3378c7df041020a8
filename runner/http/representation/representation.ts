/** The representations of a stored result: each format, plain or compressed. Each is made once, and has an ETag of its own. */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { type Deriver, LARGE_BYTES } from '../../formats/deriver.js'
import type { ResultFormat } from '../../formats/index.js'
import type { Endpoint } from '../../model/endpoint.js'
import { FairTurns, ONE_OF_CALLER } from '../../model/fair-queue.js'
import { turnOfWaiter } from '../../model/in-turns.js'
import type { StoredResult } from '../../model/ports.js'
import { Waiters } from '../../model/waiters.js'
import { CONTENT_CODINGS, type CodingChoice, type ContentCoding } from '../../request/negotiate-coding.js'

/** Smaller results are sent uncompressed: one packet holds them in any case. */
const MIN_COMPRESSED_BYTES = 1_024
/** What a representation costs besides its body: the object, and its fixed header lines. */
const OVERHEAD_BYTES = 1_024
/** A derived format may have this many times the bytes that the result itself may have. */
const LARGEST_FACTOR = 2
/** A middle quality: a result is compressed once and sent often, but the first caller waits for it. */
const BROTLI_QUALITY = 5

/** A result in one format and one content coding. */
export class Representation {
  readonly coding: ContentCoding | null
  /** Strong: each representation has its own. */
  readonly etag: string
  readonly body: Buffer

  constructor(bytes: Uint8Array, coding: ContentCoding | null, etag: string) {
    this.coding = coding
    this.etag = etag
    // A socket makes a Buffer of anything else each time it is written.
    this.body = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
}

type Compress = (body: Uint8Array) => Promise<Buffer>

const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)

/** zlib works in threads of its own. */
const COMPRESS: Readonly<Partial<Record<ContentCoding, Compress>>> = {
  br: body => brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify(zlib.gzip) as Compress,
  ...zstd(),
}

/** Node has it from 22.15 and 23.8 on. */
function zstd(): { readonly zstd?: Compress } {
  const compress: unknown = Reflect.get(zlib, 'zstdCompress')
  return typeof compress === 'function' ? { zstd: promisify(compress as typeof zlib.gzip) as Compress } : {}
}

/** The codings that this Node can make. */
export const AVAILABLE_CODINGS: readonly ContentCoding[] = CONTENT_CODINGS.filter(coding => COMPRESS[coding])

/** The key under which a result holds its representations. A WeakMap of many results would cost the garbage collector much. */
const REPRESENTATIONS = Symbol('representations')

interface Served extends StoredResult {
  /** By the suffix of their ETag. A representation that is being made is there, too, so that all callers wait for the same one. */
  [REPRESENTATIONS]?: Map<string, Representation | PendingRepresentation>
}

/** A representation that is being made, and the tokens whose calls wait for it. */
interface PendingRepresentation {
  readonly pending: Promise<Representation>
  readonly waiters: Waiters
}

export interface Order {
  /** '' for a call without a token. */
  readonly token: string
  readonly endpoint: Pick<Endpoint, 'name' | 'revision' | 'columns' | 'maxResultBytes'>
  readonly format: ResultFormat
  readonly coding: CodingChoice
}

/** The representations of stored results, which live as long as their result does. */
export class Representations {
  readonly #deriver: Pick<Deriver, 'derive'>
  readonly #maxResultBytes: number
  /** Large results are compressed in turns: zlib would use four processors for those of one token. */
  readonly #turns = new FairTurns(ONE_OF_CALLER)

  /** @param maxResultBytes the most bytes of a result of an endpoint that has no smaller bound of its own */
  constructor(deriver: Pick<Deriver, 'derive'>, maxResultBytes: number) {
    this.#deriver = deriver
    this.#maxResultBytes = maxResultBytes
  }

  /** The representation that has been made in this format, in the coding that the choice picks for it. */
  find(result: StoredResult, format: ResultFormat, choice: CodingChoice): Representation | undefined {
    if (format === 'json') return madeOf(result, format, codingFor(result.body, choice))
    const plain = madeOf(result, format, null)
    const coding = plain && codingFor(plain.body, choice)
    return coding ? madeOf(result, format, coding) : plain
  }

  /**
   * The representation, which is made where it is missing. `onGrown` is called with the number of bytes that are added to the result.
   * @throws RunnerError RESULT_TOO_LARGE, OVERLOADED as `Deriver.derive` does.
   */
  async make(result: StoredResult, order: Order, onGrown: (bytes: number) => void): Promise<Representation> {
    const { format, token, endpoint } = order
    const derive = (waiters: Waiters) => (format === 'json' ? result.body : this.#derive(result, order, waiters))
    const plain = async (): Promise<Representation> => build(result, { format, coding: null, token }, derive, onGrown)
    const body = format === 'json' ? result.body : (await plain()).body
    const coding = codingFor(body, order.coding)
    if (coding === null) return plain()
    const compress = (waiters: Waiters): Promise<Buffer> => {
      const share = { caller: token, endpoint: endpoint.name, waiters }
      const work = () => COMPRESS[coding]!(body)
      return body.byteLength < LARGE_BYTES ? work() : this.#turns.run(share, work)
    }
    return build(result, { format, coding, token }, compress, onGrown)
  }

  #derive(result: StoredResult, { token, endpoint, format }: Order, waiters: Waiters): Promise<Uint8Array> {
    const { name, revision, columns } = endpoint
    const contract = columns.map(({ required, unit, fields }) => ({ required, unit, ...(fields && { fields }) }))
    const maxBytes = LARGEST_FACTOR * Math.min(endpoint.maxResultBytes ?? Infinity, this.#maxResultBytes)
    const { columns: types, body, isTruncated, page } = result
    const facts = { endpoint: name, revision, isTruncated, contract, maxBytes, ...(page && { next: page.next }) }
    return this.#deriver.derive({ caller: token, endpoint: name, waiters }, format, types, body, facts)
  }
}

/** Builds the representation once for all callers. */
async function build(
  result: Served,
  { format, coding, token }: Pick<Order, 'format' | 'token'> & { readonly coding: ContentCoding | null },
  make: (waiters: Waiters) => Uint8Array | Promise<Uint8Array>,
  onGrown: (bytes: number) => void,
): Promise<Representation> {
  result[REPRESENTATIONS] ??= new Map()
  const representations = result[REPRESENTATIONS]
  const suffix = suffixOf(format, coding)
  const keep = (bytes: Uint8Array): Representation => {
    const representation = new Representation(bytes, coding, `${result.etag.slice(0, -1)}${suffix}"`)
    representations.set(suffix, representation)
    // The bytes of the JSON itself are counted already.
    onGrown(OVERHEAD_BYTES + (bytes === result.body ? 0 : bytes.byteLength))
    return representation
  }
  const existing = representations.get(suffix)
  if (existing instanceof Representation) return existing
  if (existing) {
    existing.waiters.join(token)
    return existing.pending.finally(turnOfWaiter)
  }
  const waiters = new Waiters()
  const pending = Promise.resolve(waiters).then(make).then(keep)
  representations.set(suffix, { pending, waiters })
  pending.catch(() => representations.delete(suffix))
  return pending
}

/** What distinguishes the ETag of a representation from that of the plain JSON: `.csv`, `.br`, `.csv.br`. */
const suffixOf = (format: ResultFormat, coding: ContentCoding | null): string =>
  (format === 'json' ? '' : `.${format}`) + (coding === null ? '' : `.${coding}`)

/** The representation where it has been made. */
function madeOf(result: Served, format: ResultFormat, coding: ContentCoding | null): Representation | undefined {
  const representation = result[REPRESENTATIONS]?.get(suffixOf(format, coding))
  return representation instanceof Representation ? representation : undefined
}

function codingFor(body: Uint8Array, { coding, mayBePlain }: CodingChoice): ContentCoding | null {
  return coding !== null && (body.byteLength >= MIN_COMPRESSED_BYTES || !mayBePlain) ? coding : null
}
