/**
 * Finds the rows of a file of JSON. Each line is a row; or the rows are the elements of an array, which may be a member of one document
 * (an object). The rows of an array may span lines, and may all be on one line.
 */
import { BadRowError, excerptOf } from './bad-row.js'
import { NEWLINE, type RowEnds } from './row-stream.js'

const COMMA = 0x2c
const QUOTE = 0x22
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const COLON = 0x3a
const BACKSLASH = 0x5c

/** RFC 8259 §2: space, tab, line feed, carriage return. */
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** The most bytes of a member's name that are kept, to be compared with the name of the member with the rows. */
const MAX_NAME = 2_000

/**
 * What the current byte is in: at the `start` of the file, `lines` of rows, the `rows` of an array, the `document` around the array, or
 * `after` the array and the document.
 */
type Form = 'start' | 'lines' | 'rows' | 'document' | 'after'

export class JsonRowEnds implements RowEnds {
  lines = 0
  column = 0
  isRow = true
  /** The member of a document that has the rows; null for a file without a document around them. */
  readonly #member: string | null
  #form: Form = 'start'
  /** How many objects and lists are around the current byte: within a row, or within the document. */
  #depth = 0
  #isInString = false
  #isEscaped = false
  #seenLines = 0
  /** In characters, from 0. */
  #seenColumn = 0
  /** Whether the current row has a byte that is not white space. */
  #hasBytes = false
  /** Whether the array has a row before the current one. */
  #hasRows = false
  /** The bytes of the last string of the document's own members, which is a name if a colon follows. */
  #name: number[] = []
  /** What comes next in the document: a member's `name`, or the `rows`, after the name of their member. `read`: the rows were read. */
  #nextPart: 'name' | 'rows' | 'read' = 'name'

  constructor(member: string | null) {
    this.#member = member
  }

  /** What is missing at the end of the file; null where it is whole. */
  get missing(): string | null {
    if (this.#form === 'rows') return '"," or "]"'
    return this.#form === 'document' ? '"}"' : null
  }

  /** @throws BadRowError, with an offset in `bytes`, for bytes that cannot be between rows. */
  next(bytes: Buffer, from: number): number {
    if (this.#hasLines()) return bytes.indexOf(NEWLINE, from)
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!
      const isEnd = this.#isEnd(byte, at, bytes)
      if (this.#hasLines()) return this.#endOfLine(bytes, at)
      if (byte === NEWLINE) {
        this.#seenLines++
        this.#seenColumn = 0
      } else if ((byte & 0xc0) !== 0x80) this.#seenColumn += byte < 0xf0 ? 1 : 2
      if (isEnd) return this.#end(at)
    }
    // Bytes that are in no row are not kept until the next chunk.
    const isBetween = this.#form === 'document' || this.#form === 'after'
    if (!isBetween || from >= bytes.length) return -1
    this.isRow = false
    return this.#end(bytes.length - 1)
  }

  #hasLines(): boolean {
    return this.#form === 'lines'
  }

  #end(at: number): number {
    this.lines = this.#seenLines
    this.column = this.#seenColumn
    this.#seenLines = 0
    return at
  }

  /** Called once, when the first byte shows that each line is a row: from here on, only line ends matter. */
  #endOfLine(bytes: Buffer, from: number): number {
    this.isRow = true
    this.lines = 1
    this.column = 0
    return bytes.indexOf(NEWLINE, from)
  }

  /** Whether the byte ends a row, or bytes before the first row. */
  #isEnd(byte: number, at: number, bytes: Buffer): boolean {
    if (this.#form === 'rows') return this.#isEndOfRow(byte, at)
    this.isRow = false
    if (this.#form === 'document') return this.#isBeginOfRows(byte, at, bytes)
    if (isSpace(byte)) return byte === NEWLINE
    if (this.#form === 'after') throw new BadRowError(at, '', textAt(bytes, at), 'the end of the file')
    if (byte === OPEN_LIST) this.#form = 'rows'
    else this.#form = byte === OPEN_OBJECT && this.#member !== null ? 'document' : 'lines'
    this.#depth = this.#form === 'document' ? 1 : 0
    return byte === OPEN_LIST
  }

  #isEndOfRow(byte: number, at: number): boolean {
    if (this.#skipString(byte)) {
      if (byte === NEWLINE) throw new BadRowError(at, '', 'the end of a line in a string', 'it escaped, as \\n')
      return false
    }
    const isEnd = this.#depth === 0 && (byte === COMMA || byte === CLOSE_LIST)
    if (!isEnd) {
      if (!isSpace(byte)) this.#hasBytes = true
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth++
      else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && this.#depth > 0) this.#depth--
      return false
    }
    const isEmpty = byte === CLOSE_LIST && !this.#hasRows && !this.#hasBytes
    if (!this.#hasBytes && !isEmpty) throw new BadRowError(at, '', `"${String.fromCharCode(byte)}"`, 'a row')
    this.isRow = !isEmpty
    this.#hasBytes = false
    this.#hasRows = byte === COMMA
    if (byte === CLOSE_LIST) {
      this.#form = this.#member !== null && this.#nextPart === 'read' ? 'document' : 'after'
      this.#depth = 1
    }
    return true
  }

  /** Whether the byte is in a string, or begins one. */
  #skipString(byte: number): boolean {
    if (!this.#isInString) {
      this.#isInString = byte === QUOTE
      this.#hasBytes ||= this.#isInString
      return this.#isInString
    }
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInString = false
    return true
  }

  #isBeginOfRows(byte: number, at: number, bytes: Buffer): boolean {
    const wasInString = this.#isInString
    if (this.#nextPart === 'rows' && !isSpace(byte)) {
      if (byte !== OPEN_LIST) throw new BadRowError(at, '', textAt(bytes, at), `a list of rows in "${this.#member}"`)
      this.#nextPart = 'read'
      this.#form = 'rows'
      this.#depth = 0
      return true
    }
    if (this.#skipString(byte)) {
      if (!wasInString) this.#name = []
      if (this.#depth === 1 && this.#name.length < MAX_NAME) this.#name.push(byte)
      return false
    }
    if (byte === COLON && this.#depth === 1) this.#checkName(at)
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#depth--
    if (this.#depth > 0) return false
    this.#form = 'after'
    if (this.#nextPart !== 'read')
      throw new BadRowError(at, '', 'the end of the document', `the member "${this.#member}" with the rows`)
    return true
  }

  #checkName(at: number): void {
    if (nameOf(this.#name) !== this.#member) return
    if (this.#nextPart === 'read') throw new BadRowError(at, '', `"${this.#member}" a second time`, 'each member once')
    this.#nextPart = 'rows'
  }
}

const textAt = (bytes: Buffer, at: number): string => `"${excerptOf(bytes.toString('utf8', at, at + 20))}"`

/** The name in the bytes of a string of JSON; null for other bytes. */
function nameOf(bytes: readonly number[]): string | null {
  try {
    return String(JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch {
    return null
  }
}
