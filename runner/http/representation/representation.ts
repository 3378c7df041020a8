/**
 * The representations in which a stored result is sent: each format, as it is or compressed, each made once and with an ETag
 * of its own.
 */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { Deriver } from '../../derive/deriver.js'
import type { Endpoint } from '../../model/endpoint.js'
import type { StoredResult } from '../../model/ports.js'
import type { DerivedFormat, ResultFormat } from '../../model/query.js'
import { CONTENT_CODINGS, type CodingChoice, type ContentCoding } from '../../request/negotiate-coding.js'

/** Smaller results are sent as they are: compressed, they would still fill one packet. */
const MIN_COMPRESSED_BYTES = 1_024
/** What a representation costs beside its body: the object, and its fixed header lines. */
const OVERHEAD_BYTES = 1_024
/** A derived format may have this many times the bytes that the result itself may have. */
const LARGEST_FACTOR = 2
/** A middle quality: a result is compressed once and sent often, but the first caller waits for it. */
const BROTLI_QUALITY = 5

/** A result in one format and one content coding. */
export class Representation {
  readonly format: ResultFormat
  readonly coding: ContentCoding | null
  /** Strong: no two representations share one. */
  readonly etag: string
  readonly body: Buffer
  /** Its fixed header lines for this status, once they have been made; '' until then. */
  head200 = ''
  head304 = ''
  /** The same result in another format or coding. */
  readonly other: Representation | undefined

  constructor(
    bytes: Uint8Array,
    format: ResultFormat,
    coding: ContentCoding | null,
    etag: string,
    other: Representation | undefined,
  ) {
    this.format = format
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

/** What is made of a result: for which endpoint, in which format and coding. */
export interface Wanted {
  readonly endpoint: Pick<Endpoint, 'name' | 'revision' | 'timestamps' | 'columns' | 'maxResultBytes'>
  readonly format: ResultFormat
  readonly coding: CodingChoice
}

export interface RepresentationStore {
  /** The representation in this format and in the coding that the choice means, where it has been made. */
  find(result: StoredResult, format: ResultFormat, choice: CodingChoice): Representation | undefined
  /**
   * The same, made where it is missing; callers at the same time share one. `onGrown` is called with the number of bytes that
   * are added to the result.
   * @throws RunnerError RESULT_TOO_LARGE, OVERLOADED as `Deriver.derive` does.
   */
  make(result: StoredResult, wanted: Wanted, onGrown: (bytes: number) => void): Promise<Representation>
}

export interface RepresentationDeps {
  readonly derive: Deriver['derive']
  /** The most bytes of a result of an endpoint that has no smaller bound of its own. */
  readonly maxResultBytes: number
}

/** An empty store. Representations live as long as their result does. */
export function createRepresentationStore({ derive, maxResultBytes }: RepresentationDeps): RepresentationStore {
  /** By the suffix of the ETag, then by result. */
  const underway = new Map<string, Map<StoredResult, Promise<Representation>>>()

  function keep(
    result: Served,
    bytes: Uint8Array,
    format: ResultFormat,
    coding: ContentCoding | null,
    onGrown: (bytes: number) => void,
  ): Representation {
    const etag = `${result.etag.slice(0, -1)}${suffixOf(format, coding)}"`
    const representation = new Representation(bytes, format, coding, etag, result[LATEST])
    result[LATEST] = representation
    // The bytes of the JSON itself are counted already.
    onGrown(OVERHEAD_BYTES + (bytes === result.body ? 0 : bytes.byteLength))
    return representation
  }

  /** Makes a representation once for all concurrent callers. */
  function once(result: StoredResult, suffix: string, make: () => Promise<Representation>): Promise<Representation> {
    const makings = underway.get(suffix) ?? new Map<StoredResult, Promise<Representation>>()
    underway.set(suffix, makings)
    let making = makings.get(result)
    if (!making) {
      making = make().finally(() => makings.delete(result))
      makings.set(result, making)
    }
    return making
  }

  function deriveFrom(result: StoredResult, format: DerivedFormat, endpoint: Wanted['endpoint']): Promise<Uint8Array> {
    const { name, revision, timestamps } = endpoint
    const contract = endpoint.columns.map(({ required, unit, fields }) => ({
      required,
      unit,
      ...(fields && { fields }),
    }))
    const maxBytes = LARGEST_FACTOR * Math.min(endpoint.maxResultBytes ?? maxResultBytes, maxResultBytes)
    const facts = { endpoint: name, revision, isTruncated: result.isTruncated, timestamps, contract, maxBytes }
    return derive(format, result.columns, result.body, facts)
  }

  return {
    find: representationOf,
    async make(result, { endpoint, format, coding: choice }, onGrown) {
      let plain = representationIn(result, format, null)
      if (!plain && format !== 'json') {
        plain = await once(result, suffixOf(format, null), async () =>
          keep(result, await deriveFrom(result, format, endpoint), format, null, onGrown),
        )
      }
      const body = plain?.body ?? result.body
      const coding = codingFor(body, choice)
      if (coding === null) return plain ?? keep(result, body, format, null, onGrown)
      const before = representationIn(result, format, coding)
      if (before) return before
      return once(result, suffixOf(format, coding), async () =>
        keep(result, await COMPRESS[coding]!(body), format, coding, onGrown),
      )
    },
  }
}

/** What distinguishes the ETag of a representation from that of the plain JSON: `.csv`, `.br`, `.csv.br`. */
const suffixOf = (format: ResultFormat, coding: ContentCoding | null): string =>
  (format === 'json' ? '' : `.${format}`) + (coding === null ? '' : `.${coding}`)

function representationOf(
  result: StoredResult,
  format: ResultFormat,
  choice: CodingChoice,
): Representation | undefined {
  if (format === 'json') return representationIn(result, format, codingFor(result.body, choice))
  const plain = representationIn(result, format, null)
  const coding = plain && codingFor(plain.body, choice)
  return coding ? representationIn(result, format, coding) : plain
}

function representationIn(
  result: Served,
  format: ResultFormat,
  coding: ContentCoding | null,
): Representation | undefined {
  let representation = result[LATEST]
  while (representation && (representation.format !== format || representation.coding !== coding)) {
    representation = representation.other
  }
  return representation
}

function codingFor(body: Uint8Array, { coding, mayBePlain }: CodingChoice): ContentCoding | null {
  return coding !== null && (body.byteLength >= MIN_COMPRESSED_BYTES || !mayBePlain) ? coding : null
}
