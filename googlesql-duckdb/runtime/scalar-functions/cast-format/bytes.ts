/** CAST … FORMAT between BYTES and STRING: HEX, BASE2 to BASE64M, ASCII, UTF-8. */
import { withoutTrailing } from '../../../../googlesql/values/trim-text.js'
import { BASE32_DIGITS, base32Text, bytesOfDigits, digitCount, digitsText } from '../base-digits.js'
import { fromBase64 } from '../bytes.js'
import { fail, type ScalarFunction, scalar } from '../scalar-function.js'

const HEX_DIGITS = '0123456789abcdef'
const MIME_LINE = 76

/** The longest text, in characters. Longer texts are not realistic values, and V8 aborts the process for a text of half a gigabyte. */
const MAX_TEXT_LENGTH = 2 ** 24

interface Codec {
  /** The bits of one digit; absent where the text cannot be much longer than the bytes. */
  readonly digitBits?: number
  readonly write: (bytes: Uint8Array) => string
  readonly read: (text: string) => Uint8Array
}

const HEX: Codec = {
  digitBits: 4,
  write: bytes => digitsText(bytes, 4, HEX_DIGITS),
  read: text => bytesOfDigits((text.length % 2 === 0 ? text : `0${text}`).toLowerCase(), 4, HEX_DIGITS, 'hexadecimal'),
}

const UTF8: Codec = {
  write(bytes) {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      return fail('A string is not valid UTF-8.')
    }
  },
  read: text => Uint8Array.from(Buffer.from(text, 'utf8')),
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const CODECS: ReadonlyMap<string, Codec> = new Map<string, Codec>([
  ['HEX', HEX],
  ['BASE16', HEX],
  [
    'BASE2',
    {
      digitBits: 1,
      write: bytes => digitsText(bytes, 1, HEX_DIGITS),
      read: text => bytesOfDigits(text.padStart(Math.ceil(text.length / 8) * 8, '0'), 1, '01', 'base2'),
    },
  ],
  ['BASE8', { digitBits: 3, write: octalDigits, read: octalBytes }],
  ['BASE32', { digitBits: 5, write: base32Text, read: base32Bytes }],
  ['BASE64', { write: base64, read: fromBase64 }],
  [
    'BASE64M',
    { write: bytes => base64(bytes).replace(new RegExp(`.{${MIME_LINE}}(?=.)`, 'g'), '$&\n'), read: fromBase64 },
  ],
  ['ASCII', { write: asciiText, read: asciiBytes }],
  ['UTF8', UTF8],
  ['UTF-8', UTF8],
])

const codecOf = (format: string): Codec => CODECS.get(format.toUpperCase()) ?? fail(`Invalid format '${format}'`)

function bytesToText(bytes: Uint8Array, format: string): string {
  const { digitBits, write } = codecOf(format)
  if (digitBits && digitCount(bytes, digitBits) > MAX_TEXT_LENGTH) fail(`The text of ${bytes.length} bytes is too long`)
  return write(bytes)
}

function asciiText(bytes: Uint8Array): string {
  if (bytes.some(byte => byte > 127)) fail('Failed to decode invalid ASCII string')
  return Buffer.from(bytes).toString('latin1')
}

function asciiBytes(text: string): Uint8Array {
  if (/[^\0-\x7f]/.test(text)) fail('Failed to decode invalid ASCII string')
  return Uint8Array.from(Buffer.from(text, 'latin1'))
}

function base32Bytes(text: string): Uint8Array {
  const bare = withoutTrailing(text, '=')
  if (text.length % 8 !== 0 || [1, 3, 6].includes(bare.length % 8)) fail('Failed to decode invalid base32 string')
  return bytesOfDigits(bare, 5, BASE32_DIGITS, 'base32')
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

export const CAST_BYTES_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_cast_bytes_to_text', ['BLOB', 'VARCHAR'], 'VARCHAR', bytesToText),
  scalar('bq_cast_text_to_bytes', ['VARCHAR', 'VARCHAR'], 'BLOB', (text, format) => codecOf(format).read(text)),
]
