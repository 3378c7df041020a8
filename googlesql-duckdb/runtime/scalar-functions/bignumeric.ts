/**
 * Functions of BIGNUMERIC that DuckDB lacks. A value is a count of units of 10^-38. The results are exact, or rounded half away
 * from zero.
 */
import { doubleText as jsonDouble } from '../../../googlesql/values/json-text.js'
import { numericLiteral } from '../../../googlesql/values/literals.js'
import { BIGNUMERIC_SCALE, BIGNUMERIC_UNIT, bignumericText, bignumericUnits, isInBignumeric } from '../../bignumeric.js'
import { invalidInput, parsedNumber, shorten } from './casts.js'
import { digitsOfDouble } from './decimal-text.js'
import {
  absolute,
  divideRounded,
  interpolate,
  isInt64,
  roundToStep,
  squareRoot,
  statistics,
  unitsOfAll,
} from './decimals.js'
import { fail, type ScalarFunction, scalar } from './scalar-function.js'

const UNIT = BIGNUMERIC_UNIT
const MIN_INT64 = -(2n ** 63n)

/** The largest NUMERIC in units of 10^-9, and the number of BIGNUMERIC units in one NUMERIC unit. */
const MAX_NUMERIC = 10n ** 38n - 1n
const NUMERIC_STEP = 10n ** 29n

function checkRange(units: bigint, write: () => string): bigint {
  if (!isInBignumeric(units)) fail(`BIGNUMERIC overflow: ${write()}`)
  return units
}

/** The arguments of a call, as error messages write them. */
const argumentsText = (...values: readonly bigint[]): string => values.map(bignumericText).join(', ')

function checkDivisor(y: bigint, write: () => string): bigint {
  if (y === 0n) fail(`division by zero: ${write()}`)
  return y
}

function round(x: bigint, digits: bigint, mode: string): bigint {
  if (digits >= BIGNUMERIC_SCALE) return x
  if (digits < -BIGNUMERIC_SCALE - 1) return 0n
  return checkRange(
    roundToStep(x, 10n ** (BigInt(BIGNUMERIC_SCALE) - digits), mode.toUpperCase()),
    () => `ROUND(${bignumericText(x)}, ${digits})`,
  )
}

/** Rounds x to an integer: down if `direction` is -1, up if it is 1. */
function roundToInteger(x: bigint, direction: 1n | -1n, name: string): bigint {
  const towardsZero = (x / UNIT) * UNIT
  const isExact = towardsZero === x || x < 0n === direction > 0n
  return checkRange(isExact ? towardsZero : towardsZero + direction * UNIT, () => `${name}(${bignumericText(x)})`)
}

function toInt64(x: bigint): bigint {
  const value = divideRounded(x, UNIT)
  if (!isInt64(value)) fail(`int64 out of range: ${bignumericText(x)}`)
  return value
}

/** The text that DuckDB casts to DECIMAL(38,9). */
function toNumeric(x: bigint): string {
  const units = divideRounded(x, NUMERIC_STEP)
  if (absolute(units) > MAX_NUMERIC) fail(`numeric out of range: ${bignumericText(x)}`)
  return bignumericText(units * NUMERIC_STEP)
}

function readText(text: string): bigint {
  const value = numericLiteral(text, 'BIGNUMERIC', 'cast')
  return bignumericUnits(value ?? fail(`Invalid BIGNUMERIC value: ${shorten(text)}`))
}

function parse(text: string): bigint {
  const value = numericLiteral(parsedNumber(text) ?? '', 'BIGNUMERIC', 'cast')
  return bignumericUnits(value ?? fail(invalidInput('PARSE_BIGNUMERIC', text)))
}

function fromFloat(x: number): bigint {
  if (!Number.isFinite(x)) {
    const name = Number.isNaN(x) ? 'nan' : x > 0 ? 'inf' : '-inf'
    fail(`Illegal conversion of non-finite floating point number to BIGNUMERIC: ${name}`)
  }
  const { isNegative, numerator, denominator } = digitsOfDouble(x)
  const size = divideRounded(numerator * UNIT, denominator)
  const value = isNegative ? -size : size
  if (!isInBignumeric(value)) fail(`BIGNUMERIC out of range: ${jsonDouble(x)}`)
  return value
}

/** Rounds a value to BIGNUMERIC(precision, scale). @throws ScalarFunctionError with `message` when it is out of range. */
function limit(x: bigint, precision: bigint, scale: bigint, message: string): bigint {
  const value = roundToStep(x, 10n ** (BigInt(BIGNUMERIC_SCALE) - scale), 'ROUND_HALF_AWAY_FROM_ZERO')
  if (absolute(value) >= UNIT * 10n ** (precision - scale)) fail(message)
  return value
}

const MAX_SAFE = 2n ** 53n * UNIT
const isWhole = (x: bigint): boolean => x % UNIT === 0n

/** The value for TO_JSON_STRING: a number if it is an integer that FLOAT64 holds exactly, otherwise a string. */
function jsonString(x: bigint): string {
  const text = bignumericText(x)
  return isWhole(x) && absolute(x) <= MAX_SAFE ? text : `"${text}"`
}

/** The value for TO_JSON: a number, which must be an INT64, a UINT64 or exactly the text of a FLOAT64. */
function jsonValue(x: bigint, stringifies: boolean): string {
  const text = bignumericText(x)
  if (isWhole(x) && absolute(x) <= MAX_SAFE) return text
  const isInteger = isWhole(x) && x >= MIN_INT64 * UNIT && x < 2n ** 64n * UNIT
  const number = numericLiteral(String(Number(text)), 'BIGNUMERIC', 'cast')
  const isExact = isInteger || number === text
  if (stringifies && (isInteger || !isExact)) return `"${text}"`
  if (!isExact) fail('Failed to convert type BIGNUMERIC to JSON')
  return isInteger ? text : jsonDouble(Number(text))
}

/** The key or the offset of a RANGE frame in units of 10^-9: DuckDB computes such frames for integers, but not for BIGNUM. */
function frameUnits(x: bigint): bigint {
  if (x % NUMERIC_STEP !== 0n || absolute(x) > MAX_NUMERIC * NUMERIC_STEP)
    fail(
      'A RANGE frame over BIGNUMERIC values beyond the range or the 9 decimal places of NUMERIC is not supported on the embedded engine',
    )
  return x / NUMERIC_STEP
}

const MAX_GENERATED = 1_000_000

function generate(first: bigint, last: bigint, step: bigint): string[] {
  if (step === 0n) fail('Sequence step cannot be 0.')
  if ((last - first) / step >= MAX_GENERATED) fail(`Cannot generate arrays with more than ${MAX_GENERATED} elements.`)
  const items: string[] = []
  for (let x = first; step > 0n ? x <= last : x >= last; x += step) items.push(String(x))
  return items
}

/** The number of the row that PERCENTILE_DISC picks, counted from one: ceil(count * fraction). */
function rank(count: bigint, fraction: bigint): bigint {
  const place = (count * fraction + UNIT - 1n) / UNIT
  return place < 1n ? 1n : place
}

const BIG = 'BIGNUM'

export const BIGNUMERIC_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_bignumeric_read', ['VARCHAR'], BIG, readText),
  scalar('bq_bignumeric_parse', ['VARCHAR'], BIG, parse),
  scalar('bq_bignumeric_of_float', ['DOUBLE'], BIG, fromFloat),
  scalar('bq_bignumeric_text', [BIG], 'VARCHAR', bignumericText),
  scalar('bq_bignumeric_to_int64', [BIG], 'BIGINT', toInt64),
  scalar('bq_bignumeric_to_float', [BIG], 'DOUBLE', x => Number(`${x}e-${BIGNUMERIC_SCALE}`)),
  scalar('bq_bignumeric_to_numeric', [BIG], 'VARCHAR', toNumeric),
  scalar('bq_bignumeric_limited', [BIG, 'BIGINT', 'BIGINT', 'VARCHAR'], BIG, limit),
  scalar('bq_bignumeric_subtract', [BIG, BIG], BIG, (x, y) =>
    checkRange(x - y, () => `${bignumericText(x)} - ${bignumericText(y)}`),
  ),
  scalar('bq_bignumeric_negate', [BIG], BIG, x => checkRange(-x, () => `-(${bignumericText(x)})`)),
  scalar('bq_bignumeric_multiply', [BIG, BIG], BIG, (x, y) =>
    checkRange(divideRounded(x * y, UNIT), () => `${bignumericText(x)} * ${bignumericText(y)}`),
  ),
  scalar('bq_bignumeric_divide', [BIG, BIG], BIG, (x, y) => {
    const write = (): string => `${bignumericText(x)} / ${bignumericText(y)}`
    return checkRange(divideRounded(x * UNIT, checkDivisor(y, write)), write)
  }),
  scalar('bq_bignumeric_div', [BIG, BIG], BIG, (x, y) => {
    const write = (): string => `DIV(${argumentsText(x, y)})`
    return checkRange((x / checkDivisor(y, write)) * UNIT, write)
  }),
  scalar('bq_bignumeric_mod', [BIG, BIG], BIG, (x, y) => x % checkDivisor(y, () => `MOD(${argumentsText(x, y)})`)),
  scalar('bq_bignumeric_round', [BIG, 'BIGINT', 'VARCHAR'], BIG, round),
  scalar('bq_bignumeric_trunc', [BIG, 'BIGINT'], BIG, (x, digits) => round(x, digits, 'TRUNC')),
  scalar('bq_bignumeric_floor', [BIG], BIG, x => roundToInteger(x, -1n, 'FLOOR')),
  scalar('bq_bignumeric_ceil', [BIG], BIG, x => roundToInteger(x, 1n, 'CEIL')),
  scalar('bq_bignumeric_sqrt', [BIG], BIG, x => {
    if (x < 0n) fail(`SQRT is undefined for negative value: SQRT(${bignumericText(x)})`)
    return squareRoot(x, UNIT)
  }),
  // Raises the error of a sum or a total that is out of range.
  scalar('bq_bignumeric_overflow', ['VARCHAR'], BIG, text => {
    fail(`BIGNUMERIC overflow: ${text}`)
  }),
  scalar('bq_bignumeric_average', [BIG, 'BIGINT'], BIG, (total, n) => divideRounded(total, n)),
  scalar('bq_bignumeric_percentile', ['VARCHAR[]', BIG], BIG, (sorted, fraction) =>
    interpolate(unitsOfAll(sorted, BigInt), fraction, UNIT),
  ),
  scalar('bq_bignumeric_rank', ['BIGINT', BIG], 'BIGINT', rank),
  // DuckDB has written the digits of the BIGNUMs as text.
  ...statistics('bignumeric', BIGNUMERIC_SCALE, BigInt),
  scalar('bq_bignumeric_frame_units', [BIG], 'HUGEINT', frameUnits),
  scalar('bq_bignumeric_series', [BIG, BIG, BIG], 'VARCHAR[]', generate),
  scalar('bq_bignumeric_json_string', [BIG], 'VARCHAR', jsonString),
  scalar('bq_bignumeric_json', [BIG, 'BOOLEAN'], 'VARCHAR', jsonValue),
]
