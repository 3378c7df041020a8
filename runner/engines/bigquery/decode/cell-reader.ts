/** Reads the rows and cells of BigQuery's REST answers, `{"f":[{"v":…},…]}`, from their bytes: ../README.md says why. */

import { JsonTextError } from './json-bytes.js'
import { CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, JsonReader, OPEN_OBJECT, WORD, wordOf } from './json-reader.js'

/** `f` and `v`, the names of the members of rows and cells. */
export const F = 0x66
export const V = 0x76

const MEMBER = wordOf('{"\u0000"')
/** `},{"v":`, which is what mostly stands between two cells. */
const [CELL_END, CELL_START] = [wordOf('},{"'), wordOf('"v":')]
const CELL_GAP = 7
/** `{"f":[{"v":`, `}]}`, `[{"v":` and `}]`, as they mostly stand around the values of rows and lists. */
const RECORD_START = 11
const RECORD_WORDS = [wordOf('{"f"'), wordOf(':[{"')] as const
const RECORD_END = wordOf('}]}\u0000')
const THREE_BYTES = 0xffffff
const LIST_START = wordOf('[{"v')
const LIST_END = CLOSE_OBJECT | (CLOSE_LIST << 8)

/** A reader that takes at once what mostly stands between cells; any other JSON of the same meaning is read as well. */
export class CellReader extends JsonReader {
  /** Goes into an object, to the value of its member with this name of one letter. */
  enter(name: number): void {
    const { view, at } = this
    const isShort = at < this.last && view.getInt32(at, true) === (MEMBER | (name << 16))
    if (isShort && view.getUint8(at + WORD) === COLON) this.at = at + WORD + 1
    else this.#enterSlowly(name)
  }

  #enterSlowly(name: number): void {
    this.expect(OPEN_OBJECT)
    while (this.text() !== String.fromCharCode(name)) {
      this.skipMember()
      this.expect(COMMA)
    }
    this.expect(COLON)
  }

  /** Goes from the end of that member's value out of the object. */
  leave(name: number): void {
    while (!this.take(CLOSE_OBJECT)) {
      this.expect(COMMA)
      if (this.text() === String.fromCharCode(name)) throw new JsonTextError('a member is there twice')
      this.skipMember()
    }
  }

  /** Goes from the end of a cell's value to the value of the next cell; after the last cell, out of it, and returns false. */
  nextCell(): boolean {
    const { view, at } = this
    if (at < this.last && isCellGap(view, at)) {
      this.at = at + CELL_GAP
      return true
    }
    this.leave(V)
    if (!this.take(COMMA)) return false
    this.enter(V)
    return true
  }

  /** Goes into a row or a STRUCT, to its first value, if exactly `{"f":[{"v":` comes next. */
  takeRecordStart(): boolean {
    const { view, at } = this
    if (at > this.last || !isRecordStart(view, at)) return false
    this.at = at + RECORD_START
    return true
  }

  /** Goes from the end of its last value out of it, past `}]}`. */
  takeRecordEnd(): boolean {
    const { view, at } = this
    if (at > this.last || (view.getInt32(at, true) & THREE_BYTES) !== RECORD_END) return false
    this.at = at + 3
    return true
  }

  /** Goes into an ARRAY, to its first element, past `[{"v":`. */
  takeListStart(): boolean {
    const { view, at } = this
    if (at > this.last || view.getInt32(at, true) !== LIST_START || view.getInt32(at + 2, true) !== CELL_START)
      return false
    this.at = at + 6
    return true
  }

  /** Goes from the end of its last element out of it, past `}]`. */
  takeListEnd(): boolean {
    const { view, at } = this
    if (at > this.last || view.getInt16(at, true) !== LIST_END) return false
    this.at = at + 2
    return true
  }
}

const isRecordStart = (view: DataView, at: number): boolean =>
  view.getInt32(at, true) === RECORD_WORDS[0] &&
  view.getInt32(at + 4, true) === RECORD_WORDS[1] &&
  view.getInt32(at + 7, true) === CELL_START

const isCellGap = (view: DataView, at: number): boolean =>
  view.getInt32(at, true) === CELL_END && view.getInt32(at + 3, true) === CELL_START
