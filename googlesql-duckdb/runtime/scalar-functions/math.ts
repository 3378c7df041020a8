/** Exact arithmetic in JavaScript: NUMERICs as integers in units of 1e-9, and rounding of FLOAT64s by their exact values. */
import { decimalText, decimalUnits } from '../../../googlesql/values/literals.js'
import { digitsOfDouble } from './decimal-text.js'
import { absolute, divideRounded, interpolate, roundToStep, squareRoot, statistics, unitsOfAll } from './decimals.js'
import { numericPower } from './numeric-power.js'
import { fail, type ScalarFunction, ScalarFunctionError, type ScalarFunctionType, scalar } from './scalar-function.js'

const SCALE = 9
const UNIT = 10n ** 9n
/** The largest NUMERIC, in units of 1e-9. */
const MAX_UNITS = 10n ** 38n - 1n

/** The units of a DECIMAL(38,9) in DuckDB's text. */
const unitsOf = (text: string): bigint => decimalUnits(text, SCALE)

/** The text that DuckDB casts to DECIMAL(38,9). @throws ScalarFunctionError for a value beyond NUMERIC */
function textOf(units: bigint, name: string): string {
  if (absolute(units) > MAX_UNITS) fail(`numeric overflow: ${name}`)
  return decimalText(units, SCALE)
}

/** The units of y, by which x is divided. @throws ScalarFunctionError for zero */
function divisorOf(x: string, y: string): bigint {
  const units = unitsOf(y)
  if (units === 0n) fail(`division by zero: ${shortDecimal(x)} / ${shortDecimal(y)}`)
  return units
}

const shortDecimal = (text: string): string => text.replace(/\.?0+$/, '') || '0'

function roundUnits(units: bigint, digits: number, mode: string): bigint {
  if (digits >= SCALE) return units
  return digits < -29 ? 0n : roundToStep(units, 10n ** BigInt(SCALE - digits), mode)
}

function power(x: string, y: string): string {
  const name = `POW(${shortDecimal(x)}, ${shortDecimal(y)})`
  return textOf(
    addCall(name, () => numericPower(unitsOf(x), unitsOf(y))),
    name,
  )
}

/** Adds the call to the message of an error. */
function addCall<T>(name: string, compute: () => T): T {
  try {
    return compute()
  } catch (error) {
    throw error instanceof ScalarFunctionError ? new ScalarFunctionError(`${error.message}: ${name}`) : error
  }
}

function sqrt(x: string): string {
  const units = unitsOf(x)
  if (units < 0n) fail('Argument to SQRT cannot be negative')
  return textOf(squareRoot(units, UNIT), `SQRT(${shortDecimal(x)})`)
}

/** The percentile of sorted values, NULLs first. */
function percentile(sorted: readonly (string | null)[], fraction: string): string | null {
  const units = interpolate(unitsOfAll(sorted, unitsOf), unitsOf(fraction), UNIT)
  return units === null ? null : textOf(units, 'PERCENTILE_CONT')
}

/**
 * Rounds or truncates the exact value of x. BigQuery computes with more digits than a double has, which gives the same results.
 */
function roundDouble(x: number, digits: bigint, isTruncated: boolean): number {
  if (!Number.isFinite(x) || x === 0 || digits > 340n) return x
  if (digits < -308n) return 0
  let { numerator, denominator } = digitsOfDouble(x)
  if (digits >= 0n) numerator *= 10n ** digits
  else denominator *= 10n ** -digits
  const whole = isTruncated ? numerator / denominator : divideRounded(numerator, denominator)
  const result = Math.sign(x) * Number(`${whole}e${-digits}`)
  if (!Number.isFinite(result)) fail(`Floating point overflow in function: ROUND(${x}, ${digits})`)
  return result
}

const TEXT: ScalarFunctionType = 'VARCHAR'

/** ceil(count * factor) with an exact product; `factor` is a FLOAT64 from 0 to 1. */
function ceilOfProduct(count: bigint, factor: number): bigint {
  // Every FLOAT64 above 2^-59 is a multiple of 2^-112, so the scaling is exact. A smaller factor is not exact, but still picks
  // the first row.
  const scale = 2n ** 112n
  const product = count * BigInt(Math.round(factor * 2 ** 112))
  return (product + scale - 1n) / scale
}

/** Undoes the scaling of a total: its values were multiplied by 2^-64 before they were added (see `bq_float_total`). */
const SCALE_BACK = 2 ** 64

export const MATH_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_made_large', ['DOUBLE'], 'DOUBLE', small => {
    if (!Number.isFinite(small)) return small
    const total = small * SCALE_BACK
    if (!Number.isFinite(total)) fail('double overflow')
    return total
  }),
  scalar('bq_multiply_decimals', [TEXT, TEXT], TEXT, (x, y) =>
    textOf(divideRounded(unitsOf(x) * unitsOf(y), UNIT), `${shortDecimal(x)} * ${shortDecimal(y)}`),
  ),
  scalar('bq_divide_decimals', [TEXT, TEXT], TEXT, (x, y) =>
    textOf(divideRounded(unitsOf(x) * UNIT, divisorOf(x, y)), `${shortDecimal(x)} / ${shortDecimal(y)}`),
  ),
  scalar('bq_ceil_of_product', ['BIGINT', 'DOUBLE'], 'BIGINT', ceilOfProduct),
  scalar('bq_numeric_div', [TEXT, TEXT], TEXT, (x, y) =>
    textOf((unitsOf(x) / divisorOf(x, y)) * UNIT, `${shortDecimal(x)} / ${shortDecimal(y)}`),
  ),
  scalar('bq_numeric_round', [TEXT, 'BIGINT', TEXT], TEXT, (x, digits, mode) =>
    textOf(roundUnits(unitsOf(x), Number(digits), mode.toUpperCase()), `ROUND(${shortDecimal(x)}, ${digits})`),
  ),
  scalar('bq_numeric_power', [TEXT, TEXT], TEXT, power),
  scalar('bq_numeric_sqrt', [TEXT], TEXT, sqrt),
  scalar('bq_numeric_percentile', ['VARCHAR[]', TEXT], TEXT, percentile),
  scalar('bq_numeric_average', ['HUGEINT', TEXT, 'BIGINT'], TEXT, (whole, fraction, n) =>
    textOf(divideRounded(whole * UNIT + unitsOf(fraction), n), 'AVG'),
  ),
  ...statistics('numeric', SCALE, unitsOf),
  scalar('bq_round_double', ['DOUBLE', 'BIGINT'], 'DOUBLE', (x, digits) => roundDouble(x, digits, false)),
  scalar('bq_trunc_double', ['DOUBLE', 'BIGINT'], 'DOUBLE', (x, digits) => roundDouble(x, digits, true)),
  scalar('bq_bit_count_bytes', ['BLOB'], 'BIGINT', bytes => {
    let count = 0n
    for (const byte of bytes) for (let bits = byte; bits > 0; bits >>= 1) if (bits & 1) count++
    return count
  }),
]
