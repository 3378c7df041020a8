/** Splits a stream of bytes into rows without decoding them as text. */

/** Receives lines of NDJSON, or records of CSV, which may contain line ends. */
export interface LineSink {
  /** `end` is the offset after the line's last byte, without its line end; `number` counts lines from 1. */
  line(bytes: Buffer, start: number, end: number, number: number): void
  /** Receives the parts of a line that is too long to be buffered. */
  overlong(bytes: Buffer, start: number, end: number, piece: LinePiece): void
}

export interface LinePiece {
  readonly number: number
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** Finds the ends of the rows of one stream. */
export interface RowEnds {
  /**
   * The offset of the LF that ends the current row, or -1. Bytes are scanned once, in order; `from` is the offset after the
   * last scanned byte.
   */
  next(bytes: Buffer, from: number): number
  /** The number of lines of the row whose end `next` found. */
  readonly lines: number
}

const NEWLINE = 0x0a
const RETURN = 0x0d

/** Every line is a row. */
export const EVERY_LINE: RowEnds = { next: (bytes, from) => bytes.indexOf(NEWLINE, from), lines: 1 }

/** Call `push` with every chunk, then `end`. Lines end with LF or CRLF; the last row may end with the stream. */
export class RowSplitter {
  readonly #ends: RowEnds
  readonly #sink: LineSink
  readonly #maxBytes: number
  #rest: Buffer = Buffer.alloc(0)
  /** The number of the first line of the current row. */
  #number = 1
  #isOverlong = false

  constructor(ends: RowEnds, sink: LineSink, maxBytes: number) {
    this.#ends = ends
    this.#sink = sink
    this.#maxBytes = maxBytes
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let newline = this.#ends.next(bytes, this.#rest.length)
    let start = 0
    while (newline >= 0) {
      this.#give(bytes, start, newline)
      this.#number += this.#ends.lines
      start = newline + 1
      newline = this.#ends.next(bytes, start)
    }
    this.#keep(bytes, start)
  }

  #give(bytes: Buffer, start: number, newline: number): void {
    const end = newline > start && bytes[newline - 1] === RETURN ? newline - 1 : newline
    if (this.#isOverlong || end - start > this.#maxBytes) {
      this.#sink.overlong(bytes, start, end, { number: this.#number, isFirst: !this.#isOverlong, isLast: true })
      this.#isOverlong = false
    } else this.#sink.line(bytes, start, end, this.#number)
  }

  #keep(bytes: Buffer, start: number): void {
    if (this.#isOverlong || bytes.length - start > this.#maxBytes + 1) {
      const piece = { number: this.#number, isFirst: !this.#isOverlong, isLast: false }
      this.#sink.overlong(bytes, start, bytes.length, piece)
      this.#isOverlong = true
      this.#rest = Buffer.alloc(0)
    } else this.#rest = bytes.subarray(start)
  }

  end(): void {
    if (this.#rest.length > 0 || this.#isOverlong) this.#give(this.#rest, 0, this.#rest.length)
    this.#rest = Buffer.alloc(0)
  }
}
