/**
 * Exact arithmetic on decimal values that are given as counts of their type's smallest unit. `unit` is the number of such units
 * in 1: 10^9 for NUMERIC, 10^38 for BIGNUMERIC. `scale` is the number of zeros of `unit`.
 */
import { fail, type ScalarFunction, scalar } from './scalar-function.js'

export const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value
export const absolute = (value: bigint): bigint => (value < 0n ? -value : value)

/** The quotient, rounded half away from zero. */
export function divideRounded(x: bigint, y: bigint): bigint {
  const isNegative = x < 0n !== y < 0n
  const [dividend, divisor] = [absolute(x), absolute(y)]
  const quotient = (2n * dividend + divisor) / (2n * divisor)
  return isNegative ? -quotient : quotient
}

/** Rounds to a multiple of `step`, in a rounding mode of ROUND or as TRUNC does. */
export function roundToStep(units: bigint, step: bigint, mode: string): bigint {
  switch (mode) {
    case 'TRUNC':
      return (units / step) * step
    case 'ROUND_HALF_AWAY_FROM_ZERO':
      return divideRounded(units, step) * step
    case 'ROUND_HALF_EVEN': {
      const rest = units % step
      const isHalf = 2n * absolute(rest) === step
      return (isHalf && (units / step) % 2n === 0n ? units / step : divideRounded(units, step)) * step
    }
    default:
      fail(`Invalid rounding mode: ${mode}`)
  }
}

/** The square root of a number that is not negative. */
export function squareRoot(units: bigint, unit: bigint): bigint {
  // The root of 4 * x * unit is twice the root of x * unit; its last bit determines the rounding.
  const target = 4n * units * unit
  let root = target
  let next = (root + 1n) / 2n
  while (next < root) {
    root = next
    next = (root + target / root) / 2n
  }
  return (root + 1n) / 2n
}

/** The percentile of sorted values, NULLs first. The rank is exact, and so is the interpolation between two values. */
export function interpolate(sorted: readonly (bigint | null)[], fraction: bigint, unit: bigint): bigint | null {
  if (sorted.length === 0) return null
  const position = BigInt(sorted.length - 1) * fraction
  const rank = Number(position / unit)
  const weight = position % unit
  const [low, high] = [sorted[rank]!, sorted[weight === 0n ? rank : rank + 1]!]
  if (low === null || high === null || weight === 0n) return low ?? high
  return divideRounded(low * (unit - weight) + high * weight, unit)
}

/** The variance of all values except NULLs; `correction` is 1 for a sample, 0 for the population. */
function variance(items: readonly (bigint | null)[], correction: bigint, scale: number): number | null {
  const values = items.filter(item => item !== null)
  const n = BigInt(values.length)
  if (n <= correction) return null
  let [sum, squares] = [0n, 0n]
  for (const value of values) {
    sum += value
    squares += value * value
  }
  return quotientOfSquares(n * squares - sum * sum, n * (n - correction), scale)
}

/** The quotient as a FLOAT64. The dividend counts squares of the unit, so it has twice the type's digits after the point. */
const quotientOfSquares = (dividend: bigint, divisor: bigint, scale: number): number =>
  Number(`${(dividend * 10n ** 30n) / divisor}e-${30 + 2 * scale}`)

type Pairs = readonly (readonly [bigint, bigint])[]

/** The covariance of all pairs; `correction` is that of `variance`. */
function covariance(pairs: Pairs, correction: bigint, scale: number): number | null {
  const n = BigInt(pairs.length)
  return n <= correction ? null : quotientOfSquares(scaledCovariance(...columns(pairs)), n * (n - correction), scale)
}

function correlation(pairs: Pairs): number | null {
  if (pairs.length < 2) return null
  const [xs, ys] = columns(pairs)
  const [x, y] = [scaledCovariance(xs, xs), scaledCovariance(ys, ys)]
  if (x === 0n || y === 0n) return Number.NaN
  // The products of large values are beyond FLOAT64. So their quotient is computed in units of 10^-80, and its root in units of
  // 10^-40.
  const xy = scaledCovariance(xs, ys)
  const size = Number(`${squareRoot((xy * xy * 10n ** 80n) / (x * y), 1n)}e-40`)
  return xy < 0n ? -size : size
}

/** n * Σxy − Σx * Σy, which is the covariance times n², in squares of the unit. */
function scaledCovariance(xs: readonly bigint[], ys: readonly bigint[]): bigint {
  let [x, y, products] = [0n, 0n, 0n]
  xs.forEach((value, i) => {
    x += value
    y += ys[i]!
    products += value * ys[i]!
  })
  return BigInt(xs.length) * products - x * y
}

const columns = (pairs: Pairs): [bigint[], bigint[]] => [pairs.map(([x]) => x), pairs.map(([, y]) => y)]

/** The statistical functions of a type; `read` reads the units of a value that DuckDB has written as text. */
export function statistics(type: string, scale: number, read: (text: string) => bigint): readonly ScalarFunction[] {
  const pairsOf = (pairs: readonly (readonly string[])[]): Pairs => pairs.map(([x, y]) => [read(x!), read(y!)])
  return [
    scalar(`bq_${type}_variance`, ['VARCHAR[]', 'BIGINT'], 'DOUBLE', (items, correction) =>
      variance(unitsOfAll(items, read), correction, scale),
    ),
    scalar(`bq_${type}_covariance`, ['VARCHAR[][]', 'BIGINT'], 'DOUBLE', (pairs, correction) =>
      covariance(pairsOf(pairs), correction, scale),
    ),
    scalar(`bq_${type}_correlation`, ['VARCHAR[][]'], 'DOUBLE', pairs => correlation(pairsOf(pairs))),
  ]
}

export const unitsOfAll = (
  items: readonly (string | null)[],
  read: (text: string) => bigint,
): readonly (bigint | null)[] => items.map(item => (item === null ? null : read(item)))
