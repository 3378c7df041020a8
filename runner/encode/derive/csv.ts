/** RFC 4180: CRLF, a header line, NULL as nothing and the empty string as `""`. Only quotes are escaped. */
import { parseTypeName, type Type } from '../../../googlesql/index.js'
import type { ResultColumn } from '../../model/query.js'
import { COMMA, QUOTE } from '../json-reader.js'
import { ByteWriter } from './byte-writer.js'
import type { ResultFacts } from './facts.js'
import { ResultReader } from './result-reader.js'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SEMICOLON = 0x3b

/** Decides by a cell's text, bytes `start` to `end` of `text`, whether the cell gets a prefix. */
export type CellPrefix = (text: Uint8Array, start: number, end: number) => boolean

/** How a spreadsheet's CSV differs. */
export interface CsvVariant {
  /** The text before the header line. */
  readonly head: string
  /** Decides which cells of a column of this type get `'` in front; null for none. */
  readonly guardOf: (type: Type | undefined) => CellPrefix | null
  readonly headerGuard: CellPrefix | null
}

const PLAIN: CsvVariant = { head: '', guardOf: () => null, headerGuard: null }

/** @throws JsonTextError, BodyTooLargeError. */
export const toCsv = (columns: readonly ResultColumn[], json: Uint8Array, facts: ResultFacts): Uint8Array =>
  writeCsv(columns, json, facts, PLAIN)

/** @throws JsonTextError, BodyTooLargeError. */
export function writeCsv(
  columns: readonly ResultColumn[],
  json: Uint8Array,
  { maxBytes }: ResultFacts,
  { head, guardOf, headerGuard }: CsvVariant,
): Uint8Array {
  const reader = new ResultReader(json)
  const out = new ByteWriter(json.byteLength, maxBytes)
  out.text(head)
  columns.forEach(({ name }, i) => {
    if (i > 0) out.byte(COMMA)
    const text = Buffer.from(name, 'utf8')
    writeText(out, text, 0, text.length, headerGuard)
  })
  endLine(out)
  const cells = columns.map(column => {
    const type = parseTypeName(column.type)
    return compileCell(type, guardOf(type))
  })
  while (reader.hasRow()) {
    for (let i = 0; i < cells.length; i++) {
      if (i > 0) out.byte(COMMA)
      reader.toMember(i)
      if (!reader.takeNull()) cells[i]!(reader, out)
    }
    reader.closeObject(cells.length)
    endLine(out)
  }
  return out.take()
}

type Cell = (reader: ResultReader, out: ByteWriter) => void

function compileCell(type: Type | undefined, guard: CellPrefix | null): Cell {
  switch (type?.kind) {
    case 'STRING':
      return (reader, out) => {
        reader.readString()
        writeText(out, reader.source, reader.sourceStart, reader.sourceEnd, guard)
      }
    case 'BYTES':
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      // The empty text is quoted, base64 may begin with a plus sign, and a range has a comma.
      return (reader, out) => {
        const end = reader.readWord()
        writeText(out, reader.bytes, reader.at, end, guard)
        reader.endWord(end)
      }
    // A type whose text cannot be read is one with a field name that GoogleSQL would not accept.
    case undefined:
    case 'ARRAY':
    case 'STRUCT':
    case 'JSON':
      return (reader, out) => {
        reader.next()
        const start = reader.at
        reader.skipValue()
        writeText(out, reader.bytes, start, reader.at, guard)
      }
    default:
      // Numbers, booleans, dates, times and intervals hold no comma and no quote.
      return (reader, out) => {
        const end = reader.readWord()
        if (guard?.(reader.bytes, reader.at, end)) out.byte(APOSTROPHE)
        out.range(reader.bytes, reader.at, end)
        reader.endWord(end)
      }
  }
}

const APOSTROPHE = 0x27

/**
 * A cell of any text: quoted where it is empty, or holds a comma, a quote or the end of a line. Where cells are guarded, also
 * with a semicolon: in many countries spreadsheets begin another cell there, and some begin another row at a line break
 * inside quotes. What comes after either is guarded, too.
 */
function writeText(out: ByteWriter, text: Uint8Array, start: number, end: number, guard: CellPrefix | null): void {
  const isGuarded = guard?.(text, start, end) === true
  if (start < end && !mustQuote(text, start, end, guard !== null)) {
    if (isGuarded) out.byte(APOSTROPHE)
    out.range(text, start, end)
    return
  }
  // Every byte may be a quote, which is written twice.
  out.reserve(2 * (end - start) + 3)
  const { bytes } = out
  let at = out.length
  bytes[at++] = QUOTE
  if (isGuarded) bytes[at++] = APOSTROPHE
  for (let i = start; i < end; i++) {
    const byte = text[i]!
    bytes[at++] = byte
    if (byte === QUOTE) bytes[at++] = QUOTE
    else if (guard !== null && beginsCell(byte) && guard(text, ...nextCell(text, i + 1, end))) bytes[at++] = APOSTROPHE
  }
  bytes[at++] = QUOTE
  out.length = at
}

const beginsCell = (byte: number): boolean => byte === SEMICOLON || byte === LINE_FEED || byte === CARRIAGE_RETURN

/** Where the text after a semicolon or line break begins and ends; that each ends at the next keeps the work linear. */
function nextCell(text: Uint8Array, from: number, end: number): readonly [start: number, end: number] {
  const start = afterQuotes(text, from)
  let at = start
  while (at < end && !beginsCell(text[at]!)) at += 1
  return [start, at]
}

function afterQuotes(text: Uint8Array, start: number): number {
  let at = start
  while (text[at] === QUOTE) at += 1
  return at
}

function mustQuote(text: Uint8Array, start: number, end: number, hasSemicolons: boolean): boolean {
  for (let i = start; i < end; i++) {
    const byte = text[i]!
    if (byte === COMMA || byte === QUOTE || byte === LINE_FEED || byte === CARRIAGE_RETURN) return true
    if (hasSemicolons && byte === SEMICOLON) return true
  }
  return false
}

function endLine(out: ByteWriter): void {
  out.byte(CARRIAGE_RETURN)
  out.byte(LINE_FEED)
}
