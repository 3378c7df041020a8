/** Signatures of what replicas write to Redis: a program without the key can delete or repeat it, but not write its own. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** The length of a signature in bytes: HMAC with SHA-256. */
export const SIGNATURE_BYTES = 32

export class Signer {
  /** False without a key: a signature then only shows that bytes were cut off or changed by accident. */
  readonly isSecret: boolean
  readonly #key: string

  /** `key` is SLUICE_REDIS_KEY; null where it is not set. */
  constructor(key: string | null) {
    this.#key = key ?? ''
    this.isSecret = key !== null
  }

  /** The signature of this content under this name in Redis: it is not valid under another name. */
  sign(name: string, ...content: readonly Uint8Array[]): Buffer {
    const nameBytes = Buffer.from(name)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(nameBytes.byteLength)
    const hmac = createHmac('sha256', this.#key).update(length).update(nameBytes)
    for (const part of content) hmac.update(part)
    return hmac.digest()
  }

  /** Compares in a time that does not depend on the bytes. */
  hasSigned(signature: Uint8Array, name: string, ...content: readonly Uint8Array[]): boolean {
    return signature.byteLength === SIGNATURE_BYTES && timingSafeEqual(signature, this.sign(name, ...content))
  }
}
