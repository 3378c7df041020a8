/** DuckDB SQL of functions that require OVER. */
import type { Expr } from '../../googlesql/plan/nodes.js'
import { keepName } from '../emit/keep-name.js'
import { type AggregateWriter, type AggregateWriterCall, type AggregateWriters, streaming } from './function-sql.js'

const windowCall = (call: AggregateWriterCall, name: string, args: string): string => `${name}(${args})${call.over}`

const rank =
  (name: string): AggregateWriter =>
  call =>
    windowCall(call, name, '')

const nullsOf = (call: AggregateWriterCall): string => (call.call.ignoresNulls ? ' IGNORE NULLS' : '')

const valueInFrame =
  (name: string): AggregateWriter =>
  call =>
    windowCall(call, name, `${call.sql[0]}${nullsOf(call)}`)

const shift =
  (name: string): AggregateWriter =>
  call => {
    const [x, offset, fallback] = call.sql
    if (offset === null || offset === undefined) return windowCall(call, name, x!)
    const checkedOffset = isPlainNumber(call.args[1]) ? offset : `bq_window_offset('${name.toUpperCase()}', ${offset})`
    return windowCall(call, name, [x, checkedOffset, ...(fallback ? [fallback] : [])].join(', '))
  }

const isPlainNumber = (expr: Expr | null | undefined): boolean =>
  expr?.kind === 'literal' && expr.value !== null && !String(expr.value).startsWith('-')

/** All values of the window as a list; NULLs are included only with RESPECT NULLS. */
function valuesOf(call: AggregateWriterCall): string {
  const x = call.sql[0]!
  const filter = call.call.ignoresNulls ? ` FILTER (WHERE ${x} IS NOT NULL)` : ''
  return `list(${x})${filter}${call.over}`
}

/**
 * The percentile where it is a literal, else null. For a literal, DuckDB's own quantile functions are used, which do not build
 * a list for each row.
 */
function literalPercentile(call: AggregateWriterCall): number | null {
  const percentile = call.args[1]?.kind === 'cast' ? call.args[1].operand : call.args[1]
  return percentile?.kind === 'literal' ? Number(percentile.value) : null
}

/**
 * A quantile of FLOAT64s. BigQuery sorts NaN before all values, DuckDB after them. A negative percentile makes DuckDB sort in
 * descending order; for the values `-x` this is NaN first, then `x` in ascending order.
 */
function floatQuantile(call: AggregateWriterCall, name: string, p: number): string {
  const x = call.sql[0]!
  if (p === 0) return `bq_min_float64(${windowCall(call, 'min', x)}, ${windowCall(call, 'max', x)})`
  return `(-${windowCall(call, name, `-${x}, -${p}::DOUBLE`)})`
}

/**
 * PERCENTILE_CONT with NULLs. BigQuery sorts NULLs before all values, as it sorts NaN, so NULLs are replaced by NaN. Where the
 * percentile lies between a NULL and a value, the result is that value, which is the smallest one.
 */
function continuousWithNulls(call: AggregateWriterCall, p: number): string {
  const x = call.sql[0]!
  const values = `coalesce(${x}, 'nan'::DOUBLE)`
  const rows = windowCall(call, 'count', '*')
  const nulls = `(${rows} - ${windowCall(call, 'count', x)})`
  const least = `bq_min_float64(${windowCall(call, 'min', x)}, ${windowCall(call, 'max', x)})`
  const quantile = p === 0 ? least : `(-${windowCall(call, 'quantile_cont', `-${values}, -${p}::DOUBLE`)})`
  const place = `(${rows} - 1) * ${p}::DOUBLE`
  return `(CASE WHEN ceil(${place}) < ${nulls} THEN NULL WHEN floor(${place}) < ${nulls} THEN ${least} ELSE ${quantile} END)`
}

const percentileCont: AggregateWriter = call => {
  const literal = literalPercentile(call)
  const [, fraction] = call.sql
  const p = `bq_percentile('PERCENTILE_CONT', ${fraction})`
  if (call.type.kind === 'FLOAT64') {
    if (literal === null) return `bq_percentile_cont(bq_sorted_floats(${valuesOf(call)}), ${p})`
    return call.call.ignoresNulls ? floatQuantile(call, 'quantile_cont', literal) : continuousWithNulls(call, literal)
  }
  const sorted = `CAST(list_sort(${valuesOf(call)}, 'ASC', 'NULLS FIRST') AS VARCHAR[])`
  return call.type.kind === 'NUMERIC'
    ? `CAST(bq_numeric_percentile(${sorted}, CAST(${p} AS VARCHAR)) AS DECIMAL(38,9))`
    : `bq_bignumeric_percentile(${sorted}, bq_bignumeric_fraction('PERCENTILE_CONT', ${fraction}))`
}

/** The relative distance by which a percentile is moved; it is too small to reach another row. */
const RELATIVE_SHIFT = 1e-12
/** The denominator by which a FLOAT64 between 0 and 1 becomes a fraction of BigInts, for exact comparison. */
const MANTISSA = 2 ** 112

/**
 * The percentile as an argument for quantile_disc. The intended row is at ceil(rows * p) of the exact product, but DuckDB rounds the
 * product. A FLOAT64 that is slightly above the fraction that it approximates (0.4 is, 0.6 is not) means the next row. So the percentile
 * is moved a little further away from the fraction. A NUMERIC equals its fraction, and means the row of the fraction itself.
 */
function discreteFraction(p: number, isExact: boolean): number {
  if (p === 0 || p === 1) return p
  return p * (!isExact && isAboveItsFraction(p) ? 1 + RELATIVE_SHIFT : 1 - RELATIVE_SHIFT)
}

/** Whether the FLOAT64 is greater than the simplest fraction that it approximates. The search walks down the Stern-Brocot tree. */
function isAboveItsFraction(p: number): boolean {
  let [low, lowDenominator] = [0n, 1n]
  let [high, highDenominator] = [1n, 1n]
  const exact = BigInt(Math.round(p * MANTISSA))
  const scale = BigInt(MANTISSA)
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const numerator = low + high
    const denominator = lowDenominator + highDenominator
    const difference = exact * denominator - numerator * scale
    if (Number(numerator) / Number(denominator) === p) return difference > 0n
    if (difference > 0n) [low, lowDenominator] = [numerator, denominator]
    else [high, highDenominator] = [numerator, denominator]
  }
  return false
}

/** The most steps of the search, which bounds the denominator of the fraction. Finer percentiles do not occur in practice. */
const MAX_STEPS = 10_000

/**
 * PERCENTILE_DISC with NULLs, as a quantile of structs: the first field orders NULLs first; for FLOAT64 the second one orders
 * NaN after them.
 */
function discreteWithNulls(call: AggregateWriterCall, p: number): string {
  const x = call.sql[0]!
  const isNan = call.type.kind === 'FLOAT64' ? `, n := NOT isnan(${x})` : ''
  const values = `struct_pack(g := ${x} IS NOT NULL${isNan}, v := ${keepName(x)})`
  return `struct_extract(${windowCall(call, 'quantile_disc', `${values}, ${p}::DOUBLE`)}, 'v')`
}

const percentileDisc: AggregateWriter = call => {
  const isFloat = call.type.kind === 'FLOAT64'
  const isBig = call.args[1]!.type.kind === 'BIGNUMERIC'
  // Different fractions of BIGNUMERIC may be equal as FLOAT64.
  const literal = isBig ? null : literalPercentile(call)
  if (literal !== null) {
    const p = discreteFraction(literal, call.args[1]!.type.kind !== 'FLOAT64')
    if (!call.call.ignoresNulls) return discreteWithNulls(call, p)
    if (isFloat) return floatQuantile(call, 'quantile_disc', p)
    return windowCall(call, 'quantile_disc', `${call.sql[0]}, ${p}::DOUBLE`)
  }
  const values = valuesOf(call)
  const sorted = isFloat ? `bq_sorted_floats(${values})` : `list_sort(${values}, 'ASC', 'NULLS FIRST')`
  if (isBig)
    return `bq_bignumeric_percentile_disc(${sorted}, bq_bignumeric_fraction('PERCENTILE_DISC', ${call.sql[1]}))`
  const p = `bq_percentile('PERCENTILE_DISC', CAST(${call.sql[1]} AS DOUBLE))`
  const isExact = call.args[1]!.type.kind !== 'FLOAT64'
  return isExact ? `bq_percentile_disc_exact(${sorted}, ${p})` : `bq_percentile_disc(${sorted}, ${p})`
}

export const WINDOW_WRITERS: AggregateWriters = {
  ROW_NUMBER: streaming(rank('row_number')),
  RANK: streaming(rank('rank')),
  DENSE_RANK: streaming(rank('dense_rank')),
  PERCENT_RANK: streaming(rank('percent_rank')),
  CUME_DIST: rank('cume_dist'),
  NTILE: call => windowCall(call, 'ntile', `bq_ntile_buckets(${call.sql[0]})`),
  FIRST_VALUE: streaming(valueInFrame('first_value')),
  LAST_VALUE: streaming(valueInFrame('last_value')),
  NTH_VALUE: streaming(call => windowCall(call, 'nth_value', `${call.sql[0]}, bq_nth(${call.sql[1]})${nullsOf(call)}`)),
  LAG: streaming(shift('lag')),
  LEAD: streaming(shift('lead')),
  PERCENTILE_CONT: percentileCont,
  PERCENTILE_DISC: percentileDisc,
}
