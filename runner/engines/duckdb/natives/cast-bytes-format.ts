/** CAST … FORMAT between BYTES and STRING: HEX, BASE2 to BASE64M, ASCII, UTF-8. */
import { NativeError, type NativeFunction } from './native.js'

/** Bits of a digit of the bases that are written as one long number. */
const DIGIT_BITS: Readonly<Record<string, number>> = { HEX: 4, BASE16: 4, BASE8: 3, BASE2: 1, BASE32: 5 }
const BASE32_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const MIME_LINE = 76

const invalidFormat = (format: string): never => {
  throw new NativeError(`Invalid format '${format}'`)
}

/** Digits of so many bits each, from the first byte on; bits that fill no digit are followed by zeros. */
function digitsOf(bytes: Uint8Array, bits: number): number[] {
  const digits: number[] = []
  let held = 0
  let count = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    count += 8
    while (count >= bits) {
      count -= bits
      digits.push(held >> count)
      held &= (1 << count) - 1
    }
  }
  if (count > 0) digits.push(held << (bits - count))
  return digits
}

export function bytesToText(bytes: Uint8Array, format: string): string {
  const name = format.toUpperCase()
  switch (name) {
    case 'HEX':
    case 'BASE16':
    case 'BASE2':
      return digitsOf(bytes, DIGIT_BITS[name]!)
        .map(digit => digit.toString(16))
        .join('')
    case 'BASE8':
      wholeGroups(bytes.length * 8, 3, format)
      return digitsOf(bytes, 3).join('')
    case 'BASE32': {
      const text = digitsOf(bytes, 5)
        .map(digit => BASE32_DIGITS[digit])
        .join('')
      return text.padEnd(Math.ceil(text.length / 8) * 8, '=')
    }
    case 'BASE64':
      return Buffer.from(bytes).toString('base64')
    case 'BASE64M':
      return Buffer.from(bytes)
        .toString('base64')
        .replace(new RegExp(`.{${MIME_LINE}}(?=.)`, 'g'), '$&\n')
    case 'ASCII':
      if (bytes.some(byte => byte > 127)) throw new NativeError('Input contains non-ASCII characters')
      return Buffer.from(bytes).toString('latin1')
    case 'UTF8':
    case 'UTF-8':
      try {
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
      } catch {
        throw new NativeError('A string is not valid UTF-8.')
      }
    default:
      return invalidFormat(format)
  }
}

// Where the bits do not fill the last octal digit, the documentation does not say which end is filled up.
function wholeGroups(bits: number, digitBits: number, format: string): void {
  if (bits % digitBits !== 0) {
    throw new NativeError(`CAST with format '${format}' is supported for multiples of 3 bytes only`)
  }
}

function bytesOf(digits: readonly number[], bits: number): Uint8Array {
  const bytes: number[] = []
  let held = 0
  let count = 0
  for (const digit of digits) {
    held = (held << bits) | digit
    count += bits
    if (count >= 8) {
      count -= 8
      bytes.push(held >> count)
      held &= (1 << count) - 1
    }
  }
  return Uint8Array.from(bytes)
}

function digitValues(text: string, alphabet: string, what: string): number[] {
  return [...text].map(character => {
    const value = alphabet.indexOf(character)
    if (value < 0) throw new NativeError(`Failed to decode invalid ${what} string`)
    return value
  })
}

export function textToBytes(text: string, format: string): Uint8Array {
  const name = format.toUpperCase()
  switch (name) {
    case 'HEX':
    case 'BASE16': {
      const padded = text.length % 2 === 0 ? text : `0${text}`
      return bytesOf(digitValues(padded.toLowerCase(), '0123456789abcdef', 'hexadecimal'), 4)
    }
    case 'BASE2':
      if (text.length % 8 !== 0) throw new NativeError('Failed to decode invalid base2 string')
      return bytesOf(digitValues(text, '01', 'base2'), 1)
    case 'BASE8':
      wholeGroups(text.length * 3, 24, format)
      return bytesOf(digitValues(text, '01234567', 'base8'), 3)
    case 'BASE32': {
      const bare = text.replace(/=+$/, '')
      if (text.length % 8 !== 0 || [1, 3, 6].includes(bare.length % 8)) {
        throw new NativeError('Failed to decode invalid base32 string')
      }
      return bytesOf(digitValues(bare, BASE32_DIGITS, 'base32'), 5)
    }
    case 'BASE64':
    case 'BASE64M': {
      const bare = text.replace(/\s/g, '')
      if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(bare)) {
        throw new NativeError('Failed to decode invalid base64 string')
      }
      return Uint8Array.from(Buffer.from(bare, 'base64'))
    }
    case 'ASCII':
      if (/[^\0-\x7f]/.test(text)) throw new NativeError('Input contains non-ASCII characters')
      return Uint8Array.from(Buffer.from(text, 'latin1'))
    case 'UTF8':
    case 'UTF-8':
      return Uint8Array.from(Buffer.from(text, 'utf8'))
    default:
      return invalidFormat(format)
  }
}

export const CAST_BYTES_NATIVES: readonly NativeFunction[] = [
  {
    name: 'bq_cast_bytes_to_text',
    parameters: ['BLOB', 'VARCHAR'],
    returns: 'VARCHAR',
    handlesNull: false,
    compute: bytesToText,
  },
  {
    name: 'bq_cast_text_to_bytes',
    parameters: ['VARCHAR', 'VARCHAR'],
    returns: 'BLOB',
    handlesNull: false,
    compute: textToBytes,
  },
]
