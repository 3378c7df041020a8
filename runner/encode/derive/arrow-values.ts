/** Parses values from the bytes of JSON into the form that Arrow stores, most of them without creating a string. */
import { JsonTextError } from '../json-bytes.js'
import { WORD_BASE, type Words } from './words.js'

const ZERO = 0x30
const NINE = 0x39
const MINUS = 0x2d
const POINT = 0x2e
/** The most decimal digits that are always exact in a double. */
const EXACT_DIGITS = 15
/** Powers of ten up to this one are exact in a double. */
const EXACT_POWER = 22
const POWERS: readonly number[] = Array.from({ length: EXACT_POWER + 1 }, (_, power) => 10 ** power)
const MICROS_PER_SECOND = 1_000_000
const SECONDS_PER_DAY = 86_400

const broken = (bytes: Buffer, start: number, end: number, wanted: string): JsonTextError =>
  new JsonTextError(`${wanted} expected at byte ${start + 1}, but it is ${bytes.toString('utf8', start, end)}`)

/** Writes an integer of any number of digits into `words`. */
export function writeInteger(bytes: Buffer, start: number, end: number, words: Words): void {
  const first = bytes[start] === MINUS ? start + 1 : start
  if (first === end) throw broken(bytes, start, end, 'an integer')
  let value = 0
  for (let at = first; at < end; at++) {
    const digit = bytes[at]! - ZERO
    if (digit < 0 || digit > 9) throw broken(bytes, start, end, 'an integer')
    value = value * 10 + digit
  }
  if (end - first <= EXACT_DIGITS) words.set(first === start ? value : 0 - value)
  else writeDigits(bytes, start, end, end, 0, words)
}

/** A double, NaN and infinities by their names. */
export function doubleAt(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start] === MINUS ? start + 1 : start
  let digits = 0
  let point = end
  for (let at = first; at < end; at++) {
    const byte = bytes[at]!
    if (byte >= ZERO && byte <= NINE) {
      digits = digits * 10 + byte - ZERO
    } else if (byte === POINT && point === end) {
      point = at
    } else {
      point = -1
      break
    }
  }
  // Both operands are exact, so that the quotient is the nearest double (Clinger, 1990).
  if (point >= 0 && end - first <= EXACT_DIGITS && first < end) {
    const value = point === end ? digits : digits / POWERS[end - point - 1]!
    return first === start ? value : -value
  }
  const text = bytes.toString('latin1', start, end)
  const value = Number(text)
  if (Number.isNaN(value) && text !== 'NaN') throw broken(bytes, start, end, 'a number')
  return value
}

/** Writes decimal text without exponent, times ten to the power of `scale`, into `words`. */
function writeDecimal(bytes: Buffer, start: number, end: number, scale: number, words: Words): void {
  const first = bytes[start] === MINUS ? start + 1 : start
  let point = end
  let value = 0
  for (let at = first; at < end; at++) {
    const byte = bytes[at]!
    if (byte === POINT && point === end) point = at
    else if (byte >= ZERO && byte <= NINE) value = value * 10 + byte - ZERO
    else throw broken(bytes, start, end, 'a decimal')
  }
  const fraction = point === end ? 0 : end - point - 1
  if (first === end || fraction > scale) throw broken(bytes, start, end, `a decimal of scale ${scale}`)
  if (point - first + scale <= EXACT_DIGITS) {
    const scaled = value * POWERS[scale - fraction]!
    words.set(first === start ? scaled : 0 - scaled)
  } else {
    writeDigits(bytes, start, end, point, scale - fraction, words)
  }
}

/** The number of digits that are added at once: a word times this power of ten is exact in a double. */
const STEP = 6

/** Writes the digits and then this many zeros. The byte at `point`, if it is one of the digits, is skipped. */
function writeDigits(bytes: Buffer, start: number, end: number, point: number, zeros: number, words: Words): void {
  const first = bytes[start] === MINUS ? start + 1 : start
  words.clear()
  let part = 0
  let count = 0
  let fits = true
  for (let at = first; at < end; at++) {
    if (at === point) continue
    part = part * 10 + bytes[at]! - ZERO
    if (++count < STEP) continue
    fits = words.multiplyAdd(POWERS[STEP]!, part) && fits
    part = 0
    count = 0
  }
  fits = words.multiplyAdd(POWERS[count]!, part) && fits
  for (let rest = zeros; rest > 0; rest -= STEP) {
    fits = words.multiplyAdd(POWERS[Math.min(rest, STEP)]!, 0) && fits
  }
  if (first !== start) words.negate()
  // The sign bit of a value that is too large is the wrong one.
  if (!fits || (words.isNegative() !== (first !== start) && !words.isZero())) {
    throw broken(bytes, start, end, `a number of ${32 * words.count} bits`)
  }
}

/** `2026-01-31` as days since 1970. */
export function daysAt(bytes: Buffer, start: number, end: number): number {
  if (end - start < 10) throw broken(bytes, start, end, 'a date')
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2)
  return daysOf(year, twoDigits(bytes, start + 5), twoDigits(bytes, start + 8))
}

// https://howardhinnant.github.io/date_algorithms.html, days_from_civil. No year is negative here.
function daysOf(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** `12:34:56`, with a fraction of up to 6 digits, as microseconds since midnight. */
function microsOfDayAt(bytes: Buffer, start: number, end: number): number {
  return clockSeconds(bytes, start, end) * MICROS_PER_SECOND + microsAt(bytes, start + 8, end)
}

/** Writes `2026-01-31T12:34:56.123456`, with or without a Z, as microseconds since 1970 into `words`. */
export function writeMicrosSince1970(bytes: Buffer, start: number, end: number, words: Words): void {
  const seconds = daysAt(bytes, start, end) * SECONDS_PER_DAY + clockSeconds(bytes, start + 11, end)
  const last = bytes[end - 1]! > NINE ? end - 1 : end
  // A million is 2^6 times 15,625; this product is exact, which that of a million is not in all years.
  const sixtyFourths = seconds * 15_625
  const high = Math.floor(sixtyFourths / 2 ** 26)
  const low = (sixtyFourths - high * 2 ** 26) * 64 + microsAt(bytes, start + 19, last)
  words.setPair(low < WORD_BASE ? high : high + 1, low)
}

function clockSeconds(bytes: Buffer, start: number, end: number): number {
  if (end - start < 8) throw broken(bytes, start, end, 'a time')
  return (twoDigits(bytes, start) * 60 + twoDigits(bytes, start + 3)) * 60 + twoDigits(bytes, start + 6)
}

/** The microseconds of a fraction of a second whose point is at `start`; 0 for a whole second. */
function microsAt(bytes: Buffer, start: number, end: number): number {
  let micros = 0
  for (let at = start + 1, unit = 100_000; at < end; at++, unit /= 10) micros += (bytes[at]! - ZERO) * unit
  return micros
}

function twoDigits(bytes: Buffer, at: number): number {
  const [tens, ones] = [bytes[at]! - ZERO, bytes[at + 1]! - ZERO]
  if (!(tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9)) throw broken(bytes, at, at + 2, 'two digits')
  return tens * 10 + ones
}

/** Writes the integer whose text is bytes `start` to `end`. @throws JsonTextError where it is not one. */
export type WriteInteger = (bytes: Buffer, start: number, end: number, words: Words) => void

export const writeNumeric: WriteInteger = (bytes, start, end, words) => writeDecimal(bytes, start, end, 9, words)
export const writeBignumeric: WriteInteger = (bytes, start, end, words) => writeDecimal(bytes, start, end, 38, words)
export const writeDays: WriteInteger = (bytes, start, end, words) => words.set(daysAt(bytes, start, end))
export const writeMicrosOfDay: WriteInteger = (bytes, start, end, words) => words.set(microsOfDayAt(bytes, start, end))

/** A TIMESTAMP from text, or from digits, which are microseconds since 1970. */
export const writeTimestamp: WriteInteger = (bytes, start, end, words) => {
  if (bytes[end - 1] === LETTER_Z) writeMicrosSince1970(bytes, start, end, words)
  else writeInteger(bytes, start, end, words)
}

const LETTER_Z = 0x5a
