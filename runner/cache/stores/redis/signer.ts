/** Signs what replicas write to Redis. A program without the key can delete or repeat a value, but not write one of its own. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export class Signer {
  /** Without a key a signature shows only whether bytes were lost or changed by accident: any program can make one. */
  readonly hasKey: boolean
  readonly #key: string

  /** `key` is SLUICE_REDIS_KEY; null where it is not set. */
  constructor(key: string | null) {
    this.#key = key ?? ''
    this.hasKey = key !== null
  }

  /** The signature of these texts. The first is the name in Redis, so that the signature is not valid under another name. */
  sign(...texts: readonly string[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(texts)).digest('base64url')
  }

  /** The text with its signature in front, for this name in Redis; `others` are signed with it. */
  seal(text: string, name: string, ...others: readonly string[]): string {
    return `${this.sign(name, text, ...others)} ${text}`
  }

  /** The text that was sealed with the same names; null for any other. Compares in a time that does not depend on the signature. */
  open(sealed: string, name: string, ...others: readonly string[]): string | null {
    const text = sealed.slice(sealed.indexOf(' ') + 1)
    const [given, expected] = [Buffer.from(sealed), Buffer.from(this.seal(text, name, ...others))]
    return given.byteLength === expected.byteLength && timingSafeEqual(given, expected) ? text : null
  }
}
