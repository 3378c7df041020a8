/**
 * POW of NUMERIC. Source: PowerInternal of the reference implementation (numeric_value.cc), which computes with 94 bits after
 * the point. This code computes with more, so that the result is the exact power rounded to nine decimals; beyond 1e16, the
 * results of the reference implementation may differ.
 */
import { absolute, divideRounded } from './decimals.js'
import { fail } from './scalar-function.js'

/** One, in units of 1e-9. */
const UNIT = 10n ** 9n

/** The number of fraction bits of the fixed-point logarithms. */
const BITS = 256n
const ONE = 1n << BITS
/**
 * A tolerance larger than the sum of all rounding errors: a result this close to the middle between two NUMERICs is treated as
 * the middle.
 */
const TIE_TOLERANCE = 1n << 32n

/** The most factors that are multiplied exactly, which distinguishes a product from numbers close to it. */
const MAX_FACTORS = 64n
/** The logarithm of a number beyond the largest NUMERIC, and of a number below half of the smallest positive NUMERIC. */
const TOO_LARGE = 68n * ONE
const TOO_SMALL = -22n * ONE

/**
 * The power. The base, the exponent and the result are counts of 1e-9.
 *
 * @throws ScalarFunctionError without the arguments, which the caller adds.
 */
export function numericPower(base: bigint, exponent: bigint): bigint {
  if (exponent === 0n) return UNIT
  if (base === 0n) {
    if (exponent < 0n) fail('division by zero')
    return 0n
  }
  const isWhole = exponent % UNIT === 0n
  if (base < 0n && !isWhole) fail('Negative NUMERIC value cannot be raised to a fractional power')
  const isNegative = base < 0n && (exponent / UNIT) % 2n !== 0n
  const times = absolute(exponent) / UNIT
  const size =
    isWhole && times <= MAX_FACTORS ? product(absolute(base), exponent / UNIT) : logPower(absolute(base), exponent)
  return isNegative ? -size : size
}

function product(base: bigint, times: bigint): bigint {
  const count = absolute(times)
  const [power, scale] = [base ** count, UNIT ** count]
  return times < 0n ? divideRounded(scale * UNIT, power) : divideRounded(power * UNIT, scale)
}

function logPower(base: bigint, exponent: bigint): bigint {
  const logarithm = (logarithmOf(base) * exponent) / UNIT
  if (logarithm > TOO_LARGE) fail('numeric overflow')
  if (logarithm < TOO_SMALL) return 0n
  // exp(logarithm) = 2^doublings * exp(remainder).
  const doublings = logarithm / LN_2
  const mantissa = (exponential(logarithm - doublings * LN_2) + TIE_TOLERANCE) * UNIT
  const shift = BITS - doublings
  return (mantissa + (1n << (shift - 1n))) >> shift
}

/** The natural logarithm of a positive number in units of 1e-9. */
function logarithmOf(units: bigint): bigint {
  const doublings = bitsOf(units) - bitsOf(UNIT)
  const mantissa = doublings >= 0n ? (units << BITS) / (UNIT << doublings) : (units << (BITS - doublings)) / UNIT
  return logarithmNearOne(mantissa) + doublings * LN_2
}

/** ln(x) = 2 artanh((x - 1) / (x + 1)), which converges quickly where x is near 1. */
function logarithmNearOne(x: bigint): bigint {
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

const LN_2 = logarithmNearOne(2n * ONE)
