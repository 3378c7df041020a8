/** CSV as RFC 4180 has it: records of a stream of bytes, and the cells of one record. */
import { BadRowError, shown } from './bad-row.js'
import type { LineSink, Splitter } from './lines.js'

const QUOTE = 0x22
const COMMA = 0x2c
const NEWLINE = 0x0a
const RETURN = 0x0d

type State = 'start' | 'plain' | 'quoted' | 'closed'

/** A line end within quotes belongs to its record. Each record has the number of its first line. */
export class CsvSplitter implements Splitter {
  readonly #sink: LineSink
  readonly #maxBytes: number
  #rest: Buffer = Buffer.alloc(0)
  #state: State = 'start'
  #number = 1
  #lines = 0
  #isOverlong = false

  constructor(sink: LineSink, maxBytes: number) {
    this.#sink = sink
    this.#maxBytes = maxBytes
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let start = 0
    let state = this.#state
    for (let at = this.#rest.length; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === NEWLINE) this.#lines++
      if (byte === NEWLINE && state !== 'quoted') {
        this.#give(bytes, start, at)
        start = at + 1
        state = 'start'
      } else state = nextState(state, byte)
    }
    this.#state = state
    this.#keep(bytes, start)
  }

  #give(bytes: Buffer, start: number, newline: number): void {
    const end = newline > start && bytes[newline - 1] === RETURN ? newline - 1 : newline
    if (this.#isOverlong || end - start > this.#maxBytes) {
      this.#sink.overlong(bytes, start, end, { number: this.#number, isFirst: !this.#isOverlong, isLast: true })
      this.#isOverlong = false
    } else this.#sink.line(bytes, start, end, this.#number)
    this.#number += this.#lines
    this.#lines = 0
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

function nextState(state: State, byte: number): State {
  if (state === 'quoted') return byte === QUOTE ? 'closed' : 'quoted'
  if (byte === COMMA) return 'start'
  return byte === QUOTE && state !== 'plain' ? 'quoted' : 'plain'
}

/** One cell: an empty one without quotes is NULL. `offset` is where it begins in its record. */
export interface Cell {
  readonly text: string | null
  readonly offset: number
}

/** @throws BadRowError for quotes where none may be. */
export function cellsOf(bytes: Buffer, start: number, end: number): Cell[] {
  const cells: Cell[] = []
  let at = start
  for (;;) {
    const begin = at
    let text: string | null
    if (bytes[at] === QUOTE && at < end) {
      const close = closingQuote(bytes, at + 1, start, end)
      text = bytes.toString('utf8', at + 1, close).replaceAll('""', '"')
      at = close + 1
    } else {
      const comma = bytes.indexOf(COMMA, at)
      const stop = comma < 0 || comma > end ? end : comma
      const plain = bytes.toString('utf8', at, stop)
      if (plain.includes('"')) {
        throw new BadRowError(
          at - start,
          '',
          `a quote within ${shown(plain)}`,
          'quotes around the whole cell, and doubled within it',
        )
      }
      text = plain === '' ? null : plain
      at = stop
    }
    cells.push({ text, offset: begin - start })
    if (at >= end) return cells
    if (bytes[at] !== COMMA) {
      throw new BadRowError(
        at - start,
        '',
        `"${shown(bytes.toString('utf8', at, Math.min(end, at + 80)))}" behind a closing quote`,
        'a comma',
      )
    }
    at++
  }
}

function closingQuote(bytes: Buffer, from: number, start: number, end: number): number {
  let at = from
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at)
    if (quote < 0 || quote >= end) {
      throw new BadRowError(from - 1 - start, '', 'a quote without an end', 'a closing quote')
    }
    if (bytes[quote + 1] !== QUOTE || quote + 1 >= end) return quote
    at = quote + 2
  }
}
