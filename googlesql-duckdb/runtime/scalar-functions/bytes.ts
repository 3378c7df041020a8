/** Functions of BYTES that DuckDB does not have for BLOB. Other functions of BYTES run on texts whose characters are the bytes. */
import { isUtf8 } from 'node:buffer'
import { withoutTrailing } from '../../../googlesql/values/trim-text.js'
import { BASE32_DIGITS, base32Text, bytesOfDigits } from './base-digits.js'
import { fail, type ScalarFunction, scalar } from './scalar-function.js'

type Bytes = Uint8Array

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
  const match = /[^0-9a-fA-F]/.exec(text)
  if (match) fail(`Failed to decode invalid hexadecimal string due to character at offset ${match.index}: ${text}`)
  return Buffer.from(text.length % 2 === 1 ? `0${text}` : text, 'hex')
}

/** The bytes of one character: as many as the first byte announces, if the others are continuation bytes; otherwise a single byte. */
const CHARACTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|./gs

/** The bytes as text; each byte that is not part of a well-formed character becomes one U+FFFD. */
function safeToString(value: Bytes): string {
  if (isUtf8(value)) return Buffer.from(value).toString()
  return latin1Text(value).replace(CHARACTER, character => {
    const bytes = latin1Bytes(character)
    return isUtf8(bytes) ? bytes.toString() : '\ufffd'.repeat(bytes.length)
  })
}

export const latin1Text = (value: Bytes): string => Buffer.from(value).toString('latin1')
export const latin1Bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

const bytewise = (name: string, combine: (a: number, b: number) => number): ScalarFunction =>
  scalar(name, ['BLOB', 'BLOB'], 'BLOB', (a, b) => {
    if (a.length !== b.length)
      fail(
        `Bitwise binary operator for BYTES requires equal length of the inputs. Got ${a.length} bytes on the left hand side and ${b.length} bytes on the right hand side.`,
      )
    return a.map((byte, i) => combine(byte, b[i]!))
  })

/** The bits shifted by `count`, towards the first byte for a positive count. */
function shiftBits(bytes: Bytes, count: bigint): Bytes {
  const length = BigInt(bytes.length) * 8n
  if (bytes.length === 0 || count >= length || count <= -length) return new Uint8Array(bytes.length)
  const value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  const result = count >= 0n ? BigInt.asUintN(Number(length), value << count) : value >> -count
  return Buffer.from(result.toString(16).padStart(bytes.length * 2, '0'), 'hex')
}

const shift = (name: string, sign: bigint): ScalarFunction =>
  scalar(name, ['BLOB', 'BIGINT'], 'BLOB', (bytes, count) => {
    if (count < 0n) fail('Bitwise shift by negative offset.')
    return shiftBits(bytes, sign * count)
  })

export const BYTES_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_bytes_lower', ['BLOB'], 'BLOB', value => value.map(byte => (isUpper(byte) ? byte + 32 : byte))),
  scalar('bq_bytes_upper', ['BLOB'], 'BLOB', value => value.map(byte => (isLower(byte) ? byte - 32 : byte))),
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
