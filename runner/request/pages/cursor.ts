/** A cursor says where a caller goes on in a result. It is signed: no caller can make a cursor, or use it for another call. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { MAX_CURSOR_LENGTH } from '../../model/page.js'

/** The next page of a result, and what identifies that result. */
export interface Cursor {
  /** The digests of the endpoint's revision, and of the arguments with the pins. */
  readonly revision: string
  readonly args: string
  /** The result's `@now`. */
  readonly now: string
  /** The result's ETag. */
  readonly etag: string
  /** The index of the page's first row. */
  readonly from: number
  /** The rows of the page, unless the call asks for another number. */
  readonly size: number
}

const BASE = 36

export class Cursors {
  readonly #key: () => string
  #loadedKey: string | null = null

  /** `key` is read when the first cursor is made or checked. */
  constructor(key: () => string) {
    this.#key = key
  }

  /** The text of a cursor of this endpoint: at most 200 characters that mean nothing else in an address. */
  seal(endpointId: string, { revision, args, now, etag, from, size }: Cursor): string {
    const text = [revision, args, now, etag.slice(1, -1), from.toString(BASE), size.toString(BASE)].join('.')
    return `${text}.${this.#sign(endpointId, text)}`
  }

  /** The cursor of this endpoint with this text; null for any other text. */
  open(endpointId: string, sealed: string): Cursor | null {
    if (sealed.length > MAX_CURSOR_LENGTH) return null
    const text = sealed.slice(0, Math.max(0, sealed.lastIndexOf('.')))
    const [sentBytes, expectedBytes] = [Buffer.from(sealed), Buffer.from(`${text}.${this.#sign(endpointId, text)}`)]
    if (sentBytes.byteLength !== expectedBytes.byteLength || !timingSafeEqual(sentBytes, expectedBytes)) return null
    const [revision, args, now, etag, from, size] = text.split('.') as [string, string, string, string, string, string]
    return {
      revision,
      args,
      now,
      etag: `"${etag}"`,
      from: Number.parseInt(from, BASE),
      size: Number.parseInt(size, BASE),
    }
  }

  /** A short text for this `@now`. Like cursors, it differs with the key. */
  stamp(now: string): string {
    return this.#sign('', now).slice(0, 10)
  }

  #sign(endpointId: string, text: string): string {
    this.#loadedKey ??= this.#key()
    return createHmac('sha256', this.#loadedKey)
      .update(JSON.stringify([endpointId, text]))
      .digest('base64url')
  }
}
