/** Reads the body of a successful answer, but not its rows: their text stays as it came until a schema is known. */
import { isUtf8 } from 'node:buffer'
import { JsonTextError } from '../decode/json-bytes.js'
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  JsonReader,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from '../decode/json-reader.js'

/**
 * The JSON value. Its member `rows` is the bytes of that list, brackets included. The text between the brackets has not been
 * checked: the answer is JSON if this text, read later, is a list that ends at the last bracket.
 * @throws JsonTextError, SyntaxError.
 */
export function readAnswerBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new JsonTextError('it is no UTF-8')
  const rows = rowsOf(new JsonReader(bytes))
  if (rows === null) return JSON.parse(bytes.toString('utf8'))
  const { start, end } = rows
  const rest = JSON.parse(`${bytes.toString('utf8', 0, start)}null${bytes.toString('utf8', end)}`) as object
  return { ...rest, rows: bytes.subarray(start, end) }
}

/** Where the list of the member `rows` stands; null where the object has no such member. */
function rowsOf(reader: JsonReader): { readonly start: number; readonly end: number } | null {
  if (!reader.take(OPEN_OBJECT) || reader.take(CLOSE_OBJECT)) return null
  let rows: { readonly start: number; readonly end: number } | null = null
  do {
    const name = reader.text()
    reader.expect(COLON)
    const isList = reader.next() === OPEN_LIST
    const start = reader.at
    const end = name === 'rows' && isList ? longListEnd(reader.view, start) : null
    if (end === null) reader.skipValue()
    else reader.at = end
    if (name !== 'rows') continue
    if (rows !== null || !isList) throw new JsonTextError('rows are no list')
    rows = { start, end: reader.at }
  } while (reader.take(COMMA))
  return rows
}

/** Shorter lists are read through, which takes less than 0.3 ms. */
const LONG_LIST = 131_072
/** How many bytes of an answer are searched backwards from its end. Everything but the rows is far shorter. */
const TAIL = 65_536

/**
 * The offset after the list that begins at `start`. It is searched backwards from the end of the object, because most of an
 * answer is rows, and their reader looks at every byte of them anyway. Null where the end is not certain. In JSON the offset
 * is right unless another list of the object is longer than `TAIL`, which BigQuery's answers do not have; the text that would
 * then be taken for the list is not JSON.
 */
function longListEnd(text: DataView, start: number): number | null {
  const least = text.byteLength - TAIL
  if (text.byteLength - start < LONG_LIST) return null
  let depth = 0
  let end: number | null = null
  for (let at = text.byteLength - 1; at >= least; at--) {
    const byte = text.getUint8(at)
    if (byte === QUOTE) {
      at = openingQuote(text, at, least)
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (depth === 1) end = byte === CLOSE_LIST ? at + 1 : null
      depth += 1
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth -= 1
      if (depth <= 0) return null
      if (depth === 1) end = null
    }
  }
  return end
}

/** Where the string begins whose closing quote is at `closing`: its opening quote has no backslash before it. */
function openingQuote(text: DataView, closing: number, least: number): number {
  for (let at = closing - 1; at >= least; at--) {
    if (text.getUint8(at) === QUOTE && text.getUint8(at - 1) !== BACKSLASH) return at
  }
  return least
}
