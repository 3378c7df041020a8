/** The forms in which a stored result is sent: as it is or compressed, each made once and with an ETag of its own. */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { StoredResult } from '../model/ports.js'
import { CONTENT_CODINGS, type CodingChoice, type ContentCoding } from '../request/negotiate-coding.js'
import { type Frame, HEAD_ROOM } from './frame.js'

/** Smaller results are sent as they are: compressed they would fill one packet just so. */
const MIN_COMPRESSED_BYTES = 1_024
/** Up to here a body is kept in a frame too; of larger ones copying to the kernel takes more than a second write does. */
const MAX_FRAMED_BYTES = 16_384
/** What a form costs beside its body: finished heads, and a frame without a body. */
const FORM_OVERHEAD_BYTES = 1_024 + HEAD_ROOM
/** Compressed once and sent often, but somebody waits for the first one: between the fastest and the best. */
const BROTLI_QUALITY = 5

export interface Form {
  readonly coding: ContentCoding | null
  /** Strong: no two forms share one. */
  readonly etag: string
  readonly body: Buffer
  /** The lines of its heads that last, by status. */
  readonly heads: Map<200 | 304, string>
  /** Frames that were made for it and are not being sent, by status. */
  readonly frames: Map<200 | 304, Frame>
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
const FORMS = Symbol('forms')

interface Served extends StoredResult {
  [FORMS]?: Forms
}

interface Forms {
  readonly ready: Map<ContentCoding | null, Form>
  readonly underway: Map<ContentCoding, Promise<Form>>
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
  function formsOf(result: Served): Forms {
    result[FORMS] ??= { ready: new Map(), underway: new Map() }
    return result[FORMS]
  }

  async function compressed(result: StoredResult, coding: ContentCoding): Promise<Form> {
    const body = await COMPRESS[coding]!(result.body)
    return formOf(body, coding, `${result.etag.slice(0, -1)}.${coding}"`)
  }

  return {
    find: (result: Served, choice) => result[FORMS]?.ready.get(codingFor(result, choice)),
    async make(result, choice, onGrown) {
      const coding = codingFor(result, choice)
      const { ready, underway } = formsOf(result)
      const before = ready.get(coding)
      if (before) return before
      const keep = (form: Form): Form => {
        ready.set(coding, form)
        const own = coding === null ? 0 : form.body.byteLength
        const framed = mayBeFramed(form) ? HEAD_ROOM + form.body.byteLength : 0
        onGrown(FORM_OVERHEAD_BYTES + own + framed)
        return form
      }
      if (coding === null) return keep(formOf(result.body, null, result.etag))
      let making = underway.get(coding)
      if (!making) {
        making = compressed(result, coding)
          .then(keep)
          .finally(() => underway.delete(coding))
        underway.set(coding, making)
      }
      return making
    },
  }
}

function codingFor({ body }: StoredResult, { coding, mayBePlain }: CodingChoice): ContentCoding | null {
  return body.byteLength >= MIN_COMPRESSED_BYTES || !mayBePlain ? coding : null
}

function formOf(bytes: Uint8Array, coding: ContentCoding | null, etag: string): Form {
  // The same bytes: a socket makes a Buffer of anything else each time it is written.
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { coding, etag, body, heads: new Map(), frames: new Map() }
}

/** Is its body worth a frame? */
export function mayBeFramed({ body }: Form): boolean {
  return body.byteLength <= MAX_FRAMED_BYTES
}
