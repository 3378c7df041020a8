/** Functions of BYTES, since DuckDB has few functions of BLOB. Lists of BYTES are passed as hexadecimal text. */
import { isUtf8 } from 'node:buffer'
import { withoutLeading, withoutTrailing } from '../../../googlesql/values/trim-text.js'
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
  (cut: (text: string, set: string) => string) =>
  (value: Bytes, set: Bytes): Bytes =>
    ofLatin1(cut(latin1(value), latin1(set)))

const withoutEnds = (text: string, set: string): string => withoutLeading(withoutTrailing(text, set), set)

const pad =
  (side: 'left' | 'right') =>
  (value: Bytes, size: bigint, pattern: Bytes): Bytes => {
    const length = checkPadding(size, pattern.length === 0)
    if (length <= value.length) return value.slice(0, length)
    const padding = Buffer.alloc(length - value.length, pattern)
    return Buffer.concat(side === 'left' ? [padding, value] : [value, padding])
  }

const repeat = (value: Bytes, count: bigint): Bytes =>
  Buffer.alloc(value.length * repetitions(value.length, count), value)

/** The parts between the delimiters, in hexadecimal digits; an empty delimiter separates all bytes. */
function split(value: Bytes, delimiter: Bytes): string[] {
  const parts = value.length === 0 ? [''] : latin1(value).split(latin1(delimiter))
  return parts.map(part => ofLatin1(part).toString('hex'))
}

function replace(value: Bytes, part: Bytes, by: Bytes): Bytes {
  const parts = part.length === 0 ? [latin1(value)] : latin1(value).split(latin1(part))
  checkOutput('REPLACE', value.length + (parts.length - 1) * (by.length - part.length))
  return ofLatin1(parts.join(latin1(by)))
}

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

/** As many bytes as the first announces, where each of the others may follow another; else a single byte. */
const CHARACTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|./gs

/** The bytes as text; each byte that is not part of a well-formed character becomes one U+FFFD. */
function safeToString(value: Bytes): string {
  if (isUtf8(value)) return Buffer.from(value).toString()
  return latin1(value).replace(CHARACTER, character => {
    const bytes = ofLatin1(character)
    return isUtf8(bytes) ? bytes.toString() : '\ufffd'.repeat(bytes.length)
  })
}

export const latin1 = (value: Bytes): string => Buffer.from(value).toString('latin1')
export const ofLatin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

const translated = (value: Bytes, source: Bytes, target: Bytes): Bytes =>
  ofLatin1(translate(latin1(value), latin1(source), latin1(target)))

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
  scalar('bq_bytes_trim', ['BLOB', 'BLOB'], 'BLOB', trim(withoutEnds)),
  scalar('bq_bytes_ltrim', ['BLOB', 'BLOB'], 'BLOB', trim(withoutLeading)),
  scalar('bq_bytes_rtrim', ['BLOB', 'BLOB'], 'BLOB', trim(withoutTrailing)),
  scalar('bq_bytes_lpad', ['BLOB', 'BIGINT', 'BLOB'], 'BLOB', pad('left')),
  scalar('bq_bytes_rpad', ['BLOB', 'BIGINT', 'BLOB'], 'BLOB', pad('right')),
  scalar('bq_bytes_repeat', ['BLOB', 'BIGINT'], 'BLOB', repeat),
  scalar('bq_bytes_translate', ['BLOB', 'BLOB', 'BLOB'], 'BLOB', translated),
  scalar('bq_bytes_replace', ['BLOB', 'BLOB', 'BLOB'], 'BLOB', replace),
  scalar('bq_bytes_reverse', ['BLOB'], 'BLOB', value => value.slice().reverse()),
  scalar('bq_bytes_split', ['BLOB', 'BLOB'], 'VARCHAR[]', split),
  scalar('bq_bytes_instr', ['BLOB', 'BLOB', 'BIGINT', 'BIGINT'], 'BIGINT', findNth),
  scalar('bq_bytes_starts_with', ['BLOB', 'BLOB'], 'BOOLEAN', (value, part) => latin1(value).startsWith(latin1(part))),
  scalar('bq_bytes_ends_with', ['BLOB', 'BLOB'], 'BOOLEAN', (value, part) => latin1(value).endsWith(latin1(part))),
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
