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

  /** Compares in a time that does not depend on the signature. */
  hasSigned(signature: string, ...texts: readonly string[]): boolean {
    const [given, right] = [Buffer.from(signature), Buffer.from(this.sign(...texts))]
    return given.byteLength === right.byteLength && timingSafeEqual(given, right)
  }
}
