/**
 * The representations in which a stored result is sent: as it is or compressed, each made once and with an ETag of its own.
 */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { StoredResult } from '../../model/ports.js'
import { CONTENT_CODINGS, type CodingChoice, type ContentCoding } from '../../request/negotiate-coding.js'

/** Smaller results are sent as they are: compressed they would fill one packet just so. */
const MIN_COMPRESSED_BYTES = 1_024
/** What a representation costs beside its body: itself, and what lasts of its heads. */
const OVERHEAD_BYTES = 1_024
/** A middle quality: a result is compressed once and sent often, but the first caller waits for it. */
const BROTLI_QUALITY = 5

/** A result in one content coding. */
export class Representation {
  readonly coding: ContentCoding | null
  /** Strong: no two representations share one. */
  readonly etag: string
  readonly body: Buffer
  /** The lines that last of its heads, once they have been made; '' until then. */
  head200 = ''
  head304 = ''
  /** The same result in another coding. */
  readonly other: Representation | undefined

  constructor(bytes: Uint8Array, coding: ContentCoding | null, etag: string, other: Representation | undefined) {
    this.coding = coding
    this.etag = etag
    // The same bytes: a socket makes a Buffer of anything else each time it is written.
    this.body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.other = other
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

/** From Node 22.15 and 23.8 on. */
function zstd(): { readonly zstd?: Compress } {
  const compress: unknown = Reflect.get(zlib, 'zstdCompress')
  return typeof compress === 'function' ? { zstd: promisify(compress as typeof zlib.gzip) as Compress } : {}
}

/** The codings that this Node can make. */
export const AVAILABLE_CODINGS: readonly ContentCoding[] = CONTENT_CODINGS.filter(coding => COMPRESS[coding])

/**
 * Where a result carries its representations: a WeakMap would cost the garbage collector more, the more results there are.
 */
const LATEST = Symbol('latest representation')

interface Served extends StoredResult {
  /** The one that was made last. */
  [LATEST]?: Representation
}

export interface RepresentationStore {
  /** The representation that the choice means, where it has been made. */
  find(result: StoredResult, choice: CodingChoice): Representation | undefined
  /**
   * The same, made where it is missing, of which callers at the same time share one. `onGrown` is told how many bytes it
   * adds to the result.
   */
  make(result: StoredResult, choice: CodingChoice, onGrown: (bytes: number) => void): Promise<Representation>
}

/** Forms of results; they live as long as their result does. */
export function createRepresentationStore(): RepresentationStore {
  const underway = new Map<ContentCoding, Map<StoredResult, Promise<Representation>>>()

  function keep(result: Served, bytes: Uint8Array, coding: ContentCoding | null, etag: string): Representation {
    const representation = new Representation(bytes, coding, etag, result[LATEST])
    result[LATEST] = representation
    return representation
  }

  async function compress(result: StoredResult, coding: ContentCoding): Promise<Representation> {
    const body = await COMPRESS[coding]!(result.body)
    return keep(result, body, coding, `${result.etag.slice(0, -1)}.${coding}"`)
  }

  return {
    find: representationOf,
    async make(result, choice, onGrown) {
      const before = representationOf(result, choice)
      if (before) return before
      const coding = codingFor(result, choice)
      if (coding === null) {
        onGrown(OVERHEAD_BYTES)
        return keep(result, result.body, null, result.etag)
      }
      const makings = underway.get(coding) ?? new Map<StoredResult, Promise<Representation>>()
      underway.set(coding, makings)
      let making = makings.get(result)
      if (!making) {
        making = compress(result, coding)
          .then(representation => {
            onGrown(OVERHEAD_BYTES + representation.body.byteLength)
            return representation
          })
          .finally(() => makings.delete(result))
        makings.set(result, making)
      }
      return making
    },
  }
}

function representationOf(result: Served, choice: CodingChoice): Representation | undefined {
  const coding = codingFor(result, choice)
  let representation = result[LATEST]
  while (representation && representation.coding !== coding) representation = representation.other
  return representation
}

function codingFor({ body }: StoredResult, { coding, mayBePlain }: CodingChoice): ContentCoding | null {
  return coding !== null && (body.byteLength >= MIN_COMPRESSED_BYTES || !mayBePlain) ? coding : null
}
