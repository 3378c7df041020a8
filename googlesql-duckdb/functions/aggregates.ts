/** Aggregate functions in DuckDB SQL, with and without OVER. */
import type { Expr } from '../../googlesql/plan/nodes.js'
import { keepName } from '../emit/keep-name.js'
import { duckdbType } from '../emit/type.js'
import {
  type AggregateWriter,
  type AggregateWriterCall,
  type AggregateWriters,
  overList,
  SqlWriterError,
} from './function-sql.js'
import { LIST_WRITERS, TIMES_2_TO_MINUS_64 } from './list-aggregates.js'

/** A call of one DuckDB aggregate with the call's DISTINCT, ORDER BY, FILTER and OVER. `where` is a further condition of the FILTER. */
function aggregate(call: AggregateWriterCall, name: string, args: string, where?: string): string {
  if (call.havingSql !== null)
    throw new SqlWriterError(`HAVING MAX or MIN in ${call.call.name} with OVER is not supported`)
  const conditions = [call.filterSql, where].filter(condition => condition !== undefined && condition !== null)
  const filter = conditions.length === 0 ? '' : ` FILTER (WHERE ${conditions.map(each => `(${each})`).join(' AND ')})`
  return `${name}(${call.distinct}${args}${call.orderBy})${filter}${call.over}`
}

/** The writer of a function that equals the DuckDB aggregate of this name. */
const sameAs =
  (name: string): AggregateWriter =>
  call =>
    aggregate(call, name, call.sql[0]!)

/** An extra aggregate over the same rows, without DISTINCT and ORDER BY. */
const extra = (call: AggregateWriterCall, name: string, args: string): string =>
  aggregate({ ...call, distinct: '', orderBy: '' }, name, args)

/**
 * The largest and the smallest value in DuckDB's order, where NaN is the largest. They cost nothing in a query that contains MAX and MIN of
 * the same value, since DuckDB computes equal aggregates once.
 */
const extremes = (call: AggregateWriterCall, x: string): string => `${extra(call, 'max', x)}, ${extra(call, 'min', x)}`

/**
 * Sums of the integer parts and of the fractions of NUMERICs. DuckDB adds NUMERICs in 128 bits, and two large values may
 * overflow these even where other values would bring the total back into range.
 */
const partSums = (call: AggregateWriterCall, x: string): string =>
  `${aggregate(call, 'sum', `CAST(trunc(${x}) AS HUGEINT)`)}, ${aggregate(call, 'sum', `(${x} - trunc(${x}))`)}`

const isDistinct = (call: AggregateWriterCall): boolean => call.distinct !== ''

/**
 * A sum or average, together with the same aggregate of scaled-down values. The second one shows whether an infinite total is a
 * true infinity, or whether only an intermediate result overflowed.
 */
function floatTotal(call: AggregateWriterCall, name: 'sum' | 'avg'): string {
  const [x] = call.sql
  return `bq_float_total(${aggregate(call, name, x!)}, ${aggregate(call, name, `${x} * ${TIMES_2_TO_MINUS_64}`)})`
}

const INTERVAL_PARTS = ['months', 'days', 'micros']

/** The sum of intervals, computed for each part separately. */
function intervalSum(call: AggregateWriterCall): string {
  const [x] = call.sql
  if (call.distinct !== '') return `bq_interval_total(${aggregate(call, 'list', x!)})`
  const totals = INTERVAL_PARTS.map(part => `bq_sum_int64(${aggregate(call, 'sum', `bq_interval_${part}(${x})`)})`)
  return `bq_interval(${totals.join(', ')})`
}

/** The average of intervals, computed from sums that may be larger than an INTERVAL. */
function intervalAverage(call: AggregateWriterCall): string {
  const [x] = call.sql
  const sumOf = (part: string): string =>
    call.distinct === ''
      ? aggregate(call, 'sum', `bq_interval_${part}(${x})`)
      : `list_sum(list_transform(${aggregate(call, 'list', x!)}, lambda i$: bq_interval_${part}(i$)))`
  return `bq_interval_average(${INTERVAL_PARTS.map(sumOf).join(', ')}, nullif(${aggregate(call, 'count', x!)}, 0))`
}

/**
 * The largest absolute value of a small integer. An INT64 can hold the sum of nine trillion such values, which is more than any
 * query adds.
 */
const MAX_SMALL = 1_000_000

/**
 * Whether every value of the expression is a small integer or NULL, as for `IF(failed, 1, 0)`. The sum then needs no overflow
 * check, which takes longer to plan than the sum.
 */
function isSmall(expr: Expr): boolean {
  if (expr.kind === 'literal') return expr.value === null || Math.abs(Number(expr.value)) <= MAX_SMALL
  if (expr.kind === 'cast') return expr.operand.kind === 'literal' && expr.operand.value === null
  if (expr.kind === 'case') return [...expr.branches.map(branch => branch.then), expr.otherwise].every(isSmallOrAbsent)
  return expr.kind === 'call' && expr.name === 'IF' && expr.arguments.slice(1).every(isSmallOrAbsent)
}

const isSmallOrAbsent = (expr: Expr | null): boolean => expr === null || isSmall(expr)

const sum: AggregateWriter = call => {
  const [x] = call.sql
  switch (call.type.kind) {
    case 'INT64': {
      const total = aggregate(call, 'sum', x!)
      return isSmall(call.args[0]!) ? `CAST(${total} AS BIGINT)` : `bq_sum_int64(${total})`
    }
    case 'FLOAT64':
      return floatTotal(call, 'sum')
    case 'INTERVAL':
      return intervalSum(call)
    case 'BIGNUMERIC':
      return `bq_bignumeric_total(${aggregate(call, 'sum', x!)})`
    default:
      // NUMERIC. Integer parts or fractions of different values may be equal, so distinct values are summed as a list.
      if (isDistinct(call)) return `bq_sum_list(${aggregate(call, 'list', x!)})`
      return call.over === '' && !call.addsByParts
        ? `bq_sum_numeric(${aggregate(call, 'sum', x!)})`
        : `bq_sum_parts(${partSums(call, x!)})`
  }
}

const average: AggregateWriter = call => {
  const [x] = call.sql
  switch (call.args[0]!.type.kind) {
    case 'INT64':
      return aggregate(call, 'avg', x!)
    case 'FLOAT64':
      return floatTotal(call, 'avg')
    case 'INTERVAL':
      return intervalAverage(call)
    case 'BIGNUMERIC':
      return `bq_bignumeric_average(${aggregate(call, 'sum', x!)}, nullif(${aggregate(call, 'count', x!)}, 0))`
    default:
      // NUMERIC
      if (isDistinct(call)) return `bq_avg_list(${aggregate(call, 'list', x!)})`
      return `bq_avg_parts(${partSums(call, x!)}, ${aggregate(call, 'count', x!)})`
  }
}

/** The longest or shortest INTERVAL: DuckDB's own MIN and MAX compare months first. */
const extremeByLength = (call: AggregateWriterCall, name: 'arg_max' | 'arg_min'): string =>
  aggregate(call, name, `${call.sql[0]}, bq_interval_key(${call.sql[0]})`)

const maximum: AggregateWriter = call =>
  call.type.kind === 'INTERVAL' ? extremeByLength(call, 'arg_max') : aggregate(call, 'max', call.sql[0]!)

/** The minimum. In BigQuery NaN is both the smallest and the largest value; in DuckDB it is only the largest. */
const minimum: AggregateWriter = call => {
  if (call.type.kind === 'INTERVAL') return extremeByLength(call, 'arg_min')
  const [x] = call.sql
  const least = aggregate(call, 'min', x!)
  return call.type.kind === 'FLOAT64' ? `bq_min_float64(${least}, ${extra(call, 'max', x!)})` : least
}

const anyValue: AggregateWriter = call => {
  if (call.havingSql === null) return aggregate(call, 'any_value', call.sql[0]!)
  const name = call.call.having?.extreme === 'min' ? 'arg_min_null' : 'arg_max_null'
  return aggregate({ ...call, havingSql: null }, name, `${call.sql[0]}, ${call.havingSql}`)
}

/**
 * The value in the row with the extreme, like ANY_VALUE with HAVING. NULL where one of the compared values is NaN, since the
 * extreme is then NaN, which no row equals.
 */
const valueAtExtreme =
  (name: string): AggregateWriter =>
  call => {
    const [x, y] = call.sql
    const { kind } = call.args[1]!.type
    const value = aggregate(call, name, `${x}, ${kind === 'INTERVAL' ? `bq_interval_key(${y})` : y}`)
    return kind === 'FLOAT64' ? `(CASE WHEN isnan(${extra(call, 'max', y!)}) THEN NULL ELSE ${value} END)` : value
  }

const limitList = (call: AggregateWriterCall, list: string): string =>
  call.limitSql === null ? list : `bq_limit_list(${list}, ${call.limitSql})`

const arrayAgg: AggregateWriter = call => {
  const [x] = call.sql
  return limitList(call, aggregate(call, 'list', x!, call.call.ignoresNulls ? `${x} IS NOT NULL` : undefined))
}

const arrayConcatAgg: AggregateWriter = call => {
  const [x] = call.sql
  return `flatten(${limitList(call, aggregate(call, 'list', x!, `${x} IS NOT NULL`))})`
}

const stringAgg: AggregateWriter = call => {
  const [x, delimiterSql] = call.sql
  const isBytes = call.type.kind === 'BYTES'
  const isParameter = delimiterSql && call.args[1]?.kind !== 'literal'
  const delimiter = isParameter ? `bq_separator(${delimiterSql})` : (delimiterSql ?? (isBytes ? "','::BLOB" : "','"))
  if (!isBytes && call.limitSql === null) return aggregate(call, 'string_agg', `${x}, ${delimiter}`)
  const list = limitList(call, aggregate(call, 'list', x!, `${x} IS NOT NULL`))
  const joined = `${isBytes ? 'bq_join_bytes' : 'bq_join_list'}(${list}, ${delimiter})`
  // With fewer than two items the join does not read the delimiter, so a NULL delimiter must be detected here.
  return isParameter ? `CASE WHEN ${delimiter} IS NOT NULL THEN ${joined} END` : joined
}

/** A row count. DuckDB returns a negative count for a frame that ends before it begins: `2 FOLLOWING AND 1 FOLLOWING`. */
const countRows: AggregateWriter = call => {
  const rows = aggregate(call, 'count', '*')
  return call.mayBeBackward ? `greatest(${rows}, 0)` : rows
}

const countDistinct: AggregateWriter = call => aggregate({ ...call, distinct: 'DISTINCT ' }, 'count', call.sql[0]!)

/** 2^-600 exactly: when FLOAT64s are scaled by it, any number of their squares can be summed without overflow. */
const TIMES_2_TO_MINUS_600 = '2.409919865102884e-181::DOUBLE'

/**
 * Variance or standard deviation. DuckDB refuses values that are not finite, for which BigQuery returns NaN, and values whose
 * squares overflow. A NUMERIC has more digits than a double, and computing a variance in doubles would lose still more digits,
 * so a scalar function computes it from a list of the values.
 */
const spread =
  (name: string): AggregateWriter =>
  call => {
    const { type } = call.args[0]!
    if (type.kind !== 'FLOAT64') {
      // During planning, DuckDB forgets the type of a NULL decimal, and a list of such NULLs would become a list of texts.
      const items = aggregate(call, 'list', `CAST(${call.sql[0]} AS ${duckdbType(type)})`)
      return `bq_${type.kind.toLowerCase()}_${name}(CAST(${items} AS VARCHAR[]))`
    }
    const x = call.sql[0]!
    const plain = aggregate(call, name, x, `abs(${x}) < 1e150`)
    const scaled = aggregate(call, name, `${x} * ${TIMES_2_TO_MINUS_600}`, `isfinite(${x})`)
    // bq_spread multiplies by this and by 2^600. A variance is a mean of squares, so it must be multiplied by 2^600 twice.
    const scaleAgain = name.startsWith('stddev') ? '1' : '4.149515568880993e180'
    const value = `bq_spread(${plain}, ${scaled}, ${scaleAgain}, ${extremes(call, x)})`
    return name.endsWith('_samp') ? `(CASE WHEN ${aggregate(call, 'count', x)} > 1 THEN ${value} END)` : value
  }

/**
 * Aggregates of pairs, which ignore pairs with a NULL. With fewer than `minPairs` pairs the result is NULL.
 * `exactName` names the function over a list of decimals, whose digits FLOAT64 cannot all hold.
 */
const pairAggregate =
  (
    minPairs: number,
    exactName: string,
    write: (call: AggregateWriterCall, x: string, y: string, finite: string) => string,
  ): AggregateWriter =>
  call => {
    if (call.args[0]!.type.kind !== 'FLOAT64') {
      const [a, b] = call.sql
      const pair = `[CAST(${a} AS VARCHAR), CAST(${b} AS VARCHAR)]`
      const { kind } = call.args[0]!.type
      return `bq_${kind.toLowerCase()}_${exactName}(${aggregate(call, 'list', pair, `${a} IS NOT NULL AND ${b} IS NOT NULL`)})`
    }
    const [x, y] = call.sql.map(sql => `CAST(${sql} AS DOUBLE)`) as [string, string]
    const isPair = `${x} IS NOT NULL AND ${y} IS NOT NULL`
    const finite = `isfinite(${x}) AND isfinite(${y})`
    const allFinite = aggregate(call, 'bool_and', finite, isPair)
    const pairCount = aggregate(call, 'count', '*', isPair)
    const value = write(call, x, y, finite)
    return `(CASE WHEN ${pairCount} >= ${minPairs} THEN CASE WHEN ${allFinite} THEN ${value} ELSE 'nan'::DOUBLE END END)`
  }

const covariance = (name: string, least: number): AggregateWriter =>
  pairAggregate(least, name, (call, x, y, finite) => aggregate(call, name, `${x}, ${y}`, finite))

/**
 * 2^-512 exactly: the squares of the largest FLOAT64s scaled by it do not overflow, and the squares of much smaller values in
 * the same group do not become zero.
 */
const TIMES_2_TO_MINUS_512 = '7.458340731200207e-155::DOUBLE'

/** The correlation. DuckDB refuses values whose squares overflow. */
const correlation = pairAggregate(2, 'correlation', (call, x, y, finite) => {
  const plain = aggregate(call, 'corr', `${x}, ${y}`, `${finite} AND greatest(abs(${x}), abs(${y})) < 1e150`)
  const scaled = aggregate(call, 'corr', `${x} * ${TIMES_2_TO_MINUS_512}, ${y} * ${TIMES_2_TO_MINUS_512}`, finite)
  const largest = [x, y].map(value => aggregate(call, 'max', `abs(${value})`, finite))
  return `bq_corr(${plain}, ${scaled}, ${largest.join(', ')})`
})

/** The value of a literal, which may be inside a cast; null for any other expression. */
function constantOf(expr: Expr | null | undefined): number | null {
  if (expr?.kind === 'cast') return constantOf(expr.operand)
  return expr?.kind === 'literal' && expr.value !== null ? Number(expr.value) : null
}

/**
 * A boundary of `count` quantiles as a fraction for quantile_disc. For a descending order it is negative; -0 would mean ascending, so
 * a tiny number replaces it. It is slightly less than the quotient: DuckDB multiplies it by the number of rows and rounds, and the result
 * must not pass the intended row.
 */
function fractionSql(offset: number, count: number, isDescending: boolean): string {
  const fraction = offset === count ? 1 : (offset / count) * (1 - 1e-12)
  return isDescending ? `-${fraction === 0 ? '1e-300' : fraction}::DOUBLE` : `${fraction}::DOUBLE`
}

/**
 * Exact quantiles. NaN is the largest value in DuckDB and the smallest in BigQuery. So quantiles of FLOAT64 are computed from the values
 * `-x` in descending order: there DuckDB puts NaN first, too.
 */
const quantiles: AggregateWriter = call => {
  const [x, countSql] = call.sql
  const isFloat = call.args[0]!.type.kind === 'FLOAT64'
  const { count, offsets } = countAndOffsets(call.args[1])
  if (count === null || !call.call.ignoresNulls) {
    const list = aggregate(call, 'list', x!, call.call.ignoresNulls ? `${x} IS NOT NULL` : undefined)
    return `${isFloat ? 'bq_quantiles_float64' : 'bq_quantiles'}(${list}, ${countSql})`
  }
  const read = offsets ?? Array.from({ length: count + 1 }, (_, offset) => offset)
  const positions = read.map(offset => fractionSql(offset, count, isFloat)).join(', ')
  const list = aggregate(call, 'quantile_disc', `${isFloat ? `-${x}` : x}, [${positions}]`)
  return isFloat ? `list_transform(${list}, lambda e$: -e$)` : list
}

/**
 * The number of quantiles. An argument `[count, offset, …]` (see quantile-offsets.ts) also has the offsets of the quantiles that the query
 * reads; `offsets` is null for a plain count.
 */
function countAndOffsets(expr: Expr | null | undefined): { count: number | null; offsets: readonly number[] | null } {
  if (expr?.kind !== 'array') return { count: constantOf(expr), offsets: null }
  const [count, ...offsets] = expr.items.map(item => constantOf(item)!)
  return { count: count!, offsets }
}

const topCount: AggregateWriter = call => {
  const [x, count] = call.sql
  const nulls = `${aggregate(call, 'count', '*')} - ${aggregate(call, 'count', x!)}`
  return `bq_top_count(${aggregate(call, 'histogram', x!)}, ${nulls}, ${count})`
}

const topSum: AggregateWriter = call => {
  const [x, weight, count] = call.sql
  const list = aggregate(call, 'list', `struct_pack(v := ${keepName(x!)}, w := ${keepName(weight!)})`)
  const total = `${call.over === '' ? 'bq_top_sum' : 'bq_top_sum_over'}(${list}, ${count})`
  return `CAST(${total} AS ${duckdbType(call.type)})`
}

export const AGGREGATE_WRITERS: AggregateWriters = {
  ANY_VALUE: overList(anyValue, LIST_WRITERS.ANY_VALUE),
  ARRAY_AGG: overList(arrayAgg, LIST_WRITERS.ARRAY_AGG),
  ARRAY_CONCAT_AGG: arrayConcatAgg,
  AVG: overList(average, LIST_WRITERS.AVG),
  BIT_AND: sameAs('bit_and'),
  BIT_OR: sameAs('bit_or'),
  BIT_XOR: sameAs('bit_xor'),
  $count_star: countRows,
  COUNT: overList(sameAs('count'), LIST_WRITERS.COUNT),
  COUNTIF: call => `coalesce(CAST(${aggregate(call, 'count_if', call.sql[0]!)} AS BIGINT), 0)`,
  LOGICAL_AND: overList(sameAs('bool_and'), LIST_WRITERS.LOGICAL_AND),
  LOGICAL_OR: overList(sameAs('bool_or'), LIST_WRITERS.LOGICAL_OR),
  MAX: overList(maximum, LIST_WRITERS.MAX),
  MIN: overList(minimum, LIST_WRITERS.MIN),
  MAX_BY: valueAtExtreme('arg_max_null'),
  MIN_BY: valueAtExtreme('arg_min_null'),
  STRING_AGG: overList(stringAgg, LIST_WRITERS.STRING_AGG),
  SUM: overList(sum, LIST_WRITERS.SUM),
  APPROX_COUNT_DISTINCT: countDistinct,
  APPROX_QUANTILES: quantiles,
  APPROX_TOP_COUNT: topCount,
  APPROX_TOP_SUM: topSum,
  CORR: correlation,
  COVAR_POP: covariance('covar_pop', 1),
  COVAR_SAMP: covariance('covar_samp', 2),
  STDDEV_POP: spread('stddev_pop'),
  STDDEV_SAMP: spread('stddev_samp'),
  VAR_POP: spread('var_pop'),
  VAR_SAMP: spread('var_samp'),
}
