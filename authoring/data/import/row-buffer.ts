/** A buffer for the bytes of checked rows, until they are passed to DuckDB. */

/** A growing byte buffer. */
export class RowBuffer {
  bytes: Buffer
  length = 0
  rows = 0
  /** The length of the longest row, in bytes. */
  longestRow = 0
  #rowStart = 0

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafe(capacity)
  }

  /** Copies `source` from `start` to `end`. */
  copy(source: Uint8Array, start: number, end: number): void {
    const count = end - start
    if (count <= 0) return
    this.#reserve(count)
    this.bytes.set(source.subarray(start, end), this.length)
    this.length += count
  }

  write(text: string): void {
    // A UTF-16 code unit needs at most three bytes of UTF-8.
    this.#reserve(text.length * 3)
    this.length += this.bytes.write(text, this.length, 'utf8')
  }

  endRow(): void {
    this.#reserve(1)
    this.bytes[this.length++] = 0x0a
    this.rows++
    this.longestRow = Math.max(this.longestRow, this.length - this.#rowStart)
    this.#rowStart = this.length
  }

  /** Swaps memory with the other buffer: the other gets this one's bytes, and this one becomes empty. */
  giveTo(other: RowBuffer): void {
    const { bytes } = other
    other.bytes = this.bytes
    other.length = this.length
    other.rows = this.rows
    other.longestRow = this.longestRow
    this.bytes = bytes
    this.length = 0
    this.rows = 0
    this.longestRow = 0
    this.#rowStart = 0
  }

  #reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const bigger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + count))
    this.bytes.copy(bigger, 0, 0, this.length)
    this.bytes = bigger
  }
}
