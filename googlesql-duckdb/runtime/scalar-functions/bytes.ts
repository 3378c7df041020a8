/** Functions of BYTES, since DuckDB has few functions of BLOB. Lists of BYTES are passed as hexadecimal text. */
import { withoutTrailing } from '../../../googlesql/values/trim-text.js'
import { BASE32_DIGITS, base32Text, bytesOfDigits } from './base-digits.js'
import { fail, type ScalarFunction, scalar } from './scalar-function.js'
import { checkOutput, checkPadding, findNth, repetitions, translate } from './strings.js'

type Bytes = Uint8Array

function substr(value: Bytes, position: bigint, length: bigint): Bytes {
  if (length < 0n) fail('Third argument in SUBSTR() cannot be negative')
  const size = BigInt(value.length)
  let start = position
  if (start < 0n) start = start + size < 0n ? 0n : start + size
  else if (start > 0n) start -= 1n
  if (start >= size) return new Uint8Array()
  const end = start + length > size ? size : start + length
  return value.slice(Number(start), Number(end))
}

const left = (value: Bytes, count: bigint): Bytes => {
  if (count < 0n) fail('Second argument in LEFT() cannot be negative')
  return substr(value, 1n, count)
}
const right = (value: Bytes, count: bigint): Bytes => {
  if (count < 0n) fail('Second argument in RIGHT() cannot be negative')
  return count === 0n ? new Uint8Array() : substr(value, -count, count)
}

const trim =
  (atStart: boolean, atEnd: boolean) =>
  (value: Bytes, set: Bytes): Bytes => {
    let start = 0
    let end = value.length
    if (atStart) while (start < end && set.includes(value[start]!)) start++
    if (atEnd) while (end > start && set.includes(value[end - 1]!)) end--
    return value.slice(start, end)
  }

const pad =
  (side: 'left' | 'right') =>
  (value: Bytes, size: bigint, pattern: Bytes): Bytes => {
    const length = checkPadding(size, pattern.length === 0)
    if (length <= value.length) return value.slice(0, length)
    const result = new Uint8Array(length)
    const missing = length - value.length
    const start = side === 'left' ? 0 : value.length
    for (let index = 0; index < missing; index++) result[start + index] = pattern[index % pattern.length]!
    result.set(value, side === 'left' ? missing : 0)
    return result
  }

function repeat(value: Bytes, count: bigint): Bytes {
  const times = repetitions(value.length, count)
  const result = new Uint8Array(value.length * times)
  for (let index = 0; index < times; index++) result.set(value, index * value.length)
  return result
}

/** The parts between the delimiters; an empty delimiter separates all bytes. */
function split(value: Bytes, delimiter: Bytes): Bytes[] {
  if (delimiter.length === 0) return value.length === 0 ? [value] : Array.from(value, byte => Uint8Array.of(byte))
  const source = Buffer.from(value.buffer, value.byteOffset, value.length)
  const parts: Bytes[] = []
  let start = 0
  for (let at = source.indexOf(delimiter); at >= 0; at = source.indexOf(delimiter, start)) {
    parts.push(value.slice(start, at))
    start = at + delimiter.length
  }
  parts.push(value.slice(start))
  return parts
}

function replace(value: Bytes, part: Bytes, by: Bytes): Bytes {
  const parts = part.length === 0 ? [value] : split(value, part)
  checkOutput('REPLACE', value.length + (parts.length - 1) * (by.length - part.length))
  return Buffer.concat(parts.flatMap((each, index) => (index === 0 ? [each] : [by, each])))
}

const startsWith = (value: Bytes, part: Bytes): boolean =>
  part.length <= value.length && part.every((byte, index) => value[index] === byte)
const endsWith = (value: Bytes, part: Bytes): boolean =>
  part.length <= value.length && part.every((byte, index) => value[value.length - part.length + index] === byte)

const isUpper = (byte: number): boolean => byte >= 65 && byte <= 90
const isLower = (byte: number): boolean => byte >= 97 && byte <= 122

function fromCodePoints(codes: readonly (bigint | null)[]): Bytes | null {
  if (codes.includes(null)) return null
  return Uint8Array.from(codes, code => {
    if (code! < 0n || code! > 255n) fail(`Invalid ASCII value ${code}`)
    return Number(code)
  })
}

function fromBase32(text: string): Bytes {
  const digits = withoutTrailing(text, '=')
  if (text.length % 8 !== 0 || text.length - digits.length > 6 || [1, 3, 6].includes(digits.length % 8))
    fail('Failed to decode invalid base32 string')
  return bytesOfDigits(digits, 5, BASE32_DIGITS, 'base32')
}

/**
 * Decodes base64. White space is skipped anywhere; padding may be missing, but must not be wrong. @throws ScalarFunctionError
 */
export function fromBase64(text: string): Bytes {
  const compact = text.replace(/[ \t\n\v\f\r]/g, '')
  const digits = withoutTrailing(compact, '=')
  const padding = compact.length - digits.length
  if (
    !/^[A-Za-z0-9+/]*$/.test(digits) ||
    digits.length % 4 === 1 ||
    (padding > 0 && (digits.length + padding) % 4 !== 0) ||
    padding > 2
  )
    fail('Failed to decode invalid base64 string')
  return Buffer.from(digits, 'base64')
}

function fromHex(text: string): Bytes {
  const at = /[^0-9a-fA-F]/.exec(text)
  if (at) fail(`Failed to decode invalid hexadecimal string due to character at offset ${at.index}: ${text}`)
  return Buffer.from(text.length % 2 === 1 ? `0${text}` : text, 'hex')
}

/** The bytes as text; each byte that is not part of a well-formed character becomes one U+FFFD. */
function safeToString(value: Bytes): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return decoder.decode(value)
  } catch {
    let text = ''
    for (let index = 0; index < value.length; ) {
      const length = wellFormedLength(value, index)
      text += length === 0 ? '\ufffd' : decoder.decode(value.subarray(index, index + length))
      index += length || 1
    }
    return text
  }
}

/** The number of bytes of the character at this index; 0 where it is not well formed. Source: Unicode, table 3-7. */
function wellFormedLength(value: Bytes, index: number): number {
  const first = value[index]!
  if (first < 0x80) return 1
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  if (length === 0 || index + length > value.length) return 0
  const second = value[index + 1]!
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  if (second < low || second > high) return 0
  for (let next = index + 2; next < index + length; next++) if ((value[next]! & 0xc0) !== 0x80) return 0
  return length
}

export const latin1 = (value: Bytes): string => Buffer.from(value).toString('latin1')

const translated = (value: Bytes, source: Bytes, target: Bytes): Bytes =>
  Buffer.from(translate(latin1(value), latin1(source), latin1(target)), 'latin1')

const hexOf = (value: Bytes): string => Buffer.from(value).toString('hex')

const bytewise = (name: string, combine: (a: number, b: number) => number): ScalarFunction =>
  scalar(name, ['BLOB', 'BLOB'], 'BLOB', (a, b) => {
    if (a.length !== b.length)
      fail(
        `Bitwise binary operator for BYTES requires equal length of the inputs. Got ${a.length} bytes on the left hand side and ${b.length} bytes on the right hand side.`,
      )
    return a.map((byte, i) => combine(byte, b[i]!))
  })

/** The bits shifted by `count`, towards the first byte for a positive count. */
function shifted(bytes: Bytes, count: bigint): Bytes {
  const length = BigInt(bytes.length) * 8n
  if (bytes.length === 0 || count >= length || count <= -length) return new Uint8Array(bytes.length)
  const value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  const moved = count >= 0n ? BigInt.asUintN(Number(length), value << count) : value >> -count
  return Buffer.from(moved.toString(16).padStart(bytes.length * 2, '0'), 'hex')
}

const shift = (name: string, sign: bigint): ScalarFunction =>
  scalar(name, ['BLOB', 'BIGINT'], 'BLOB', (bytes, count) => {
    if (count < 0n) fail('Bitwise shift by negative offset.')
    return shifted(bytes, sign * count)
  })

export const BYTES_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_bytes_substr', ['BLOB', 'BIGINT', 'BIGINT'], 'BLOB', substr),
  scalar('bq_bytes_left', ['BLOB', 'BIGINT'], 'BLOB', left),
  scalar('bq_bytes_right', ['BLOB', 'BIGINT'], 'BLOB', right),
  scalar('bq_bytes_trim', ['BLOB', 'BLOB'], 'BLOB', trim(true, true)),
  scalar('bq_bytes_ltrim', ['BLOB', 'BLOB'], 'BLOB', trim(true, false)),
  scalar('bq_bytes_rtrim', ['BLOB', 'BLOB'], 'BLOB', trim(false, true)),
  scalar('bq_bytes_lpad', ['BLOB', 'BIGINT', 'BLOB'], 'BLOB', pad('left')),
  scalar('bq_bytes_rpad', ['BLOB', 'BIGINT', 'BLOB'], 'BLOB', pad('right')),
  scalar('bq_bytes_repeat', ['BLOB', 'BIGINT'], 'BLOB', repeat),
  scalar('bq_bytes_translate', ['BLOB', 'BLOB', 'BLOB'], 'BLOB', translated),
  scalar('bq_bytes_replace', ['BLOB', 'BLOB', 'BLOB'], 'BLOB', replace),
  scalar('bq_bytes_reverse', ['BLOB'], 'BLOB', value => value.slice().reverse()),
  scalar('bq_bytes_split', ['BLOB', 'BLOB'], 'VARCHAR[]', (value, delimiter) => split(value, delimiter).map(hexOf)),
  scalar('bq_bytes_instr', ['BLOB', 'BLOB', 'BIGINT', 'BIGINT'], 'BIGINT', findNth),
  scalar('bq_bytes_starts_with', ['BLOB', 'BLOB'], 'BOOLEAN', startsWith),
  scalar('bq_bytes_ends_with', ['BLOB', 'BLOB'], 'BOOLEAN', endsWith),
  scalar('bq_bytes_lower', ['BLOB'], 'BLOB', value => value.map(byte => (isUpper(byte) ? byte + 32 : byte))),
  scalar('bq_bytes_upper', ['BLOB'], 'BLOB', value => value.map(byte => (isLower(byte) ? byte - 32 : byte))),
  scalar('bq_bytes_ascii', ['BLOB'], 'BIGINT', value => BigInt(value[0] ?? 0)),
  scalar('bq_bytes_to_code_points', ['BLOB'], 'BIGINT[]', value => Array.from(value, BigInt)),
  scalar('bq_code_points_to_bytes', ['BIGINT[]'], 'BLOB', fromCodePoints),
  scalar('bq_to_base32', ['BLOB'], 'VARCHAR', base32Text),
  scalar('bq_from_base32', ['VARCHAR'], 'BLOB', fromBase32),
  scalar('bq_from_base64', ['VARCHAR'], 'BLOB', fromBase64),
  scalar('bq_from_hex', ['VARCHAR'], 'BLOB', fromHex),
  scalar('bq_safe_bytes_to_string', ['BLOB'], 'VARCHAR', safeToString),
  scalar('bq_bytes_not', ['BLOB'], 'BLOB', bytes => bytes.map(byte => ~byte)),
  bytewise('bq_bytes_and', (a, b) => a & b),
  bytewise('bq_bytes_or', (a, b) => a | b),
  bytewise('bq_bytes_xor', (a, b) => a ^ b),
  shift('bq_bytes_shift_left', 1n),
  shift('bq_bytes_shift_right', -1n),
]
