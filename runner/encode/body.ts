/** Gathers the rows of a result into the bytes of its body. */
import { JsonBytes, tokenOf } from './json-bytes.js'
import type { RowWriter } from './row-writer.js'

export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
  readonly maxBytes: number
  constructor(maxBytes: number) {
    super(`The result is larger than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}

export interface BodyBuilder {
  /** @throws BodyTooLargeError as soon as the body exceeds `maxBytes`. */
  readonly add: (cells: readonly (string | null)[]) => void
  /** What was gathered since it was asked last, once that is much; null before. It is not kept. */
  readonly takePart: () => Uint8Array | null
  /** What no part has. @throws BodyTooLargeError. */
  readonly finish: () => Uint8Array
}

// Long enough that the encoder works on large pieces, short enough that V8's string ropes stay cheap to flatten.
const PIECE_LENGTH = 65_536
const PART_BYTES = 1_048_576

export function bodyBuilder(writer: RowWriter, maxBytes: number): BodyBuilder {
  const pieces = pieceList(maxBytes)
  let text = writer.head
  let isFirst = true
  const flush = (): void => {
    const piece = Buffer.from(text, 'utf8')
    text = ''
    pieces.add(piece)
  }
  return {
    add: cells => {
      text += isFirst ? writer.row(cells) : writer.separator + writer.row(cells)
      isFirst = false
      if (text.length > PIECE_LENGTH) flush()
    },
    takePart: () => (pieces.length() < PART_BYTES ? null : pieces.take()),
    finish: () => {
      text += writer.tail
      flush()
      return pieces.take()
    },
  }
}

/** The same of rows whose bytes are written by `writeRow` where `out` ends. */
export interface ByteBodyBuilder<Row> {
  /**
   * A row that is not kept is written and forgotten: it fails where it cannot be written.
   * @throws BodyTooLargeError as soon as the body exceeds `maxBytes`.
   */
  readonly add: (row: Row, isKept?: boolean) => void
  /** @throws BodyTooLargeError. */
  readonly finish: () => Uint8Array
}

export function byteBodyBuilder<Row>(
  frame: Pick<RowWriter, 'head' | 'separator' | 'tail'>,
  writeRow: (out: JsonBytes, row: Row) => void,
  maxBytes: number,
): ByteBodyBuilder<Row> {
  const pieces = pieceList(maxBytes)
  const [separator, tail] = [tokenOf(frame.separator), tokenOf(frame.tail)]
  const out = new JsonBytes()
  out.plain(frame.head)
  let isFirst = true
  return {
    add: (row, isKept = true) => {
      const start = out.length
      if (!isFirst) out.token(separator)
      writeRow(out, row)
      if (isKept) isFirst = false
      else out.length = start
      if (out.length > PIECE_LENGTH) pieces.add(out.take())
    },
    finish: () => {
      out.token(tail)
      pieces.add(out.take())
      return pieces.take()
    },
  }
}

interface PieceList {
  /** @throws BodyTooLargeError. */
  readonly add: (piece: Buffer) => void
  /** Of what was added since `take`. */
  readonly length: () => number
  readonly take: () => Buffer
}

function pieceList(maxBytes: number): PieceList {
  let pieces: Buffer[] = []
  let bytes = 0
  let bytesBefore = 0
  return {
    add: piece => {
      bytes += piece.byteLength
      if (bytes > maxBytes) throw new BodyTooLargeError(maxBytes)
      pieces.push(piece)
    },
    length: () => bytes - bytesBefore,
    take: () => {
      const taken = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
      pieces = []
      bytesBefore = bytes
      return taken
    },
  }
}
