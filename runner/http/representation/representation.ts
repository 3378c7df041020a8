/** The forms in which a stored result is sent: as it is or compressed, each made once and with an ETag of its own. */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { StoredResult } from '../../model/ports.js'
import { CONTENT_CODINGS, type CodingChoice, type ContentCoding } from '../../request/negotiate-coding.js'

/** Smaller results are sent as they are: compressed they would fill one packet just so. */
const MIN_COMPRESSED_BYTES = 1_024
/** What a form costs beside its body: itself, and what lasts of its heads. */
const FORM_OVERHEAD_BYTES = 1_024
/** Compressed once and sent often, but somebody waits for the first one: between the fastest and the best. */
const BROTLI_QUALITY = 5

/** Of a result, in one coding. */
export class Form {
  readonly coding: ContentCoding | null
  /** Strong: no two forms share one. */
  readonly etag: string
  readonly body: Buffer
  /** The lines that last of its heads, once they have been made; '' until then. */
  head200 = ''
  head304 = ''
  /** The same result in another coding. */
  readonly other: Form | undefined

  constructor(bytes: Uint8Array, coding: ContentCoding | null, etag: string, other: Form | undefined) {
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

/** Where a result carries its forms: a WeakMap would cost the garbage collector more, the more results there are. */
const FORM = Symbol('form')

interface Served extends StoredResult {
  /** The one that was made last. */
  [FORM]?: Form
}

export interface FormStore {
  /** The form that the choice means, where it has been made. */
  find(result: StoredResult, choice: CodingChoice): Form | undefined
  /**
   * The same, made where it is missing, of which callers at the same time share one. `onGrown` is told how many bytes it
   * adds to the result.
   */
  make(result: StoredResult, choice: CodingChoice, onGrown: (bytes: number) => void): Promise<Form>
}

/** Forms of results; they live as long as their result does. */
export function createFormStore(): FormStore {
  const underway = new Map<ContentCoding, Map<StoredResult, Promise<Form>>>()

  function keep(result: Served, bytes: Uint8Array, coding: ContentCoding | null, etag: string): Form {
    const form = new Form(bytes, coding, etag, result[FORM])
    result[FORM] = form
    return form
  }

  async function compress(result: StoredResult, coding: ContentCoding): Promise<Form> {
    const body = await COMPRESS[coding]!(result.body)
    return keep(result, body, coding, `${result.etag.slice(0, -1)}.${coding}"`)
  }

  return {
    find: formOf,
    async make(result, choice, onGrown) {
      const before = formOf(result, choice)
      if (before) return before
      const coding = codingFor(result, choice)
      if (coding === null) {
        onGrown(FORM_OVERHEAD_BYTES)
        return keep(result, result.body, null, result.etag)
      }
      const makings = underway.get(coding) ?? new Map<StoredResult, Promise<Form>>()
      underway.set(coding, makings)
      let making = makings.get(result)
      if (!making) {
        making = compress(result, coding)
          .then(form => {
            onGrown(FORM_OVERHEAD_BYTES + form.body.byteLength)
            return form
          })
          .finally(() => makings.delete(result))
        makings.set(result, making)
      }
      return making
    },
  }
}

function formOf(result: Served, choice: CodingChoice): Form | undefined {
  const coding = codingFor(result, choice)
  let form = result[FORM]
  while (form && form.coding !== coding) form = form.other
  return form
}

function codingFor({ body }: StoredResult, { coding, mayBePlain }: CodingChoice): ContentCoding | null {
  return coding !== null && (body.byteLength >= MIN_COMPRESSED_BYTES || !mayBePlain) ? coding : null
}
