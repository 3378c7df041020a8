/** CAST … FORMAT between BYTES and STRING: HEX, BASE2 to BASE64M, ASCII, UTF-8. */
import { withoutTrailing } from '../../../../googlesql/values/trim-text.js'
import { BASE32_DIGITS, base32Text, bytesOfDigits, digitCount, digitsText } from '../base-digits.js'
import { fromBase64 } from '../bytes.js'
import { fail, type ScalarFunction, scalar } from '../scalar-function.js'

/** The bits of one digit, for bases that are written with as many digits as the bits need. */
const DIGIT_BITS: Readonly<Record<string, number>> = { HEX: 4, BASE16: 4, BASE2: 1, BASE8: 3, BASE32: 5 }
const HEX_DIGITS = '0123456789abcdef'
const MIME_LINE = 76

const invalidFormat = (format: string): never => {
  fail(`Invalid format '${format}'`)
}

/** The longest text: longer ones are not realistic values, and V8 aborts the process for a text of half a gigabyte. */
const MAX_TEXT_LENGTH = 2 ** 24

function bytesToText(bytes: Uint8Array, format: string): string {
  const name = format.toUpperCase()
  if (Object.hasOwn(DIGIT_BITS, name) && digitCount(bytes, DIGIT_BITS[name]!) > MAX_TEXT_LENGTH)
    fail(`The text of ${bytes.length} bytes is too long`)
  switch (name) {
    case 'HEX':
    case 'BASE16':
    case 'BASE2':
      return digitsText(bytes, DIGIT_BITS[name]!, HEX_DIGITS)
    case 'BASE8':
      return octalDigits(bytes)
    case 'BASE32':
      return base32Text(bytes)
    case 'BASE64':
      return Buffer.from(bytes).toString('base64')
    case 'BASE64M':
      return Buffer.from(bytes)
        .toString('base64')
        .replace(new RegExp(`.{${MIME_LINE}}(?=.)`, 'g'), '$&\n')
    case 'ASCII':
      if (bytes.some(byte => byte > 127)) fail('Failed to decode invalid ASCII string')
      return Buffer.from(bytes).toString('latin1')
    case 'UTF8':
    case 'UTF-8':
      try {
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
      } catch {
        return fail('A string is not valid UTF-8.')
      }
    default:
      return invalidFormat(format)
  }
}

/** Eight octal digits hold three bytes. An incomplete group, of digits or of bytes, is padded on the left. */
const OCTAL_GROUP = { digits: 8, bytes: 3 }

function octalDigits(bytes: Uint8Array): string {
  const missing = (OCTAL_GROUP.bytes - (bytes.length % OCTAL_GROUP.bytes)) % OCTAL_GROUP.bytes
  const padded = new Uint8Array(missing + bytes.length)
  padded.set(bytes, missing)
  return digitsText(padded, 3, HEX_DIGITS).slice(Math.floor((missing * 8) / 3))
}

/**
 * Decodes octal digits. An incomplete group gives one byte for every three digits, rounded up. Three digits have nine bits, as
 * in '777': the first bit is dropped.
 */
function octalBytes(text: string): Uint8Array {
  const rest = text.length % OCTAL_GROUP.digits
  const padded = text.padStart(text.length + ((OCTAL_GROUP.digits - rest) % OCTAL_GROUP.digits), '0')
  const bytes = bytesOfDigits(padded, 3, '01234567', 'base8')
  return rest === 0 ? bytes : bytes.subarray(OCTAL_GROUP.bytes - Math.ceil(rest / 3))
}

function textToBytes(text: string, format: string): Uint8Array {
  const name = format.toUpperCase()
  switch (name) {
    case 'HEX':
    case 'BASE16': {
      const padded = text.length % 2 === 0 ? text : `0${text}`
      return bytesOfDigits(padded.toLowerCase(), 4, HEX_DIGITS, 'hexadecimal')
    }
    case 'BASE2':
      return bytesOfDigits(text.padStart(Math.ceil(text.length / 8) * 8, '0'), 1, '01', 'base2')
    case 'BASE8':
      return octalBytes(text)
    case 'BASE32': {
      const bare = withoutTrailing(text, '=')
      if (text.length % 8 !== 0 || [1, 3, 6].includes(bare.length % 8)) fail('Failed to decode invalid base32 string')
      return bytesOfDigits(bare, 5, BASE32_DIGITS, 'base32')
    }
    case 'BASE64':
    case 'BASE64M':
      return fromBase64(text)
    case 'ASCII':
      if (/[^\0-\x7f]/.test(text)) fail('Failed to decode invalid ASCII string')
      return Uint8Array.from(Buffer.from(text, 'latin1'))
    case 'UTF8':
    case 'UTF-8':
      return Uint8Array.from(Buffer.from(text, 'utf8'))
    default:
      return invalidFormat(format)
  }
}

export const CAST_BYTES_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_cast_bytes_to_text', ['BLOB', 'VARCHAR'], 'VARCHAR', bytesToText),
  scalar('bq_cast_text_to_bytes', ['VARCHAR', 'VARCHAR'], 'BLOB', textToBytes),
]
