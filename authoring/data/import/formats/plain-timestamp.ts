/** Recognises the most common form of TIMESTAMP in bytes, without decoding them. */
import { monthLength } from '../../../../googlesql-duckdb/index.js'

/**
 * Whether the bytes are `2026-01-31T12:00:00Z`, with `T` or a space and up to six fractional digits, which DuckDB reads
 * unchanged.
 */
export function isPlainTimestamp(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start
  if (length < 20 || length > 27 || length === 21 || bytes[end - 1] !== 0x5a) return false
  const year = number(bytes, start, 4)
  const month = number(bytes, start + 5, 2)
  const day = number(bytes, start + 8, 2)
  const isDay = year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= monthLength(year, month)
  if (!isDay || bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d) return false
  const between = bytes[start + 10]
  if ((between !== 0x54 && between !== 0x20) || bytes[start + 13] !== 0x3a || bytes[start + 16] !== 0x3a) return false
  const hour = number(bytes, start + 11, 2)
  const minute = number(bytes, start + 14, 2)
  const second = number(bytes, start + 17, 2)
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return false
  return length === 20 || (bytes[start + 19] === 0x2e && number(bytes, start + 20, length - 21) >= 0)
}

/** The number of these digits; -1 where a byte is not a digit. */
function number(bytes: Uint8Array, start: number, digits: number): number {
  let value = 0
  for (let i = start; i < start + digits; i++) {
    const digit = bytes[i]! - 0x30
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}
