/** Bytes as digits, and back: HEX, BASE32, BASE8, BASE2. Each digit has the same number of bits. */
import { fail } from './scalar-function.js'

export const BASE32_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Writes digits of `bits` bits each, from the first byte on; zeros fill up the last digit. */
export function digitsText(bytes: Uint8Array, bits: number, alphabet: string): string {
  const text = Buffer.allocUnsafe(digitCount(bytes, bits))
  let length = 0
  let pending = 0
  let pendingBits = 0
  for (const byte of bytes) {
    pending = (pending << 8) | byte
    pendingBits += 8
    while (pendingBits >= bits) {
      pendingBits -= bits
      text[length++] = alphabet.charCodeAt(pending >> pendingBits)
      pending &= (1 << pendingBits) - 1
    }
  }
  if (pendingBits > 0) text[length] = alphabet.charCodeAt(pending << (bits - pendingBits))
  return text.toString('latin1')
}

export const digitCount = (bytes: Uint8Array, bits: number): number => Math.ceil((bytes.length * 8) / bits)

/** Reads digits; bits that do not fill the last byte are dropped. @param what the digits' name in the error @throws ScalarFunctionError */
export function bytesOfDigits(text: string, bits: number, alphabet: string, what: string): Uint8Array {
  const bytes: number[] = []
  let pending = 0
  let pendingBits = 0
  for (const character of text) {
    const digit = alphabet.indexOf(character)
    if (digit < 0) fail(`Failed to decode invalid ${what} string`)
    pending = (pending << bits) | digit
    pendingBits += bits
    if (pendingBits >= 8) {
      pendingBits -= 8
      bytes.push(pending >> pendingBits)
      pending &= (1 << pendingBits) - 1
    }
  }
  return Uint8Array.from(bytes)
}

/** The bytes in BASE32, padded with `=` to groups of eight digits. */
export const base32Text = (bytes: Uint8Array): string => {
  const text = digitsText(bytes, 5, BASE32_DIGITS)
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=')
}
