/**
 * POW of NUMERIC. Source: PowerInternal of the reference implementation (numeric_value.cc), which computes with 94 bits behind
 * the point. Here there are more, so that the result is the power rounded to nine decimals; those of a number beyond
 * 1e16 may be others there.
 */
import { ScalarFunctionError } from './scalar-function.js'

/** NUMERIC as integers of 1e-9. */
const UNIT = 10n ** 9n

/** Fixed-point numbers of the logarithms. */
const BITS = 256n
const ONE = 1n << BITS
/** More than all rounding on the way: what lies so near to the middle between two NUMERICs is the middle. */
const A_HAIR = 1n << 32n

/** So few factors are multiplied out, which tells a product from what is just beside it. */
const FEW = 64n
/** Logarithms of more than the largest NUMERIC, and of less than half the smallest. */
const TOO_LARGE = 68n * ONE
const TOO_SMALL = -22n * ONE

/**
 * The power of two counts of 1e-9, as one.
 *
 * @throws ScalarFunctionError without the arguments, which the caller adds.
 */
export function numericPower(base: bigint, exponent: bigint): bigint {
  if (exponent === 0n) return UNIT
  if (base === 0n) {
    if (exponent < 0n) throw new ScalarFunctionError('division by zero')
    return 0n
  }
  const isWhole = exponent % UNIT === 0n
  if (base < 0n && !isWhole) {
    throw new ScalarFunctionError('Negative NUMERIC value cannot be raised to a fractional power')
  }
  const isNegative = base < 0n && (exponent / UNIT) % 2n !== 0n
  const times = abs(exponent) / UNIT
  const size = isWhole && times <= FEW ? product(abs(base), exponent / UNIT) : byLogarithm(abs(base), exponent)
  return isNegative ? -size : size
}

function product(base: bigint, times: bigint): bigint {
  const count = abs(times)
  const [power, scale] = [base ** count, UNIT ** count]
  return times < 0n ? rounded(scale * UNIT, power) : rounded(power * UNIT, scale)
}

/** Of positive numbers, halves up. */
const rounded = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor)

function byLogarithm(base: bigint, exponent: bigint): bigint {
  const logarithm = (logarithmOf(base) * exponent) / UNIT
  if (logarithm > TOO_LARGE) throw new ScalarFunctionError('numeric overflow')
  if (logarithm < TOO_SMALL) return 0n
  // e to the logarithm is 2 to the doublings, times e to the rest.
  const doublings = logarithm / LN_2
  const mantissa = (exponential(logarithm - doublings * LN_2) + A_HAIR) * UNIT
  const shift = BITS - doublings
  return (mantissa + (1n << (shift - 1n))) >> shift
}

/** Natural, of a positive count of 1e-9. */
function logarithmOf(units: bigint): bigint {
  const doublings = bitsOf(units) - bitsOf(UNIT)
  const mantissa = doublings >= 0n ? (units << BITS) / (UNIT << doublings) : (units << (BITS - doublings)) / UNIT
  return nearOne(mantissa) + doublings * LN_2
}

/** ln(x) = 2 artanh((x - 1) / (x + 1)), quick where x is near 1. */
function nearOne(x: bigint): bigint {
  const t = ((x - ONE) << BITS) / (x + ONE)
  const square = (t * t) >> BITS
  let [power, sum] = [t, 0n]
  for (let n = 1n; power !== 0n && power !== -1n; n += 2n) {
    sum += power / n
    power = (power * square) >> BITS
  }
  return 2n * sum
}

function exponential(x: bigint): bigint {
  let [term, sum] = [ONE, 0n]
  for (let n = 1n; term !== 0n && term !== -1n; n++) {
    sum += term
    term = ((term * x) >> BITS) / n
  }
  return sum
}

const bitsOf = (value: bigint): bigint => BigInt(value.toString(2).length)
const abs = (value: bigint): bigint => (value < 0n ? -value : value)

const LN_2 = nearOne(2n * ONE)
