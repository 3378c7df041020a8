/** Rows of a stream of bytes, found without making texts of them. */

/** Lines of NDJSON, or records of CSV, which may hold line ends. */
export interface LineSink {
  /** `end` is behind the line's last byte, before its line end; `number` counts lines from 1. */
  line(bytes: Buffer, start: number, end: number, number: number): void
  /** Bytes of a line that is too long to be held, as they come. */
  overlong(bytes: Buffer, start: number, end: number, piece: LinePiece): void
}

export interface LinePiece {
  readonly number: number
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** Finds where the rows of one stream end. */
export interface RowEnds {
  /** The LF that ends the row at hand, or -1. Every byte is looked at once, in order: `from` is behind the last one. */
  next(bytes: Buffer, from: number): number
  /** Of the row that `next` found the end of. */
  readonly lines: number
}

const NEWLINE = 0x0a
const RETURN = 0x0d

/** Every line is a row. */
export const EVERY_LINE: RowEnds = { next: (bytes, from) => bytes.indexOf(NEWLINE, from), lines: 1 }

/** `push` every chunk, then `end`. Lines end with LF or CRLF; the last row may end with the stream. */
export class RowSplitter {
  readonly #ends: RowEnds
  readonly #sink: LineSink
  readonly #maxBytes: number
  #rest: Buffer = Buffer.alloc(0)
  /** Of the first line of the row at hand. */
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
