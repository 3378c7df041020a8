/** Bytes as digits, and back: HEX, BASE32, BASE8, BASE2. Each digit has the same number of bits. */
import { fail } from './scalar-function.js'

export const BASE32_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Writes digits of `bits` bits each, from the first byte on; bits that do not fill the last digit are followed by zeros. */
export function digitsText(bytes: Uint8Array, bits: number, alphabet: string): string {
  const text = Buffer.allocUnsafe(digitCount(bytes, bits))
  let at = 0
  let held = 0
  let count = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    count += 8
    while (count >= bits) {
      count -= bits
      text[at++] = alphabet.charCodeAt(held >> count)
      held &= (1 << count) - 1
    }
  }
  if (count > 0) text[at] = alphabet.charCodeAt(held << (bits - count))
  return text.toString('latin1')
}

export const digitCount = (bytes: Uint8Array, bits: number): number => Math.ceil((bytes.length * 8) / bits)

/** Reads digits; bits that do not fill the last byte are dropped. @param what the digits' name in the error @throws ScalarFunctionError */
export function bytesOfDigits(text: string, bits: number, alphabet: string, what: string): Uint8Array {
  const bytes: number[] = []
  let held = 0
  let count = 0
  for (const character of text) {
    const digit = alphabet.indexOf(character)
    if (digit < 0) fail(`Failed to decode invalid ${what} string`)
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

/** The bytes in BASE32, padded with `=` to groups of eight digits. */
export const base32Text = (bytes: Uint8Array): string => {
  const text = digitsText(bytes, 5, BASE32_DIGITS)
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=')
}
