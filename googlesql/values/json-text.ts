/** JSON text as the JSON type stores it: no white space, members sorted by name, the first of equal names, exact numbers. */
import { type JsonBuilder, JsonError, JsonReader } from './json-reader.js'
import { withoutTrailing } from './trim-text.js'

/** `error` describes for a message why the text is not valid JSON. */
export type CanonicalJson = { readonly text: string } | { readonly error: string }

/** The greatest depth of a JSON value that BigQuery allows. */
const MAX_DEPTH = 500

/**
 * The text in its canonical form. Integers in the range of INT64 and UINT64 stay exact. For any other number that a FLOAT64
 * cannot represent exactly, `exact` is an error and `round` takes the nearest FLOAT64.
 */
export function canonicalJson(text: string, wideNumbers: 'exact' | 'round'): CanonicalJson {
  const number = (literal: string): string => numberText(literal, wideNumbers)
  try {
    return { text: new JsonReader(text, { ...CANONICAL, number }, MAX_DEPTH).document() }
  } catch (error) {
    if (error instanceof JsonError) return { error: error.message }
    throw error
  }
}

const CANONICAL: Omit<JsonBuilder<string>, 'number'> = {
  literal: word => word,
  string: JSON.stringify,
  array: items => `[${items.join(',')}]`,
  object: members => {
    const values = new Map<string, string>()
    for (const [name, value] of members) if (!values.has(name)) values.set(name, value)
    const names = [...values.keys()].sort(byCodePoint)
    return `{${names.map(name => `${JSON.stringify(name)}:${values.get(name)}`).join(',')}}`
  },
}

/** A FLOAT64 keeps every decimal number that has at most this many digits. */
export const DOUBLE_DIGITS = 15
/** A FLOAT64 that is nearer to zero has fewer digits. */
const LEAST_NORMAL = 2 ** -1022

/** @throws JsonError for a number beyond FLOAT64; if `wideNumbers` is `exact`, also for a number that no FLOAT64 represents exactly */
function numberText(literal: string, wideNumbers: 'exact' | 'round'): string {
  if (/^(?:0|-?[1-9]\d{0,14})$/.test(literal)) return literal
  // An INT64 or UINT64 has at most 20 digits; BigInt would take quadratic time for more.
  if (/^-?\d{1,20}$/.test(literal)) {
    const integer = BigInt(literal)
    if (integer >= -(2n ** 63n) && integer < 2n ** 64n) return integer.toString()
  }
  const double = Number(literal)
  if (!Number.isFinite(double)) throw new JsonError(`Number overflow parsing '${literal}'`)
  const text = doubleText(double)
  // So few characters without an exponent can only write 0, or a number whose magnitude is at least LEAST_NORMAL.
  const isExact = literal.length <= DOUBLE_DIGITS && (Math.abs(double) >= LEAST_NORMAL || !/[eE]/.test(literal))
  if (wideNumbers === 'exact' && !isExact && normalDecimal(text) !== normalDecimal(literal)) {
    throw new JsonError(`Input number: ${literal} cannot round-trip through string representation`)
  }
  return text
}

/** The shortest digits of a finite number, as the JSON type writes a FLOAT64: always with a point or an exponent. */
export function doubleText(double: number): string {
  if (Object.is(double, -0)) return '-0.0'
  const size = Math.abs(double)
  if (size === 0 || (size >= 1e-4 && size < 1e15)) return Number.isInteger(double) ? `${double}.0` : String(double)
  const text = double.toExponential()
  const exponentAt = text.indexOf('e') + 2
  return text.slice(0, exponentAt) + text.slice(exponentAt).padStart(2, '0')
}

/** The same text for equal numbers: `150e-2`, `1.5` and `1.50` are `15e-1`. A text that is not a number stays as it is. */
export function normalDecimal(number: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number)
  if (!parts) return number
  const [, sign, whole, decimals, exponent] = parts
  const digits = (whole! + (decimals ?? '')).replace(/^0+/, '')
  const significant = withoutTrailing(digits, '0')
  if (significant === '') return '0'
  const scale = Number(exponent ?? 0) - (decimals ?? '').length + digits.length - significant.length
  return `${sign}${significant}e${scale}`
}

/** Compares by code points, as UTF-8 bytes sort. By UTF-16 units, surrogates would sort before U+E000 and above. */
function byCodePoint(a: string, b: string): number {
  for (let index = 0; index < a.length && index < b.length; index++) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)]
    if (left !== right) return Number(isSurrogate(left)) - Number(isSurrogate(right)) || left - right
  }
  return a.length - b.length
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000
