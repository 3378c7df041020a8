/** A body whose rows are written as bytes. */
import { BodyTooLargeError, RESULT_HEAD, RESULT_SEPARATOR, RESULT_TAIL } from '../../../result/body.js'
import { JsonBytes, tokenOf } from './json-bytes.js'

const PIECE_LENGTH = 65_536
const [SEPARATOR, TAIL] = [tokenOf(RESULT_SEPARATOR), tokenOf(RESULT_TAIL)]

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

export function byteBodyBuilder<Row>(
  writeRow: (out: JsonBytes, row: Row) => void,
  maxBytes: number,
): ByteBodyBuilder<Row> {
  const pieces: Buffer[] = []
  let bytes = 0
  const out = new JsonBytes()
  out.plain(RESULT_HEAD)
  let isFirst = true
  const take = (): void => {
    bytes += out.length
    if (bytes > maxBytes) throw new BodyTooLargeError(maxBytes)
    pieces.push(out.take())
  }
  return {
    add: (row, isKept = true) => {
      const start = out.length
      if (!isFirst) out.token(SEPARATOR)
      writeRow(out, row)
      if (isKept) isFirst = false
      else out.length = start
      if (out.length > PIECE_LENGTH) take()
    },
    finish: () => {
      out.token(TAIL)
      take()
      return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
    },
  }
}
