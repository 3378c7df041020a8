/** CSV by RFC 4180: splits a stream of bytes into records, and a record into cells. */
import { BadRowError, shown } from './bad-row.js'
import type { RowEnds } from './row-stream.js'

const QUOTE = 0x22
const COMMA = 0x2c
const NEWLINE = 0x0a

type State = 'start' | 'plain' | 'quoted' | 'closed'

/** Finds the ends of records; a line end within quotes belongs to its record. */
export class CsvRecordEnds implements RowEnds {
  lines = 0
  #state: State = 'start'
  #seenLines = 0

  next(bytes: Buffer, from: number): number {
    let state = this.#state
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === NEWLINE) this.#seenLines++
      if (byte === NEWLINE && state !== 'quoted') {
        this.#state = 'start'
        this.lines = this.#seenLines
        this.#seenLines = 0
        return at
      }
      state = nextState(state, byte)
    }
    this.#state = state
    return -1
  }
}

function nextState(state: State, byte: number): State {
  if (state === 'quoted') return byte === QUOTE ? 'closed' : 'quoted'
  if (byte === COMMA) return 'start'
  return byte === QUOTE && state !== 'plain' ? 'quoted' : 'plain'
}

/** One cell; an empty cell without quotes is NULL. `offset` is its offset in the record. */
export interface Cell {
  readonly text: string | null
  readonly offset: number
}

/** Splits a record into cells. @throws BadRowError for a misplaced quote. */
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
