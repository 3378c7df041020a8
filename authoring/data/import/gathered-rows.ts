/** The rows of an import: good ones until DuckDB takes them, the first bad ones for the report, and all bad ones in a file. */
import { closeSync, openSync, writeFileSync } from 'node:fs'
import type { BadRow, RowSink } from '../../../runner/engines/duckdb/tables/rows/row-stream.js'
import { SETTING, writeFailure } from '../../../runner/platform/write-failure.js'

/** Checked rows as JSON. */
export type RowPiece = ReturnType<GatheredRows['take']>

export class GatheredRows implements RowSink {
  readonly badRows: BadRow[] = []
  badRowCount = 0
  /** The length of the good rows, in bytes. */
  bytes = 0
  #rows: string[] = []
  #longestRow = 0
  readonly #skipFile: string | null
  readonly #maxBadRows: number
  #file: number | null = null

  /** @param skipFile the file for bad rows; if it is null, the import ends when `maxBadRows` rows are bad */
  constructor(skipFile: string | null, maxBadRows: number) {
    this.#skipFile = skipFile
    this.#maxBadRows = maxBadRows
  }

  get isFull(): boolean {
    return this.#skipFile === null && this.badRowCount >= this.#maxBadRows
  }

  row(text: string): void {
    const length = Buffer.byteLength(text)
    this.#rows.push(text)
    this.bytes += length
    this.#longestRow = Math.max(this.#longestRow, length)
  }

  /** Takes out all good rows, with the length of the longest row in bytes. */
  take() {
    const piece = { rows: this.#rows as readonly string[], longestRow: this.#longestRow }
    this.#rows = []
    this.bytes = 0
    this.#longestRow = 0
    return piece
  }

  /** @throws SetupError */
  bad(row: BadRow, bytes: Buffer): void {
    this.badRowCount++
    if (this.badRows.length < this.#maxBadRows) this.badRows.push(row)
    if (this.#skipFile === null) return
    try {
      this.#file ??= openSync(this.#skipFile, 'wx')
      writeFileSync(this.#file, bytes)
    } catch (cause) {
      throw writeFailure({ what: 'bad rows into', path: this.#skipFile, setting: SETTING.skipBad }, cause)
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }
}
