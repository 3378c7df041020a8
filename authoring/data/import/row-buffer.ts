/** Checked rows as JSON, until they are passed to DuckDB. */

export interface RowPiece {
  readonly rows: readonly string[]
  /** The length of the longest row, in bytes. */
  readonly longestRow: number
}

export class RowBuffer {
  #rows: string[] = []
  #bytes = 0
  #longestRow = 0

  /** The length of all rows, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  add(row: string): void {
    const length = Buffer.byteLength(row)
    this.#rows.push(row)
    this.#bytes += length
    this.#longestRow = Math.max(this.#longestRow, length)
  }

  /** Takes all rows out. */
  take(): RowPiece {
    const piece = { rows: this.#rows, longestRow: this.#longestRow }
    this.#rows = []
    this.#bytes = 0
    this.#longestRow = 0
    return piece
  }
}
