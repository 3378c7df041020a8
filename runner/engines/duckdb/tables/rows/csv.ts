/** Splits a stream of CSV into records, and records into cells, by RFC 4180. The delimiter and the quote may be other characters. */
import { BadRowError, excerptOf } from './bad-row.js'
import type { CsvForm } from './csv-form.js'
import { NEWLINE, RETURN, type RowEnds } from './row-stream.js'

type State = 'start' | 'plain' | 'quoted' | 'closed'

/** Finds the ends of records. A line end within quotes belongs to its record. Each line above the header counts as a record. */
export class CsvRecordEnds implements RowEnds {
  lines = 0
  readonly #form: CsvForm
  #state: State = 'start'
  #seenLines = 0
  #linesAbove: number
  /** LF, or CR in files of old programs; null until the first line has ended. */
  #lineEnd: number | null = null

  constructor(form: CsvForm) {
    this.#form = form
    this.#linesAbove = form.headerLine - 1
  }

  next(bytes: Buffer, from: number): number {
    const { delimiter, quote } = this.#form
    const lineEnd = this.#lineEnd
    let state = this.#state
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (lineEnd === null) {
        // The byte after a CR shows whether the CR alone ends the line.
        const end = byte === NEWLINE ? at : bytes[at - 1] === RETURN ? at - 1 : -1
        if (end >= 0 && this.#canEnd(state)) return this.#endFirst(bytes, end)
      } else if (byte === lineEnd) {
        this.#seenLines++
        if (this.#canEnd(state)) return this.#end(at)
      }
      if (state === 'quoted') state = byte === quote ? 'closed' : 'quoted'
      else if (byte === delimiter) state = 'start'
      else state = byte === quote && state !== 'plain' ? 'quoted' : 'plain'
    }
    this.#state = state
    return -1
  }

  #canEnd(state: State): boolean {
    return state !== 'quoted' || this.#linesAbove > 0
  }

  /** Ends the first record. Its line end, LF or CR, is that of the whole file. */
  #endFirst(bytes: Buffer, at: number): number {
    this.#lineEnd = bytes[at]!
    this.#seenLines = bytes.subarray(0, at + 1).filter(byte => byte === this.#lineEnd).length
    return this.#end(at)
  }

  #end(at: number): number {
    this.#state = 'start'
    this.#linesAbove--
    this.lines = Math.max(1, this.#seenLines)
    this.#seenLines = 0
    return at
  }
}

/** One cell. `text` is null for a NULL; `offset` is its offset in the record. */
export interface Cell {
  readonly text: string | null
  readonly offset: number
}

/** The names of a header. None of them counts as a NULL. @throws BadRowError for a misplaced quote. */
export const headerOf = (bytes: Buffer, start: number, end: number, form: CsvForm): Cell[] =>
  w3cNames(bytes.toString('utf8', start, end), form)?.map(text => ({ text, offset: 0 })) ??
  cellsOf(bytes, start, end, { ...form, nulls: new Set() })

/** The names in the header of W3C's log format, which IIS and CloudFront write; null for another line. https://www.w3.org/TR/WD-logfile */
export const w3cNames = (line: string, { delimiter }: CsvForm): readonly string[] | null =>
  [0x09, 0x20].includes(delimiter) && /^#Fields:\s/.test(line) ? line.trim().split(/\s+/).slice(1) : null

/** Splits a record into cells. @throws BadRowError for a misplaced quote. */
export function cellsOf(bytes: Buffer, start: number, end: number, { delimiter, quote, nulls }: CsvForm): Cell[] {
  const row = bytes.subarray(start, end)
  const cells: Cell[] = []
  let at = 0
  for (;;) {
    const begin = at
    let text: string | null
    if (row[at] === quote) {
      const close = closingQuote(row, quote, at + 1)
      const mark = String.fromCharCode(quote)
      text = row.toString('utf8', at + 1, close).replaceAll(mark + mark, mark)
      at = close + 1
    } else {
      const next = row.indexOf(delimiter, at)
      const stop = next < 0 ? row.length : next
      const plain = row.toString('utf8', at, stop)
      if (quote !== null && plain.includes(String.fromCharCode(quote))) {
        throw new BadRowError(
          at,
          '',
          `a quote within ${excerptOf(plain)}`,
          'quotes around the whole cell, and doubled within it',
        )
      }
      text = nulls.has(plain) ? null : plain
      at = stop
    }
    cells.push({ text, offset: begin })
    if (at >= row.length) return cells
    if (row[at] !== delimiter) {
      const separator = String.fromCharCode(delimiter)
      throw new BadRowError(
        at,
        '',
        `"${excerptOf(row.toString('utf8', at, Math.min(row.length, at + 80)))}" behind a closing quote`,
        separator === ',' ? 'a comma' : `the delimiter ${JSON.stringify(separator)}`,
      )
    }
    at++
  }
}

function closingQuote(row: Buffer, quote: number, from: number): number {
  let at = from
  for (;;) {
    const close = row.indexOf(quote, at)
    if (close < 0) throw new BadRowError(from - 1, '', 'a quote without an end', 'a closing quote')
    if (row[close + 1] !== quote) return close
    at = close + 2
  }
}
