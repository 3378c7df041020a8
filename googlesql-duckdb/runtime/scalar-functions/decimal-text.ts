/** Numbers as decimal text, exact and with the rounding of C's printf. */

/** The exact value of a number, from which its digits are computed. */
export interface Digits {
  readonly isNegative: boolean
  /** The absolute value as a fraction of integers. */
  readonly numerator: bigint
  readonly denominator: bigint
}

const view = new DataView(new ArrayBuffer(8))

/** The exact value of a finite double. */
export function digitsOfDouble(value: number): Digits {
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & ((1n << 52n) - 1n)
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n)
  const power = (exponent === 0 ? 1 : exponent) - 1075
  return {
    isNegative: bits >> 63n === 1n,
    numerator: power > 0 ? mantissa << BigInt(power) : mantissa,
    denominator: power < 0 ? 1n << BigInt(-power) : 1n,
  }
}

/** The value of a plain decimal text, `-12.5`. */
export function digitsOfDecimal(text: string): Digits {
  const isNegative = text.startsWith('-')
  const [whole, fraction = ''] = (isNegative ? text.slice(1) : text).split('.')
  return { isNegative, numerator: BigInt(whole! + fraction), denominator: 10n ** BigInt(fraction.length) }
}

/** How a value halfway between two results is rounded. */
export type Rounding = 'half-even' | 'half-away'

/** The absolute value with `precision` digits after the point: `12.50`. */
export function fixedText(value: Digits, precision: number, rounding: Rounding): string {
  const digits = divide(value.numerator * 10n ** BigInt(precision), value.denominator, rounding)
  const text = digits.toString().padStart(precision + 1, '0')
  return precision === 0 ? text : `${text.slice(0, -precision)}.${text.slice(-precision)}`
}

/**
 * The absolute value with one digit before the point, `precision` digits after it, and an exponent of at least two digits:
 * `1.25e+01`.
 */
export function exponentText(value: Digits, precision: number, rounding: Rounding): string {
  const { digits, exponent } = significantDigits(value, precision + 1, rounding)
  const mantissa = precision === 0 ? digits : `${digits[0]}.${digits.slice(1)}`
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/**
 * The absolute value with `precision` significant digits, in fixed or exponential notation as `%g` chooses. `keepsZeros` keeps
 * trailing zeros.
 */
export function generalText(value: Digits, precision: number, keepsZeros: boolean, rounding: Rounding): string {
  const count = Math.max(precision, 1)
  const { exponent } = significantDigits(value, count, rounding)
  const isScientific = exponent < -4 || exponent >= count
  const text = isScientific
    ? exponentText(value, count - 1, rounding)
    : fixedText(value, Math.max(count - 1 - exponent, 0), rounding)
  if (keepsZeros) return text
  const [mantissa, tail] = text.split('e')
  const trimmed = mantissa!.includes('.') ? mantissa!.replace(/\.?0+$/, '') : mantissa!
  return tail === undefined ? trimmed : `${trimmed}e${tail}`
}

function significantDigits(value: Digits, count: number, rounding: Rounding): { digits: string; exponent: number } {
  if (value.numerator === 0n) return { digits: '0'.repeat(count), exponent: 0 }
  // The difference of the two lengths is the exponent, or one more than the exponent.
  let exponent = value.numerator.toString().length - value.denominator.toString().length
  const isTooHigh =
    exponent >= 0
      ? value.numerator < value.denominator * 10n ** BigInt(exponent)
      : value.numerator * 10n ** BigInt(-exponent) < value.denominator
  if (isTooHigh) exponent--
  const shift = count - 1 - exponent
  const digits = (
    shift >= 0
      ? divide(value.numerator * 10n ** BigInt(shift), value.denominator, rounding)
      : divide(value.numerator, value.denominator * 10n ** BigInt(-shift), rounding)
  ).toString()
  // Rounding may turn 9.99 into 10.0.
  return digits.length > count ? { digits: digits.slice(0, count), exponent: exponent + 1 } : { digits, exponent }
}

function divide(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  const quotient = numerator / denominator
  const doubledRest = (numerator % denominator) * 2n
  if (doubledRest < denominator) return quotient
  if (doubledRest > denominator || rounding === 'half-away') return quotient + 1n
  return quotient + (quotient & 1n)
}

/**
 * The text of a finite FLOAT64 cast to STRING: `%g` with 15 significant digits, or with 17 where 15 do not give the same
 * number: `1e+15`, `0.1`, `1e-05`.
 */
export function doubleText(value: number): string {
  if (value === 0) return '0'
  const precision = Number(value.toPrecision(15)) === value ? 15 : 17
  const text = generalText(digitsOfDouble(value), precision, false, 'half-even')
  return value < 0 ? `-${text}` : text
}
