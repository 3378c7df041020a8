/** Collects the rows of a result into the bytes of its body. */
import { JsonBytes, tokenOf } from './json-bytes.js'
import { objectWriter, RESULT_HEAD, RESULT_SEPARATOR, RESULT_TAIL } from './row-writer.js'

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
  readonly add: (cells: readonly string[]) => void
  /**
   * Takes the bytes collected since the last call, once they are enough for one part; else null. Taken bytes are not kept.
   */
  readonly takePart: () => Uint8Array | null
  /** The bytes that no part has taken. @throws BodyTooLargeError. */
  readonly finish: () => Uint8Array
}

// Long enough for the encoder to work on large pieces; short enough to keep V8's string ropes cheap to flatten.
const PIECE_LENGTH = 65_536
const PART_BYTES = 1_048_576

/** A body of rows with these columns, from the JSON texts of their cells. */
export function bodyBuilder(columnNames: readonly string[], maxBytes: number): BodyBuilder {
  const write = objectWriter(columnNames)
  const pieces = pieceList(maxBytes)
  let text = RESULT_HEAD
  let isFirst = true
  const flush = (): void => {
    const piece = Buffer.from(text, 'utf8')
    text = ''
    pieces.add(piece)
  }
  return {
    add: cells => {
      text += isFirst ? write(cells) : RESULT_SEPARATOR + write(cells)
      isFirst = false
      if (text.length > PIECE_LENGTH) flush()
    },
    takePart: () => (pieces.length() < PART_BYTES ? null : pieces.take()),
    finish: () => {
      text += RESULT_TAIL
      flush()
      return pieces.take()
    },
  }
}

/** A body builder for rows that `writeRow` writes as bytes at the end of `out`. */
export interface ByteBodyBuilder<Row> {
  /**
   * Adds a row. A row that is not kept is still encoded, so that a row that cannot be encoded fails, and is then discarded.
   * @throws BodyTooLargeError as soon as the body exceeds `maxBytes`.
   */
  readonly add: (row: Row, isKept?: boolean) => void
  /** @throws BodyTooLargeError. */
  readonly finish: () => Uint8Array
}

const [SEPARATOR, TAIL] = [tokenOf(RESULT_SEPARATOR), tokenOf(RESULT_TAIL)]

export function byteBodyBuilder<Row>(
  writeRow: (out: JsonBytes, row: Row) => void,
  maxBytes: number,
): ByteBodyBuilder<Row> {
  const pieces = pieceList(maxBytes)
  const out = new JsonBytes()
  out.plain(RESULT_HEAD)
  let isFirst = true
  return {
    add: (row, isKept = true) => {
      const start = out.length
      if (!isFirst) out.token(SEPARATOR)
      writeRow(out, row)
      if (isKept) isFirst = false
      else out.length = start
      if (out.length > PIECE_LENGTH) pieces.add(out.take())
    },
    finish: () => {
      out.token(TAIL)
      pieces.add(out.take())
      return pieces.take()
    },
  }
}

interface PieceList {
  /** @throws BodyTooLargeError. */
  readonly add: (piece: Buffer) => void
  /** The number of bytes added since the last `take`. */
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
