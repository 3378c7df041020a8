/** Collects rows into bytes. The body of a result is `{"result":[{…},…]}`. */

import type { RowWriter } from './row-writer.js'

export const RESULT_HEAD = '{"result":['
export const RESULT_TAIL = ']}'

export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
  readonly maxBytes: number
  constructor(maxBytes: number) {
    super(`The result is larger than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}

/** The texts before each value of a JSON object with these names: `{"a":`, then `,"b":`. */
export function objectKeys(names: readonly string[]): readonly string[] {
  return names.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
}

// Long enough for the encoder to work on large pieces; short enough to keep V8's string ropes cheap to flatten.
const PIECE_LENGTH = 65_536

/** The bytes of the pieces, one after the other, alone in their buffer. */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let offset = 0
  for (const piece of pieces) {
    bytes.set(piece, offset)
    offset += piece.byteLength
  }
  return bytes
}

/** Texts as UTF-8, of at most `maxBytes` bytes. */
export class BodyPieces {
  readonly #maxBytes: number
  #pieces: Uint8Array[] = []
  #text = ''
  #bytes = 0
  /** The number of bytes taken. */
  #takenBytes = 0

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes
  }

  /** The number of bytes that have been encoded and not been taken. */
  get length(): number {
    return this.#bytes - this.#takenBytes
  }

  /** @throws BodyTooLargeError. */
  add(text: string): void {
    this.#text += text
    if (this.#text.length > PIECE_LENGTH) this.#encode()
  }

  /** The bytes that were added since the last call, alone in their buffer. @throws BodyTooLargeError. */
  take(): Uint8Array {
    this.#encode()
    const bytes = joinPieces(this.#pieces)
    this.#pieces = []
    this.#takenBytes = this.#bytes
    return bytes
  }

  #encode(): void {
    const piece = Buffer.from(this.#text, 'utf8')
    this.#text = ''
    this.#bytes += piece.byteLength
    if (this.#bytes > this.#maxBytes) throw new BodyTooLargeError(this.#maxBytes)
    this.#pieces.push(piece)
  }
}

/** The least size of a part in bytes; only the last part may be smaller. */
export const PART_BYTES = 1_048_576

/** A format that writes each row without regard to the others. */
export interface RowTexts {
  readonly head: string
  readonly row: (cells: readonly string[]) => string
  /** The text between two rows. @default '' */
  readonly separator?: string
  readonly tail: string
}

/** Rows as texts, one after the other, in UTF-8. */
export class TextRows implements RowWriter {
  readonly #texts: RowTexts
  readonly #pieces: BodyPieces
  /** The text before the next row. */
  #before = ''

  constructor(texts: RowTexts, maxBytes?: number) {
    this.#texts = texts
    this.#pieces = new BodyPieces(maxBytes)
    this.#pieces.add(texts.head)
  }

  add(cells: readonly string[]): void {
    this.#pieces.add(this.#before + this.#texts.row(cells))
    this.#before = this.#texts.separator ?? ''
  }

  takePart(): Uint8Array | null {
    return this.#pieces.length < PART_BYTES ? null : this.#pieces.take()
  }

  finish(): Uint8Array {
    this.#pieces.add(this.#texts.tail)
    return this.#pieces.take()
  }
}

/** The JSON object of a row with these names, from the texts of its values. */
export function objectText(names: readonly string[]): (cells: readonly string[]) => string {
  const keys = objectKeys(names)
  return cells => {
    let text = keys.length === 0 ? '{' : ''
    for (let i = 0; i < keys.length; i++) text += keys[i]! + cells[i]!
    return `${text}}`
  }
}

/** The body of a result, of at most `maxBytes` bytes. */
export function bodyRows(names: readonly string[], maxBytes?: number): TextRows {
  return new TextRows({ head: RESULT_HEAD, row: objectText(names), separator: ',', tail: RESULT_TAIL }, maxBytes)
}
