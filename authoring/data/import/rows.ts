/** Reads rows of files: good rows are collected for DuckDB, bad rows are reported. */
import { isUtf8 } from 'node:buffer'
import { QueryFault } from '../../../runner/model/query-fault.js'
import { BadRowError, shown } from './bad-row.js'
import { CsvRecordEnds } from './formats/csv.js'
import { CsvRowReader } from './formats/csv-row.js'
import { JsonRowReader } from './formats/json-row.js'
import { EVERY_LINE, type LinePiece, type LineSink, type RowEnds, RowSplitter } from './formats/lines.js'
import { RowBuffer } from './row-buffer.js'
import type { RowRecord } from './row-schema.js'

/** One bad row of a report. */
export interface BadRow {
  readonly file: string
  /** The line, from 1; for CSV the first line of the record, for Parquet the number of the row. */
  readonly line: number
  /** The column in characters, from 1. */
  readonly column: number
  /** The path of the value, such as `metadata[0].status`; '' for the whole row. */
  readonly path: string
  readonly found: string
  readonly expected: string
}

/** Receives every bad row, in order. */
export interface BadRowSink {
  bad(row: BadRow): void
  /** Receives the bytes of the row reported last, in one or several parts. */
  aside(bytes: Buffer): void
}

export interface RowsOptions {
  readonly record: RowRecord
  readonly ignoresUnknown: boolean
  readonly sink: BadRowSink
  /** The longest row in bytes. @default 16 MiB */
  readonly maxRowBytes?: number
}

/** The longest row. BigQuery allows 100 MB, but DuckDB reads rows in buffers of twice their size. */
const MAX_ROW_BYTES = 16 * 1024 * 1024
const RETURN = 0x0d
const LINE_END = Buffer.from('\n')

/** The reader for the rows of a format, and the finder of their ends. */
export interface RowFormat {
  readonly reader: { read(bytes: Buffer, start: number, end: number): void }
  readonly ends: RowEnds
  readonly isCsv: boolean
}

/** Reads files one after another into `buffer`, which the caller empties between chunks. */
export class RowGatherer {
  readonly buffer = new RowBuffer()
  readonly #options: RowsOptions

  constructor(options: RowsOptions) {
    this.#options = options
  }

  begin(file: string, kind: 'ndjson' | 'csv' | 'parquet'): RowStream {
    const { record, ignoresUnknown, maxRowBytes = MAX_ROW_BYTES } = this.#options
    const options = { ignoresUnknown }
    const format: RowFormat =
      kind === 'csv'
        ? { reader: new CsvRowReader(record, this.buffer, options), ends: new CsvRecordEnds(), isCsv: true }
        : { reader: new JsonRowReader(record, this.buffer, options), ends: EVERY_LINE, isCsv: false }
    return new RowStream(file, format, this.#options.sink, maxRowBytes)
  }
}

/** Reads the rows of one file. */
export class RowStream implements LineSink {
  readonly #file: string
  readonly #isCsv: boolean
  readonly #sink: BadRowSink
  readonly #maxRowBytes: number
  readonly #reader: RowFormat['reader']
  readonly #splitter: RowSplitter
  #isFirstChunk = true

  constructor(file: string, format: RowFormat, sink: BadRowSink, maxRowBytes = MAX_ROW_BYTES) {
    this.#file = file
    this.#isCsv = format.isCsv
    this.#sink = sink
    this.#maxRowBytes = maxRowBytes
    this.#reader = format.reader
    this.#splitter = new RowSplitter(format.ends, this, maxRowBytes)
  }

  /** Reads a chunk. @throws QueryFault for an invalid CSV header, or a file in UTF-16. */
  push(chunk: Buffer): void {
    let bytes = chunk
    if (this.#isFirstChunk && chunk.length > 0) {
      this.#isFirstChunk = false
      const begin = chunk.toString('latin1', 0, 3)
      if (begin.startsWith('\xff\xfe') || begin.startsWith('\xfe\xff')) {
        throw new QueryFault(`${this.#file}: the file is UTF-16; it must be UTF-8`)
      }
      if (begin === '\xef\xbb\xbf') bytes = chunk.subarray(3)
    }
    this.#splitter.push(bytes)
  }

  /** Ends the file. @throws QueryFault as `push` does. */
  end(): void {
    this.#splitter.end()
  }

  line(bytes: Buffer, start: number, end: number, number: number): void {
    if (isBlank(bytes, start, end)) return
    try {
      const row = bytes.subarray(start, end)
      if (!isUtf8(row)) throw notUtf8(row)
      if (this.#isCsv && row.includes(0)) throw new BadRowError(row.indexOf(0), '', 'the byte \\u0000', 'text')
      this.#reader.read(bytes, start, end)
    } catch (error) {
      if (error instanceof QueryFault) throw new QueryFault(`${this.#file}: ${error.message}`, { cause: error })
      if (!(error instanceof BadRowError)) throw error
      this.#tell(error, number, bytes.toString('utf8', start, start + error.offset).length + 1)
      this.#sink.aside(bytes.subarray(start, bytes[end] === RETURN ? end + 1 : end))
      this.#sink.aside(LINE_END)
    }
  }

  overlong(bytes: Buffer, start: number, end: number, piece: LinePiece): void {
    if (piece.isFirst) {
      const limit = `${this.#maxRowBytes} bytes`
      this.#tell(new BadRowError(0, '', 'a row that is longer', `a row of at most ${limit}`), piece.number, 1)
    }
    this.#sink.aside(Buffer.from(bytes.subarray(start, end)))
    if (piece.isLast) this.#sink.aside(LINE_END)
  }

  #tell({ path, found, expected }: BadRowError, line: number, column: number): void {
    this.#sink.bad({ file: this.#file, line, column, path, found, expected })
  }
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if (byte !== 0x20 && byte !== 0x09 && byte !== RETURN) return false
  }
  return true
}

function notUtf8(row: Buffer): BadRowError {
  const valid = Math.max(0, row.toString('utf8').indexOf('\ufffd'))
  const before = row.toString('utf8').slice(0, valid)
  const offset = Buffer.byteLength(before)
  const byte = row[offset] ?? 0
  return new BadRowError(offset, '', `the byte 0x${byte.toString(16)} behind "${shown(before.slice(-20))}"`, 'UTF-8')
}
