/** The body of a successful answer: values of all but its rows, whose text stays as it came until a schema reads it. */
import { isUtf8 } from 'node:buffer'
import { JsonTextError } from '../../encode/json-bytes.js'
import { CLOSE_OBJECT, COLON, COMMA, JsonReader, OPEN_LIST, OPEN_OBJECT } from './json-reader.js'

/**
 * The JSON value, an object of which has a list `rows` as its bytes, brackets included. What is between these is known
 * to be whole and not yet to be JSON. @throws JsonTextError, SyntaxError.
 */
export function readAnswerBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new JsonTextError('it is no UTF-8')
  const rows = rowsOf(new JsonReader(bytes))
  if (rows === null) return JSON.parse(bytes.toString('utf8'))
  const { start, end } = rows
  const rest = JSON.parse(`${bytes.toString('utf8', 0, start)}null${bytes.toString('utf8', end)}`) as object
  return { ...rest, rows: bytes.subarray(start, end) }
}

/** Where the list is that the object's member `rows` holds; null where there is none. */
function rowsOf(reader: JsonReader): { readonly start: number; readonly end: number } | null {
  if (!reader.take(OPEN_OBJECT) || reader.take(CLOSE_OBJECT)) return null
  let rows: { readonly start: number; readonly end: number } | null = null
  do {
    const name = reader.text()
    reader.expect(COLON)
    const isList = reader.next() === OPEN_LIST
    const start = reader.at
    reader.skipValue()
    if (name !== 'rows') continue
    if (rows !== null || !isList) throw new JsonTextError('rows are no list')
    rows = { start, end: reader.at }
  } while (reader.take(COMMA))
  return rows
}
