/**
 * Reads a stored result, `{"result":[{…},…]}`, as the JSON texts of its rows and of the values within them. Nothing is parsed
 * before a format needs it, so numbers keep all their digits, and members of equal names their places.
 */
import { nextTurn, PIECE_BYTES } from '../model/in-turns.js'
import type { ResultSet } from '../model/query.js'
import { RESULT_HEAD, RESULT_TAIL } from '../result/body.js'

/** A text that should be JSON of a certain form is not. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError'
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const SPACE = 0x20
/** The first byte of `null`. */
const LETTER_N = 0x6e
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Each row, in order, by a reader that stands before it. @throws JsonTextError. */
export function* rowsOf(body: Uint8Array): Generator<RowReader> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let at = RESULT_HEAD.length
  if (bytes.toString('latin1', 0, at) !== RESULT_HEAD) throw new JsonTextError('it does not begin as a result')
  const row = new RowReader(bytes)
  while (bytes[at] === OPEN_OBJECT) {
    row.begin(at)
    yield row
    at = row.end
    if (bytes[at] !== COMMA) break
    at += 1
  }
  const tail = bytes.toString('latin1', at)
  if (tail !== RESULT_TAIL && !PAGE_TAIL.test(tail)) throw unexpected(bytes, at)
}

/** The end of a page, with the cursor of the next one. */
const PAGE_TAIL = /^\],"next":(?:null|"[\w.-]+")\}$/

const PLACES = Symbol('places of rows')

interface Placed extends Pick<ResultSet, 'body' | 'rowCount'> {
  [PLACES]?: Promise<Uint32Array>
}

/**
 * The offset of each row in the result's body, and at last the one that a further row would have. They are found once a result.
 * @throws JsonTextError.
 */
export function rowPlaces(result: Placed): Promise<Uint32Array> {
  result[PLACES] ??= findPlaces(result)
  return result[PLACES]
}

async function findPlaces({ body, rowCount }: Placed): Promise<Uint32Array> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const places = new Uint32Array(rowCount + 1)
  let [at, paused] = [RESULT_HEAD.length, 0]
  for (let row = 0; row < rowCount; row++) {
    places[row] = at
    at = bracketsEnd(bytes, at) + 1
    if (at - paused < PIECE_BYTES) continue
    paused = at
    await nextTurn()
  }
  places[rowCount] = at
  return places
}

/**
 * Reads the values of a row one after the other, those of a STRUCT or an ARRAY in their place. Each step throws JsonTextError
 * where the text has another form.
 */
export class RowReader {
  /** The offset after the row. */
  end = 0
  /** The text of the row. */
  text = ''
  readonly #bytes: Buffer
  #start = 0
  #at = 0
  /** Each character of the text is one byte. */
  #isAscii = true

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Goes to the row that begins there. */
  begin(start: number): void {
    this.#start = start
    this.#at = start
    this.end = bracketsEnd(this.#bytes, start)
    this.text = this.#bytes.toString('utf8', start, this.end)
    this.#isAscii = this.text.length === this.end - start
  }

  /** The number of bytes of the row. */
  get length(): number {
    return this.end - this.#start
  }

  /** Goes to the value of an object's member, the first of which has the index 0. */
  toMember(index: number): void {
    this.#expect(index === 0 ? OPEN_OBJECT : COMMA)
    this.#next()
    this.#at = stringEnd(this.#bytes, this.#at)
    this.#expect(COLON)
  }

  /** Goes past the end of an object with so many members. */
  leaveObject(count: number): void {
    if (count === 0) this.#expect(OPEN_OBJECT)
    this.#expect(CLOSE_OBJECT)
  }

  /** Goes to an item of a list, the first of which has the index 0; behind the last, out of the list, and returns false. */
  toItem(index: number): boolean {
    if (index === 0) this.#expect(OPEN_LIST)
    const next = this.#next()
    if (next === CLOSE_LIST) this.#at += 1
    else if (index > 0) this.#expect(COMMA)
    return next !== CLOSE_LIST
  }

  /** Goes past the value if it is null; returns whether it was. */
  takeNull(): boolean {
    if (this.#next() !== LETTER_N) return false
    if (this.value() !== 'null') throw unexpected(this.#bytes, this.#at)
    return true
  }

  /** The JSON of the value, past which it goes. */
  value(): string {
    this.#next()
    const start = this.#at
    const end = valueEnd(this.#bytes, start)
    this.#at = end
    if (this.#isAscii) return this.text.slice(start - this.#start, end - this.#start)
    return this.#bytes.toString('utf8', start, end)
  }

  #expect(symbol: number): void {
    if (this.#next() !== symbol) throw unexpected(this.#bytes, this.#at)
    this.#at += 1
  }

  /** Goes past white space, and returns the byte that is next. */
  #next(): number | undefined {
    while (this.#bytes[this.#at]! <= SPACE) this.#at += 1
    return this.#bytes[this.#at]
  }
}

/** What reads a value, also a nested one. */
export type ValueReader = Pick<RowReader, 'takeNull' | 'value' | 'toItem' | 'toMember' | 'leaveObject'>

/** Reads a value that is not nested from its JSON text. */
class CellReader implements ValueReader {
  cell = ''

  takeNull(): boolean {
    return this.cell === 'null'
  }

  value(): string {
    return this.cell
  }

  toItem(): never {
    throw new JsonTextError('a list expected')
  }

  toMember(): never {
    throw new JsonTextError('an object expected')
  }

  leaveObject(): void {}
}

/** What reads the cells of a column from their JSON texts; each reader is used before the next is asked for. */
export function cellReaders(isNested: boolean): (cell: string) => ValueReader {
  const reader = new CellReader()
  return cell => {
    reader.cell = cell
    if (!isNested || cell === 'null') return reader
    const nested = new RowReader(Buffer.from(cell))
    nested.begin(0)
    return nested
  }
}

/** The offset after the value that begins at `start`. */
function valueEnd(bytes: Buffer, start: number): number {
  const first = bytes[start]
  if (first === QUOTE) return stringEnd(bytes, start)
  if (first === OPEN_OBJECT || first === OPEN_LIST) return bracketsEnd(bytes, start)
  let at = start
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte <= SPACE || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST) break
  }
  if (at === start) throw unexpected(bytes, at)
  return at
}

/** The same of a list or an object, of which only brackets and strings are read. */
function bracketsEnd(bytes: Buffer, start: number): number {
  let depth = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = stringEnd(bytes, at) - 1
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && --depth === 0) return at + 1
  }
  throw unexpected(bytes, bytes.length)
}

/** The offset after the string whose opening quote is at `start`. */
function stringEnd(bytes: Buffer, start: number): number {
  if (bytes[start] !== QUOTE) throw unexpected(bytes, start)
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) return at + 1
    if (bytes[at] === BACKSLASH) at += 1
  }
  throw unexpected(bytes, bytes.length)
}

/** The message does not show the text, which is data. */
const unexpected = (bytes: Buffer, at: number): JsonTextError =>
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
