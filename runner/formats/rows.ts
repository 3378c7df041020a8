/**
 * Reads a stored result, `{"result":[{…},…]}`, as the JSON texts of its rows and of the values within them. Nothing is parsed
 * before a format needs it, so numbers keep all their digits, and members with equal names are all kept.
 */
import { nextTurn, PIECE_BYTES, turnOfWaiter } from '../model/in-turns.js'
import type { ResultColumn, ResultSet } from '../model/query.js'
import { RESULT_HEAD, RESULT_TAIL } from '../result/body.js'
import type { RowWriter } from '../result/row-writer.js'

/** A text is not JSON of the expected form. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError'
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The JSON text of each row, in order; ends before the first row of more than `most` bytes. @throws JsonTextError. */
export function* rowsOf(body: Uint8Array, most = Number.POSITIVE_INFINITY): Generator<string> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let at = RESULT_HEAD.length
  if (bytes.toString('latin1', 0, at) !== RESULT_HEAD) throw new JsonTextError('it does not begin as a result')
  while (bytes[at] === OPEN_OBJECT) {
    const end = endWithin(bytes, at, at + most)
    if (end === null) return
    yield bytes.toString('utf8', at, end)
    at = end
    if (bytes[at] !== COMMA) break
    at += 1
  }
  const tail = bytes.toString('latin1', at)
  if (tail !== RESULT_TAIL && !PAGE_TAIL.test(tail)) throw formError(bytes, at)
}

/** The stored result in the format that `rows` writes. @throws JsonTextError, and the errors of `rows`. */
export function writeRows(rows: RowWriter, { length }: readonly ResultColumn[], body: Uint8Array): Uint8Array {
  for (const row of rowsOf(body)) rows.add(membersOf(row, length))
  return rows.finish()
}

/** The end of a page, with the cursor of the next one. */
const PAGE_TAIL = /^\],"next":(?:null|"[\w.-]+")\}$/

const OFFSETS = Symbol('offsets of rows')

interface WithOffsets extends Pick<ResultSet, 'body' | 'rowCount'> {
  [OFFSETS]?: Promise<Uint32Array>
}

/**
 * The offset of each row in the result's body, and last the offset that one more row would have. Computed once for each result.
 * @throws JsonTextError.
 */
export function rowOffsets(result: WithOffsets): Promise<Uint32Array> {
  const offsets = result[OFFSETS]
  if (offsets) return offsets.finally(turnOfWaiter)
  result[OFFSETS] = findOffsets(result)
  return result[OFFSETS]
}

async function findOffsets({ body, rowCount }: WithOffsets): Promise<Uint32Array> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const offsets = new Uint32Array(rowCount + 1)
  const reading = readingFrom(RESULT_HEAD.length)
  let until = PIECE_BYTES
  for (let row = 0; row < rowCount; row++) {
    offsets[row] = reading.offset
    while (!readRow(bytes, reading, Math.min(until, bytes.length))) {
      if (reading.offset >= bytes.length) throw formError(bytes, bytes.length)
      until = reading.offset + PIECE_BYTES
      await nextTurn()
    }
    reading.offset += 1
  }
  offsets[rowCount] = reading.offset
  return offsets
}

/** The offset after the row that begins at `start`. @throws JsonTextError. */
export const rowEnd = (bytes: Uint8Array, start: number): number => endWithin(bytes, start, bytes.length)!

/** The offset after the row that begins at `start`; null where the row continues at `until`. */
function endWithin(bytes: Uint8Array, start: number, until: number): number | null {
  const reading = readingFrom(start)
  if (readRow(bytes, reading, Math.min(until, bytes.length))) return reading.offset
  if (until < bytes.length) return null
  throw formError(bytes, bytes.length)
}

/** How far a row has been read, and how many brackets are open there. */
interface Reading {
  offset: number
  depth: number
  isInString: boolean
}

const readingFrom = (at: number): Reading => ({ offset: at, depth: 0, isInString: false })

/** Reads brackets and strings up to about `until`. True when the row has ended: `offset` is then the offset after the row. */
function readRow(bytes: Uint8Array, reading: Reading, until: number): boolean {
  let { offset, depth, isInString } = reading
  for (; offset < until; offset++) {
    const byte = bytes[offset]
    if (isInString || byte === QUOTE) {
      if (!isInString) offset++
      while (offset < until && bytes[offset] !== QUOTE) offset += bytes[offset] === BACKSLASH ? 2 : 1
      isInString = offset >= until
      if (isInString) break
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && --depth === 0) break
  }
  const hasEnded = offset < until
  reading.offset = hasEnded ? offset + 1 : offset
  reading.depth = depth
  reading.isInString = isInString
  return hasEnded
}

/** The JSON texts of the values of an object with `count` members. @throws JsonTextError. */
export function membersOf(object: string, count: number): readonly string[] {
  const members = object.charCodeAt(0) === OPEN_OBJECT ? valueTextsOf(object) : []
  if (members.length !== count) throw new JsonTextError(`an object of ${count} members expected`)
  return members
}

/** The JSON texts of the items of a list. @throws JsonTextError. */
export function itemsOf(list: string): readonly string[] {
  if (list.charCodeAt(0) !== OPEN_LIST) throw new JsonTextError('a list expected')
  return valueTextsOf(list)
}

/** The JSON texts of the values in an object or a list; `most` bounds their number. */
export function valueTextsOf(text: string, most = Number.POSITIVE_INFINITY): readonly string[] {
  const texts: string[] = []
  let [depth, start] = [0, 1]
  for (let at = 0; at < text.length && texts.length < most; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = stringEnd(text, at)
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1
    else if (code === COLON && depth === 1) start = at + 1
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth -= 1
    if (depth > 1 || (code !== COMMA && depth === 1)) continue
    const valueText = text.slice(start, at).trim()
    // Only an empty object or list has nothing before its end.
    if (valueText !== '') texts.push(valueText)
    start = at + 1
  }
  return texts
}

/** The offset of the quote that ends the string whose first quote is at `start`. */
function stringEnd(text: string, start: number): number {
  let at = start + 1
  for (let code = text.charCodeAt(at); code !== QUOTE && at < text.length; code = text.charCodeAt(at)) {
    at += code === BACKSLASH ? 2 : 1
  }
  return at
}

/** The message does not show the text, which is data. */
const formError = (bytes: Uint8Array, at: number): JsonTextError =>
  new JsonTextError(at < bytes.length ? `it has another form at byte ${at + 1}` : 'it ends too soon')

/** The text of a STRING. UTF-8 has no lone surrogates, so they become U+FFFD. @throws JsonTextError. */
export function stringOf(value: string): string {
  if (value.charCodeAt(0) !== QUOTE) throw new JsonTextError('a text expected')
  if (!value.includes('\\')) return value.slice(1, -1)
  try {
    return Buffer.from(JSON.parse(value) as string).toString()
  } catch {
    throw new JsonTextError('a text has an escape that JSON does not have')
  }
}

/** A number, true or false, or a text without escapes. */
export const wordOf = (value: string): string => (value.charCodeAt(0) === QUOTE ? value.slice(1, -1) : value)
