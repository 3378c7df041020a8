/** Gathers the rows of a result into the bytes of its body. */
import type { RowWriter } from './row-writer.js'

export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
}

export interface BodyBuilder {
  /** @throws BodyTooLargeError as soon as the body exceeds `maxBytes`. */
  readonly add: (cells: readonly (string | null)[]) => void
  readonly finish: () => Uint8Array
}

// Long enough that the encoder works on large pieces, short enough that V8's string ropes stay cheap to flatten.
const PIECE_LENGTH = 65_536

export function bodyBuilder(writer: RowWriter, maxBytes: number): BodyBuilder {
  const pieces: Buffer[] = []
  let bytes = 0
  let text = writer.head
  let isFirst = true
  const flush = (): void => {
    const piece = Buffer.from(text, 'utf8')
    text = ''
    bytes += piece.byteLength
    if (bytes > maxBytes) throw new BodyTooLargeError(`The result is larger than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return {
    add: cells => {
      text += isFirst ? writer.row(cells) : writer.separator + writer.row(cells)
      isFirst = false
      if (text.length > PIECE_LENGTH) flush()
    },
    finish: () => {
      text += writer.tail
      flush()
      return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
    },
  }
}
