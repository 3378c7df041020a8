/** Where responses are put together from finished parts, so that a socket takes each in one plain write. */

/** What a head may take. A longer one is sent in another way. */
const HEAD_ROOM = 2_048

/** Bytes that are used again for one response after the other. */
export class Sheet {
  readonly #maxBodyBytes: number
  #bytes: Buffer
  /** Of the response before, which mostly is as long as the next. */
  #whole: Buffer

  /** Larger bodies have no room. 0: a sheet for heads alone. */
  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes
    this.#bytes = this.#newBytes()
    this.#whole = this.#bytes
  }

  /**
   * A response of this head and body; null where they have no room. One character of a head is one byte. The bytes are
   * those of the response before: they must have been sent by now, or been left to it.
   */
  join(head: string, body: Uint8Array): Buffer | null {
    const length = head.length + body.byteLength
    if (head.length > HEAD_ROOM || body.byteLength > this.#maxBodyBytes) return null
    if (this.#whole.byteLength !== length) this.#whole = this.#bytes.subarray(0, length)
    this.#whole.write(head, 0, 'latin1')
    this.#whole.set(body, head.length)
    return this.#whole
  }

  /** Leaves the bytes of the last response to whoever is still sending them. */
  leave(): void {
    this.#bytes = this.#newBytes()
    this.#whole = this.#bytes
  }

  /** Of their own: a piece of a shared buffer would keep all of that. */
  #newBytes(): Buffer {
    return Buffer.allocUnsafeSlow(HEAD_ROOM + this.#maxBodyBytes)
  }
}
