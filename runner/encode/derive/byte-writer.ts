/** A growing buffer for the bytes of a derived format. */
import { BodyTooLargeError } from '../body.js'

/** Below this length a loop is cheaper than a call into V8. */
const SHORT = 48
const LEAST_SIZE = 1_024

export class ByteWriter {
  length = 0
  /** Longer than `length`; replaced as it grows. */
  bytes: Buffer
  readonly #maxBytes: number

  /** @param size the expected number of bytes. */
  constructor(size: number, maxBytes = Number.POSITIVE_INFINITY) {
    this.bytes = Buffer.allocUnsafeSlow(Math.max(LEAST_SIZE, Math.min(size, maxBytes)))
    this.#maxBytes = maxBytes
  }

  /** Makes room for `count` more bytes, which the caller may then write at `length`. @throws BodyTooLargeError. */
  reserve(count: number): void {
    if (this.length + count > this.bytes.length) this.#grow(count)
  }

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.length++] = value
  }

  text(text: string): void {
    this.reserve(Buffer.byteLength(text, 'utf8'))
    this.length += this.bytes.write(text, this.length, 'utf8')
  }

  /** Appends a byte range of another text unchanged. */
  range(source: Uint8Array, start: number, end: number): void {
    const count = end - start
    this.reserve(count)
    const { bytes, length } = this
    if (count < SHORT) for (let i = 0; i < count; i++) bytes[length + i] = source[start + i]!
    else bytes.set(source.subarray(start, end), length)
    this.length = length + count
  }

  /** A copy of the bytes, alone in its buffer. The writer can be used again. @throws BodyTooLargeError. */
  take(): Buffer {
    if (this.length > this.#maxBytes) throw new BodyTooLargeError(this.#maxBytes)
    const taken = Buffer.allocUnsafeSlow(this.length)
    this.bytes.copy(taken, 0, 0, this.length)
    this.length = 0
    return taken
  }

  #grow(count: number): void {
    if (this.length > this.#maxBytes) throw new BodyTooLargeError(this.#maxBytes)
    const bytes = Buffer.allocUnsafeSlow(Math.ceil((this.length + count) * 1.5))
    this.bytes.copy(bytes, 0, 0, this.length)
    this.bytes = bytes
  }
}
