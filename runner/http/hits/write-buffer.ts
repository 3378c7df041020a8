/** Where a response is put together from its head and body, so that a socket takes it in one plain write. */

/** A longer head is sent in another way. */
const MAX_HEAD_BYTES = 2_048

/** Bytes that are used again for one response after the other. */
export class WriteBuffer {
  readonly #maxBodyBytes: number
  #bytes: Buffer
  /** The last response, which mostly is as long as the next. */
  #last: Buffer

  /** Larger bodies do not fit. */
  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes
    this.#bytes = this.#newBytes()
    this.#last = this.#bytes
  }

  /**
   * The response of this head and body; null where they do not fit. One character of a head is one byte. The bytes are
   * those of the response before: they have been sent by now, or have been released.
   */
  join(head: string, body: Uint8Array): Buffer | null {
    const length = head.length + body.byteLength
    if (head.length > MAX_HEAD_BYTES || body.byteLength > this.#maxBodyBytes) return null
    if (this.#last.byteLength !== length) this.#last = this.#bytes.subarray(0, length)
    this.#last.write(head, 0, 'latin1')
    this.#last.set(body, head.length)
    return this.#last
  }

  /** Leaves the bytes of the last response to the socket that is still sending them. */
  release(): void {
    this.#bytes = this.#newBytes()
    this.#last = this.#bytes
  }

  /** Allocates separate bytes: a slice of a shared buffer would keep the whole buffer in memory. */
  #newBytes(): Buffer {
    return Buffer.allocUnsafeSlow(MAX_HEAD_BYTES + this.#maxBodyBytes)
  }
}
