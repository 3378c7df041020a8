/** Exact arithmetic in JavaScript: NUMERICs as integers in units of 1e-9, and rounding of FLOAT64s by their exact values. */
import { BEYOND_NUMERIC } from '../../bignumeric.js'
import { numericPower } from './numeric-power.js'
import {
  type ScalarFunction,
  ScalarFunctionError,
  type ScalarFunctionType,
  type ScalarFunctionValue,
} from './scalar-function.js'

const SCALE = 9
const UNIT = 10n ** 9n
/** The largest NUMERIC, in units of 1e-9. */
const LIMIT = 10n ** 38n - 1n

/** The units of a DECIMAL(38,9) in DuckDB's text. */
function unitsOf(text: string): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)!
  const units = BigInt(whole!) * UNIT + BigInt(fraction.padEnd(SCALE, '0').slice(0, SCALE) || '0')
  return sign === '-' ? -units : units
}

/** The text that DuckDB casts to DECIMAL(38,9). @throws ScalarFunctionError for what no NUMERIC holds */
function textOf(units: bigint, name: string): string {
  const size = units < 0n ? -units : units
  if (size > LIMIT) throw new ScalarFunctionError(`numeric overflow: ${name}`)
  return `${units < 0n ? '-' : ''}${size / UNIT}.${String(size % UNIT).padStart(SCALE, '0')}`
}

/** As textOf, of a BIGNUMERIC. @throws ScalarFunctionError for what its carrier does not hold */
function carriedText(units: bigint): string {
  if (units > LIMIT || units < -LIMIT) throw new ScalarFunctionError(BEYOND_NUMERIC)
  return textOf(units, '')
}

/** The quotient, rounded half away from zero. */
function divideRounded(x: bigint, y: bigint): bigint {
  const isNegative = x < 0n !== y < 0n
  const [dividend, divisor] = [x < 0n ? -x : x, y < 0n ? -y : y]
  const quotient = (2n * dividend + divisor) / (2n * divisor)
  return isNegative ? -quotient : quotient
}

const divisionByZero = (x: string, y: string): ScalarFunctionError =>
  new ScalarFunctionError(`division by zero: ${shown(x)} / ${shown(y)}`)
const shown = (text: string): string => text.replace(/\.?0+$/, '') || '0'

function roundUnits(units: bigint, digits: number, mode: string): bigint {
  if (digits >= SCALE) return units
  if (digits < -29) return 0n
  const step = 10n ** BigInt(SCALE - digits)
  switch (mode) {
    case 'TRUNC':
      return (units / step) * step
    case 'ROUND_HALF_AWAY_FROM_ZERO':
      return divideRounded(units, step) * step
    case 'ROUND_HALF_EVEN': {
      const rest = units % step
      const isHalf = 2n * (rest < 0n ? -rest : rest) === step
      return (isHalf && (units / step) % 2n === 0n ? units / step : divideRounded(units, step)) * step
    }
    default:
      throw new ScalarFunctionError(`Invalid rounding mode: ${mode}`)
  }
}

function power(x: string, y: string): string {
  const name = `POW(${shown(x)}, ${shown(y)})`
  try {
    return textOf(numericPower(unitsOf(x), unitsOf(y)), name)
  } catch (error) {
    // The message of an overflow already contains the call.
    if (!(error instanceof ScalarFunctionError) || error.message.endsWith(name)) throw error
    throw new ScalarFunctionError(`${error.message}: ${name}`)
  }
}

function squareRoot(x: bigint): bigint {
  if (x < 0n) throw new ScalarFunctionError('Argument to SQRT cannot be negative')
  // The root of 4 * x * UNIT is twice that of x * UNIT: its last bit determines the rounding.
  const target = 4n * x * UNIT
  let root = target
  let next = (root + 1n) / 2n
  while (next < root) {
    root = next
    next = (root + target / root) / 2n
  }
  return (root + 1n) / 2n
}

/** The percentile. The rank is exact, and so is the interpolation between two values. */
function percentile(sorted: readonly (string | null)[], fraction: string): string | null {
  if (sorted.length === 0) return null
  const position = BigInt(sorted.length - 1) * unitsOf(fraction)
  const rank = Number(position / UNIT)
  const weight = position % UNIT
  const [low, high] = [sorted[rank]!, sorted[weight === 0n ? rank : rank + 1]!]
  if (low === null || high === null || weight === 0n) return low ?? high
  const units = unitsOf(low) * (UNIT - weight) + unitsOf(high) * weight
  return textOf(divideRounded(units, UNIT), 'PERCENTILE_CONT')
}

/** The variance of all values except NULLs; `less` is 1 for a sample, 0 for the population. */
function variance(items: readonly (string | null)[], less: bigint): number | null {
  const values = items.filter(item => item !== null).map(unitsOf)
  const n = BigInt(values.length)
  if (n <= less) return null
  let [sum, squares] = [0n, 0n]
  for (const value of values) {
    sum += value
    squares += value * value
  }
  // Thirty digits after those of the quotient; its unit has twice NUMERIC's nine digits after the point.
  const quotient = ((n * squares - sum * sum) * 10n ** 30n) / (n * (n - less))
  return Number(`${quotient}e-${30 + 2 * SCALE}`)
}

/** n * Σxy − Σx * Σy, which is n * n times the covariance, in squares of the unit. */
function spread(xs: readonly bigint[], ys: readonly bigint[]): bigint {
  let [x, y, products] = [0n, 0n, 0n]
  xs.forEach((value, i) => {
    x += value
    y += ys[i]!
    products += value * ys[i]!
  })
  return BigInt(xs.length) * products - x * y
}

/** The covariance; `less` as in `variance`. */
function covariance(pairs: readonly (readonly string[])[], less: bigint): number | null {
  const n = BigInt(pairs.length)
  if (n <= less) return null
  const total = spread(...columns(pairs))
  return Number(`${(total * 10n ** 30n) / (n * (n - less))}e-${30 + 2 * SCALE}`)
}

function correlation(pairs: readonly (readonly string[])[]): number | null {
  if (pairs.length < 2) return null
  const [xs, ys] = columns(pairs)
  const [x, y] = [spread(xs, xs), spread(ys, ys)]
  return x === 0n || y === 0n ? Number.NaN : Number(spread(xs, ys)) / Math.sqrt(Number(x * y))
}

const columns = (pairs: readonly (readonly string[])[]): [bigint[], bigint[]] => [
  pairs.map(([x]) => unitsOf(x!)),
  pairs.map(([, y]) => unitsOf(y!)),
]

const buffer = new DataView(new ArrayBuffer(8))

/** The absolute value of a finite double as `mantissa * 2 ** exponent`. */
function binary(x: number): { readonly mantissa: bigint; readonly exponent: number } {
  buffer.setFloat64(0, Math.abs(x))
  const bits = buffer.getBigUint64(0)
  const exponent = Number(bits >> 52n)
  const fraction = bits & (2n ** 52n - 1n)
  return exponent === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (2n ** 52n), exponent: exponent - 1075 }
}

/** A finite FLOAT64 as decimal text with 60 digits after the point, more than a BIGNUMERIC depends on. */
export function exactDecimal(x: number): string {
  const { mantissa, exponent } = binary(x)
  const places = 60n
  const scaled = mantissa * 10n ** places
  const digits = exponent >= 0 ? scaled << BigInt(exponent) : scaled >> BigInt(-exponent)
  return `${x < 0 ? '-' : ''}${digits}e-${places}`
}

/**
 * Rounds or truncates by the exact value. BigQuery computes with more digits than a double has, which gives the same results.
 */
function roundDouble(x: number, digits: bigint, isTruncated: boolean): number {
  if (!Number.isFinite(x) || x === 0 || digits > 340n) return x
  if (digits < -308n) return 0
  const { mantissa, exponent } = binary(x)
  let [above, below] = [mantissa, 1n]
  if (exponent >= 0) above <<= BigInt(exponent)
  else below <<= BigInt(-exponent)
  if (digits >= 0n) above *= 10n ** digits
  else below *= 10n ** -digits
  const whole = isTruncated ? above / below : divideRounded(above, below)
  const result = Math.sign(x) * Number(`${whole}e${-digits}`)
  if (!Number.isFinite(result))
    throw new ScalarFunctionError(`Floating point overflow in function: ROUND(${x}, ${digits})`)
  return result
}

const native = (
  name: string,
  parameters: readonly ScalarFunctionType[],
  returns: ScalarFunctionType,
  compute: (...args: never[]) => ScalarFunctionValue,
): ScalarFunction => ({ name, parameters, returns, handlesNull: false, compute })

const TEXT: ScalarFunctionType = 'VARCHAR'

/** ceil(count * factor) with an exact product; `factor` is a FLOAT64 from 0 to 1. */
function ceilOfProduct(count: bigint, factor: number): bigint {
  // Every FLOAT64 above 2^-59 is a multiple of 2^-112, so the scaling is exact; smaller percentiles pick the first row.
  const scale = 2n ** 112n
  const product = count * BigInt(Math.round(factor * 2 ** 112))
  return (product + scale - 1n) / scale
}

export const MATH_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'bq_ceil_of_product',
    parameters: ['BIGINT', 'DOUBLE'],
    returns: 'BIGINT',
    handlesNull: false,
    compute: ceilOfProduct,
  },
  native('bq_numeric_div', [TEXT, TEXT], TEXT, (x: string, y: string) => {
    if (unitsOf(y) === 0n) throw divisionByZero(x, y)
    return textOf((unitsOf(x) / unitsOf(y)) * UNIT, `${shown(x)} / ${shown(y)}`)
  }),
  native('bq_numeric_round', [TEXT, 'BIGINT', TEXT], TEXT, (x: string, digits: bigint, mode: string) =>
    textOf(roundUnits(unitsOf(x), Number(digits), mode.toUpperCase()), `ROUND(${shown(x)}, ${digits})`),
  ),
  // A result beyond NUMERIC's range may still be a BIGNUMERIC, so the error is that of the carrier.
  native('bq_bignumeric_div', [TEXT, TEXT], TEXT, (x: string, y: string) => {
    if (unitsOf(y) === 0n) throw divisionByZero(x, y)
    return carriedText((unitsOf(x) / unitsOf(y)) * UNIT)
  }),
  native('bq_bignumeric_round', [TEXT, 'BIGINT', TEXT], TEXT, (x: string, digits: bigint, mode: string) =>
    carriedText(roundUnits(unitsOf(x), Number(digits), mode.toUpperCase())),
  ),
  native('bq_bignumeric_sum', [TEXT, TEXT], TEXT, (x: string, y: string) => carriedText(unitsOf(x) + unitsOf(y))),
  native('bq_numeric_power', [TEXT, TEXT], TEXT, power),
  native('bq_numeric_sqrt', [TEXT], TEXT, (x: string) => textOf(squareRoot(unitsOf(x)), `SQRT(${shown(x)})`)),
  native('bq_numeric_percentile', ['VARCHAR[]', TEXT], TEXT, percentile),
  native('bq_numeric_average', ['HUGEINT', TEXT, 'BIGINT'], TEXT, (whole: bigint, fraction: string, n: bigint) =>
    textOf(divideRounded(whole * UNIT + unitsOf(fraction), n), 'AVG'),
  ),
  native('bq_numeric_covariance', ['VARCHAR[][]', 'BIGINT'], 'DOUBLE', covariance),
  native('bq_numeric_correlation', ['VARCHAR[][]'], 'DOUBLE', correlation),
  native('bq_numeric_variance', ['VARCHAR[]', 'BIGINT'], 'DOUBLE', variance),
  native('bq_round_double', ['DOUBLE', 'BIGINT'], 'DOUBLE', (x: number, digits: bigint) =>
    roundDouble(x, digits, false),
  ),
  native('bq_trunc_double', ['DOUBLE', 'BIGINT'], 'DOUBLE', (x: number, digits: bigint) =>
    roundDouble(x, digits, true),
  ),
  native('bq_bit_count_bytes', ['BLOB'], 'BIGINT', (bytes: Uint8Array) => {
    let count = 0n
    for (const byte of bytes) for (let bits = byte; bits > 0; bits >>= 1) if (bits & 1) count++
    return count
  }),
]
