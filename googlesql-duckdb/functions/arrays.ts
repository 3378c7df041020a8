/** Array functions in DuckDB SQL. */
import type { Expr } from '../../googlesql/plan/nodes.js'
import type { ArrayType, Type } from '../../googlesql/types/types.js'
import { BIGNUMERIC_UNIT } from '../bignumeric.js'
import { inListSql } from '../emit/expressions/compare.js'
import { keepName } from '../emit/keep-name.js'
import { variable } from '../emit/quote.js'
import { callTo, ofElements, type SqlWriter, SqlWriterError, type SqlWriters, type WriterCall } from './function-sql.js'
import { listAverage, listSum } from './list-aggregates.js'
import { recast } from './typed.js'

/** ARRAY_CONCAT; NULL where an array is NULL. DuckDB's list_concat ignores NULL arrays. */
const concat: SqlWriter = ({ sql, args }) => {
  const joined = sql.reduce((left, right) => `list_concat(${left}, ${right})`)
  const isNull = sql.filter((_, i) => args[i]?.kind !== 'array').map(each => `${each} IS NULL`)
  return isNull.length === 0 ? joined! : `(CASE WHEN ${isNull.join(' OR ')} THEN NULL ELSE ${joined} END)`
}

/**
 * Whether DuckDB treats the SQL of a STRING as a constant. It does not where the SQL is a cast from another type, since such a
 * cast may be a macro.
 */
function isConstant(expr: Expr | null | undefined): boolean {
  if (expr?.kind === 'literal' || expr?.kind === 'parameter') return true
  if (expr?.kind !== 'cast') return false
  const { operand } = expr
  return operand.kind === 'literal' ? operand.value === null : operand.type.kind === 'STRING' && isConstant(operand)
}

const join: SqlWriter = ({ sql: [items, delimiter, forNull], args, type }) => {
  const joinable = args[1]!.kind === 'literal' ? items : `bq_joinable(${items}, ${delimiter})`
  const texts = forNull ? `list_transform(${joinable}, lambda item$: coalesce(item$, ${forNull}))` : joinable
  // DuckDB joins a list with string_agg, which accepts only a constant delimiter, and leaves out NULLs.
  const isNative = type.kind === 'STRING' && isConstant(args[1])
  const joined = isNative
    ? `list_aggregate(CAST(${texts} AS VARCHAR[]), 'string_agg', ${delimiter})`
    : `${type.kind === 'STRING' ? 'bq_join_list' : 'bq_join_bytes'}(${texts}, ${delimiter})`
  const empty = type.kind === 'STRING' ? "''" : "''::BLOB"
  const isNull = [items, delimiter, ...(forNull ? [forNull] : [])].map(each => `${each} IS NULL`)
  return `(CASE WHEN ${isNull.join(' OR ')} THEN NULL ELSE coalesce(${joined}, ${empty}) END)`
}

/**
 * The SQL of a lambda argument; `sql` has only its body. The second parameter is an index, which counts from zero in GoogleSQL and from
 * one in DuckDB. So a lambda with two parameters is written as two nested lambdas: the inner one gets the index less one.
 */
function lambdaSql({ sql: [, body], args: [, lambda] }: WriterCall): string {
  if (lambda?.kind !== 'lambda') throw new SqlWriterError('a lambda is not written as a lambda')
  const [item, index] = lambda.parameters.map(variable)
  if (index === undefined) return `lambda ${item}: ${body}`
  return `lambda ${item}, at$: list_extract(list_transform([at$ - 1], lambda ${index}: ${body}), 1)`
}

/**
 * Types whose values DuckDB compares differently inside lists: there NaN equals NaN, structs with NULLs in the same place are
 * equal, and a month does not equal 30 days.
 */
const comparesDifferently = ({ kind }: Type): boolean => kind === 'STRUCT' || kind === 'FLOAT64' || kind === 'INTERVAL'

const elementOf = (expr: Expr | null | undefined): Type => (expr!.type as ArrayType).element

const includes: SqlWriter = call => {
  const [items, sought] = call.sql
  const [array, value] = call.args
  if (value?.kind === 'lambda') return `(len(list_filter(${items}, ${lambdaSql(call)})) > 0)`
  const test = comparesDifferently(value!.type)
    ? `coalesce(${inListSql(sought!, value!.type, items!, elementOf(array))}, false)`
    : `list_contains(${items}, ${sought})`
  return `(CASE WHEN ${items} IS NOT NULL AND ${sought} IS NOT NULL THEN ${test} END)`
}

/** Whether the first array includes any, or all, of the elements of the second. */
const includesElements =
  (name: string, plain: string): SqlWriter =>
  ({ sql: [items, sought], args: [array, other] }) => {
    const { kind } = elementOf(other)
    // NaN is not found, as NULL is not.
    if (kind === 'FLOAT64') return `${plain}(${items}, list_transform(${sought}, lambda s$: nullif(s$, 'nan'::DOUBLE)))`
    if (kind === 'INTERVAL') return `${plain}(${keysOf(items!)}, ${keysOf(sought!)})`
    if (kind !== 'STRUCT') return `${plain}(${items}, ${sought})`
    const isFound = `coalesce(${inListSql('s$', elementOf(other), 'l$.i', elementOf(array))}, false)`
    const tests = `list_transform(bq_comparable(l$.s, l$.i), lambda s$: ${isFound})`
    return `list_extract(list_transform([struct_pack(i := ${keepName(items!)}, s := ${keepName(sought!)})], lambda l$:
      CASE WHEN l$.i IS NOT NULL AND l$.s IS NOT NULL THEN ${name}(${tests}) END), 1)`
  }

/** Intervals of equal length have equal keys. */
const keysOf = (intervals: string): string => `list_transform(${intervals}, lambda i$: bq_interval_key(i$))`

const isDistinct: SqlWriter = ({ sql: [items], args: [array] }) =>
  `bq_array_is_distinct(${elementOf(array).kind === 'INTERVAL' ? keysOf(items!) : items})`

const minimum: SqlWriter = ({ sql: [items], type }) =>
  type.kind === 'FLOAT64' ? `bq_min_float64(list_min(${items}), list_max(${items}))` : `list_min(${items})`

const SERIES: Readonly<Record<string, string>> = {
  INT64: 'bq_generate_array',
  NUMERIC: 'bq_generate_array_numeric',
  FLOAT64: 'bq_generate_array_float64',
}

const generate: SqlWriter = ({ sql: [first, last, step], type }) => {
  const element = type.kind === 'ARRAY' ? type.element.kind : type.kind
  if (element === 'BIGNUMERIC')
    return `CAST(bq_bignumeric_series(${first}, ${last}, ${step ?? `'${BIGNUMERIC_UNIT}'::BIGNUM`}) AS BIGNUM[])`
  return `${SERIES[element]}(${first}, ${last}, ${step ?? '1::BIGINT'})`
}

export const ARRAY_WRITERS: SqlWriters = {
  ARRAY_LENGTH: ({ sql: [items] }) => `len(${items})`,
  ARRAY_CONCAT: concat,
  ARRAY_REVERSE: ofElements(({ sql: [items] }) => `list_reverse(${items})`),
  ARRAY_TO_STRING: join,
  ARRAY_FIRST: ofElements(recast(callTo('bq_array_first'))),
  ARRAY_LAST: ofElements(recast(callTo('bq_array_last'))),
  ARRAY_SLICE: ofElements(callTo('bq_array_slice')),
  ARRAY_IS_DISTINCT: isDistinct,
  ARRAY_MIN: ofElements(minimum),
  ARRAY_MAX: ofElements(({ sql: [items] }) => `list_max(${items})`),
  ARRAY_SUM: ({ sql: [items], type }) => listSum(items!, type)!,
  ARRAY_AVG: ({ sql: [items], args }) => listAverage(items!, elementOf(args[0]))!,
  ARRAY_TRANSFORM: call => `list_transform(${call.sql[0]}, ${lambdaSql(call)})`,
  ARRAY_FILTER: call => `list_filter(${call.sql[0]}, ${lambdaSql(call)})`,
  ARRAY_INCLUDES: includes,
  ARRAY_INCLUDES_ANY: includesElements('bq_any_of', 'list_has_any'),
  ARRAY_INCLUDES_ALL: includesElements('bq_all_of', 'bq_array_includes_all'),
  GENERATE_ARRAY: generate,
  RANGE_BUCKET: ({ sql, args }) =>
    `${args[0]!.type.kind === 'FLOAT64' ? 'bq_range_bucket_float64' : 'bq_range_bucket'}(${sql.join(', ')})`,
}
