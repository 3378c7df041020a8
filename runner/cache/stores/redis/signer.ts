/** Signatures of what replicas write to Redis: a program without the key can delete or repeat it, but not write its own. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export class Signer {
  /** False without a key: a signature then only shows that bytes were cut off or changed by accident. */
  readonly isSecret: boolean
  readonly #key: string

  /** `key` is SLUICE_REDIS_KEY; null where it is not set. */
  constructor(key: string | null) {
    this.#key = key ?? ''
    this.isSecret = key !== null
  }

  /** The signature of these texts; the first is their name in Redis, so that it is not valid under another name. */
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
    const [given, right] = [Buffer.from(sealed), Buffer.from(this.seal(text, name, ...others))]
    return given.byteLength === right.byteLength && timingSafeEqual(given, right) ? text : null
  }
}
