/** Byte ranges of a body: RFC 9110 §14. */

/** A range of bytes, from offset `start` up to but not including `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Blanks may be around a range; other units, malformed ranges and lists of several do not match. */
const ONE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i

/**
 * @param header the value of `Range`; undefined where the request has none.
 * @param size of the body in the coding that is sent, in bytes.
 * @returns null where the header has no range that is served: the whole body is then the answer
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = (header && ONE_RANGE.exec(header)) || []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  // Digits beyond 2^53 are rounded, or are Infinity: beyond the end of any body in either case.
  if (first === '') {
    const count = Math.min(Number(last), size)
    return count === 0 ? 'unsatisfiable' : { start: size - count, end: size }
  }
  const [start, end] = [Number(first), last === '' ? size : Math.min(Number(last) + 1, size)]
  // A range that ends before it begins is malformed, wherever the body ends.
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'unsatisfiable' : { start, end }
}

/** The value of `Content-Range` of a 206, or of a 416 without a range. */
export const contentRange = (range: ByteRange | null, size: number): string =>
  range === null ? `bytes */${size}` : `bytes ${range.start}-${range.end - 1}/${size}`

/**
 * Whether `If-Range` allows the range: it is absent, or equals the body's strong ETag. A date never matches, since results
 * have no `Last-Modified`.
 */
export const allowsRange = (ifRange: string | undefined, etag: string): boolean =>
  ifRange === undefined || (!etag.startsWith('W/') && ifRange.trim() === etag)
