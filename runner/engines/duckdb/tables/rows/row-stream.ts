/** Reads the rows of files as bytes. Good rows go to the sink, and bad rows too, with their places. */
import { isUtf8 } from 'node:buffer'
import type { TextEncoding } from '../../../../../googlesql/data.js'
import { QueryFault } from '../../../../model/query-fault.js'
import { BadRowError, excerptOf } from './bad-row.js'
import { type CsvForm, formHint } from './csv-form.js'
import { type Decoder, decoderOf } from './decode-text.js'

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

/** `logs.ndjson:3:17: metadata[0].status: found "x", expected an INT64: …` */
export function badRowLine({ file, line, column, path, found, expected }: BadRow): string {
  return `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}found ${found}, expected ${expected}`
}

/** Receives every row, in order. */
export interface RowSink {
  /** Receives a good row as JSON. */
  row(text: string): void
  /** Receives a bad row. @param bytes the row's own bytes on one line; only a row of CSV may have line ends in it, within quotes */
  bad(row: BadRow, bytes: Buffer): void
}

/** Finds the ends of the rows of one stream. */
export interface RowEnds {
  /**
   * The offset of the byte that ends the current row, or -1. Each byte is scanned once, in order; `from` is the offset after the last
   * scanned byte. @throws BadRowError, with an offset in `bytes`, where no row can follow.
   */
  next(bytes: Buffer, from: number): number
  /** The number of line ends in the row whose end `next` found. */
  readonly lines: number
  /** The column at which the next row begins, in characters from 0. @default 0 */
  readonly column?: number
  /** Whether the bytes whose end `next` found are a row; otherwise they are ignored. @default true */
  readonly isRow?: boolean
  /** What is missing if the file ends here; null where nothing is. @default null */
  readonly missing?: string | null
}

/** The reader for the rows of a format, and the finder of their ends. */
export interface RowFormat {
  readonly reader: RowReader
  readonly ends: RowEnds
  /** Null for a format that is not CSV. */
  readonly csv: CsvForm | null
}

export interface RowReader {
  /**
   * Reads the row from `start` to `end`. `line` is the number of its first line. @returns the row as JSON; null for a header, and from a
   * reader that only examines rows. @throws BadRowError; QueryFault where the whole file cannot be read.
   */
  read(bytes: Buffer, start: number, end: number, line: number): string | null
}

/** The longest row. BigQuery allows 100 MB, but DuckDB reads rows in buffers of twice their size. */
export const MAX_ROW_BYTES = 16 * 1024 * 1024
export const NEWLINE = 0x0a
export const RETURN = 0x0d
const [SPACE, TAB] = [0x20, 0x09]
const LINE_END = Buffer.from('\n')

/**
 * Reads the rows of one file: `push` takes every chunk, then comes `end`. Lines end with LF or CRLF, in CSV also with CR; the
 * last row may end with the file.
 */
export class RowStream {
  readonly #file: string
  readonly #format: RowFormat
  readonly #sink: RowSink
  #encoding: TextEncoding
  #decoder: Decoder | null
  #isFirstChunk = true
  #rest: Buffer = Buffer.alloc(0)
  /** The number of the first line of the current row. */
  #number = 1
  /** The column at which the current row begins, in characters from 0. */
  #column = 0

  constructor(file: string, format: RowFormat, sink: RowSink) {
    this.#file = file
    this.#format = format
    this.#sink = sink
    this.#encoding = format.csv?.encoding ?? 'UTF-8'
    this.#decoder = decoderOf(this.#encoding)
  }

  /** Reads a chunk. @throws QueryFault for an invalid CSV header, or a file in another encoding. */
  push(chunk: Buffer): void {
    const { ends } = this.#format
    if (this.#isFirstChunk) this.#readMark(chunk)
    const decoded = this.#decode(decoder => decoder.decode(chunk)) ?? chunk
    const plain = this.#isFirstChunk ? this.#withoutMark(decoded) : decoded
    const bytes = this.#rest.length === 0 ? plain : Buffer.concat([this.#rest, plain])
    let start = 0
    for (let end = this.#next(bytes, 0, this.#rest.length); end >= 0; end = this.#next(bytes, start, start)) {
      if (ends.isRow !== false) this.#readRow(bytes, start, end)
      this.#number += ends.lines
      this.#column = ends.column ?? 0
      start = end + 1
    }
    // One byte more is allowed: a carriage return at the end does not count.
    this.#expectShort(bytes, start, bytes.length - 1)
    this.#rest = bytes.subarray(start)
  }

  /** Ends the file. @throws QueryFault as `push` does. */
  end(): void {
    this.#decode(decoder => decoder.end())
    if (this.#rest.length > 0) this.#readRow(this.#rest, 0, this.#rest.length)
    const { missing } = this.#format.ends
    if (missing != null)
      throw this.#fileFault(this.#rest, 0, new BadRowError(this.#rest.length, '', 'the end of the file', missing))
  }

  #next(bytes: Buffer, start: number, from: number): number {
    try {
      return this.#format.ends.next(bytes, from)
    } catch (error) {
      throw error instanceof BadRowError ? this.#fileFault(bytes, start, error) : error
    }
  }

  /** The error for a file in which no row can be found any more. */
  #fileFault(bytes: Buffer, start: number, { offset, path, found, expected }: BadRowError): QueryFault {
    return new QueryFault(
      badRowLine({ file: this.#file, ...this.#placeOf(bytes, start, offset), path, found, expected }),
    )
  }

  /** The line and the column of an offset in the row that begins at `start`. */
  #placeOf(bytes: Buffer, start: number, offset: number): Pick<BadRow, 'line' | 'column'> {
    const text = bytes.toString('utf8', start, offset)
    const lineEnd = this.#format.csv !== null ? -1 : text.lastIndexOf('\n')
    const lines = lineEnd < 0 ? 0 : text.split('\n').length - 1
    return { line: this.#number + lines, column: text.length - lineEnd + (lineEnd < 0 ? this.#column : 0) }
  }

  #withoutMark(chunk: Buffer): Buffer {
    if (chunk.length === 0) return chunk
    this.#isFirstChunk = false
    return chunk.toString('latin1', 0, 3) === '\xef\xbb\xbf' ? chunk.subarray(3) : chunk
  }

  /**
   * Takes the encoding from the byte order mark. @throws QueryFault where the table declares an encoding that differs from the mark, and
   * for a file compressed with gzip.
   */
  #readMark(chunk: Buffer): void {
    if (chunk.toString('latin1', 0, 2) === '\x1f\x8b')
      throw new QueryFault(`${this.#file}: the file is compressed with gzip, so its name must end in .gz`)
    const encoding = markedEncoding(chunk)
    if (encoding === null || encoding === this.#encoding) return
    if (this.#decoder !== null)
      throw new QueryFault(`${this.#file}: the file is ${encoding} by its mark, and ${this.#encoding} by its table`)
    this.#encoding = encoding
    this.#decoder = decoderOf(encoding)
  }

  #decode<T>(decode: (decoder: Decoder) => T): T | null {
    try {
      return this.#decoder && decode(this.#decoder)
    } catch (cause) {
      throw new QueryFault(`${this.#file}: the file is not ${this.#encoding}`, { cause })
    }
  }

  /** @throws QueryFault for a row that is longer than MAX_ROW_BYTES. */
  #expectShort(bytes: Buffer, start: number, end: number): void {
    if (end - start <= MAX_ROW_BYTES) return
    throw this.#fileFault(
      bytes,
      start,
      new BadRowError(start, '', 'a row that is longer', `a row of at most ${MAX_ROW_BYTES} bytes`),
    )
  }

  #readRow(bytes: Buffer, start: number, newline: number): void {
    const { reader, csv } = this.#format
    const end = newline > start && bytes[newline - 1] === RETURN ? newline - 1 : newline
    this.#expectShort(bytes, start, end)
    if (isBlank(bytes, start, end, csv?.delimiter)) return
    const row = bytes.subarray(start, end)
    try {
      if (csv && row.includes(0)) throw new BadRowError(row.indexOf(0), '', 'the byte \\u0000', 'text')
      if (!isUtf8(row)) throw notUtf8(row, csv !== null)
      const text = reader.read(bytes, start, end, this.#number)
      if (text !== null) this.#sink.row(text)
    } catch (error) {
      if (error instanceof QueryFault) throw new QueryFault(`${this.#file}: ${error.message}`, { cause: error })
      if (!(error instanceof BadRowError)) throw error
      const { path, found, expected } = error
      const place = this.#placeOf(bytes, start, start + error.offset)
      const whole = bytes.subarray(start, newline)
      const line = csv ? whole : whole.map(byte => (byte === NEWLINE ? SPACE : byte))
      this.#sink.bad({ file: this.#file, ...place, path, found, expected }, Buffer.concat([line, LINE_END]))
    }
  }
}

function isBlank(bytes: Buffer, start: number, end: number, delimiter?: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if ((byte !== SPACE && byte !== TAB && byte !== RETURN) || byte === delimiter) return false
  }
  return true
}

/** The encoding of the byte order mark with which the chunk begins; null for UTF-8, and without a mark. */
export function markedEncoding(chunk: Buffer): TextEncoding | null {
  const mark = chunk.toString('latin1', 0, 2)
  return mark === '\xff\xfe' ? 'UTF-16LE' : mark === '\xfe\xff' ? 'UTF-16BE' : null
}

function notUtf8(row: Buffer, isCsv: boolean): BadRowError {
  const valid = Math.max(0, row.toString('utf8').indexOf('\ufffd'))
  const text = row.toString('utf8').slice(0, valid)
  const offset = Buffer.byteLength(text)
  const byte = row[offset] ?? 0
  const expected = isCsv ? `UTF-8, or ${formHint('encoding', 'Windows-1252', '--encoding Windows-1252')}` : 'UTF-8'
  return new BadRowError(offset, '', `the byte 0x${byte.toString(16)} behind "${excerptOf(text.slice(-20))}"`, expected)
}
