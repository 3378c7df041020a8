/** DuckDB SQL of the operators, except `$extract` and `$interval`. */
import type { Expr } from '../../googlesql/plan/nodes.js'
import type { ArrayType, Type } from '../../googlesql/types/types.js'
import {
  distinctSql,
  equalSql,
  type FloatSide,
  floatOrder,
  inListSql,
  intervalOrder,
  operandAt,
} from '../emit/expressions/compare.js'
import { duckdbType } from '../emit/type.js'
import { concatSql } from './concat.js'
import { heavyOperator, ofElements, type SqlWriter, type SqlWriters, type WriterCall } from './function-sql.js'
import { writtenMicros } from './intervals.js'
import { recast } from './typed.js'

/** The types of both operands, such as `DATE INTERVAL`. */
type Pair = string
const pairOf = ({ args }: WriterCall): Pair => `${args[0]!.type.kind} ${args[1]!.type.kind}`

type Binary = (a: string, b: string, call: WriterCall) => string
const byPair =
  (writers: Readonly<Record<Pair, Binary>>): SqlWriter =>
  call =>
    writers[pairOf(call)]!(call.sql[0]!, call.sql[1]!, call)
const infix =
  (symbol: string): Binary =>
  (a, b) =>
    `(${a} ${symbol} ${b})`
const macro =
  (name: string): Binary =>
  (a, b) =>
    `${name}(${a}, ${b})`
const swap =
  (writer: Binary): Binary =>
  (a, b, call) =>
    writer(b, a, call)

/**
 * Adds an INTERVAL to a time, or subtracts it for sign -1. A literal interval becomes a number of microseconds. `swap` swaps
 * the SQL of the operands but not their expressions, so the interval may be either of the expressions.
 */
const addInterval =
  (sign: 1 | -1): Binary =>
  (time, i, { args: [left, right] }) => {
    const [kind, interval] = left!.type.kind === 'INTERVAL' ? [right!.type.kind, left!] : [left!.type.kind, right!]
    const type = kind === 'TIMESTAMP' ? 'timestamp' : 'datetime'
    const value = kind === 'DATE' ? `CAST(${time} AS TIMESTAMP)` : time
    const micros = writtenMicros(interval)
    if (micros !== null) return `bq_${type}(epoch_us(${value}) + ${micros * BigInt(sign)}::BIGINT)`
    return `bq_${type}_add_interval(${value}, ${i}, ${sign})`
  }
const addDays: Binary = (d, n) => `bq_date(bq_days(${d}) + ${n})`

const add = byPair({
  'INT64 INT64': infix('+'),
  'NUMERIC NUMERIC': infix('+'),
  'BIGNUMERIC BIGNUMERIC': macro('bq_bignumeric_add'),
  'DATE INT64': addDays,
  'INT64 DATE': swap(addDays),
  'DATE INTERVAL': addInterval(1),
  'INTERVAL DATE': swap(addInterval(1)),
  'DATETIME INTERVAL': addInterval(1),
  'INTERVAL DATETIME': swap(addInterval(1)),
  'TIMESTAMP INTERVAL': addInterval(1),
  'INTERVAL TIMESTAMP': swap(addInterval(1)),
  'INTERVAL INTERVAL': (a, b) => `bq_interval_add(${a}, ${b}, 1)`,
})

const microsApart: Binary = (a, b) => `bq_interval(0, 0, epoch_us(${a}) - epoch_us(${b}))`
const subtract = byPair({
  'INT64 INT64': infix('-'),
  'NUMERIC NUMERIC': infix('-'),
  'BIGNUMERIC BIGNUMERIC': macro('bq_bignumeric_subtract'),
  'DATE INT64': (d, n) => `bq_date(bq_days(${d}) - ${n})`,
  'DATE DATE': (a, b) => `bq_interval(0, ${a} - ${b}, 0)`,
  'TIMESTAMP TIMESTAMP': microsApart,
  'DATETIME DATETIME': (a, b) => `bq_days_and_micros(epoch_us(${a}) - epoch_us(${b}))`,
  'TIME TIME': microsApart,
  'DATE INTERVAL': addInterval(-1),
  'DATETIME INTERVAL': addInterval(-1),
  'TIMESTAMP INTERVAL': addInterval(-1),
  'INTERVAL INTERVAL': (a, b) => `bq_interval_add(${a}, ${b}, -1)`,
})

const multiply = byPair({
  'INT64 INT64': infix('*'),
  'NUMERIC NUMERIC': macro('bq_numeric_multiply'),
  'BIGNUMERIC BIGNUMERIC': macro('bq_bignumeric_multiply'),
  'INTERVAL INT64': macro('bq_interval_multiply'),
  'INT64 INTERVAL': swap(macro('bq_interval_multiply')),
})

const divide = byPair({
  'NUMERIC NUMERIC': macro('bq_numeric_divide'),
  'BIGNUMERIC BIGNUMERIC': macro('bq_bignumeric_divide'),
  'INTERVAL INT64': macro('bq_interval_divide'),
})

const negate: SqlWriter = ({ sql: [x], type }) => {
  if (type.kind === 'BIGNUMERIC') return `bq_bignumeric_negate(${x})`
  return type.kind === 'INTERVAL' ? `bq_interval_multiply(${x}, -1)` : `(-${x})`
}

const concat: SqlWriter = ({ sql, args, type }) => {
  if (type.kind === 'ARRAY') return `bq_list_concat(${sql[0]}, ${sql[1]})`
  return concatSql(sql, args, type)
}

const equal: SqlWriter = call => equalOf(call)
const notEqual: SqlWriter = call => {
  const [a, b] = call.sql
  const [x, y] = call.args
  if (x!.type.kind === 'FLOAT64')
    return isFloatLiteral(x!) || isFloatLiteral(y!) ? `(${a} <> ${b})` : `bq_float_ne(${a}, ${b})`
  if (x!.type.kind === 'INTERVAL') return intervalOrder('<>', a!, b!)
  return isNested(x!.type) ? `(NOT ${equalOf(call)})` : `(${a} <> ${b})`
}

const isNested = ({ kind }: Type): boolean => kind === 'STRUCT' || kind === 'ARRAY'
const isPlainType = (type: Type): boolean => !isNested(type) && type.kind !== 'INTERVAL'

/** Equality. In a comparison with a literal that is not NaN, DuckDB's own equality has BigQuery's result. */
function equalOf(call: WriterCall, right = 1): string {
  return isFloatLiteral(call.args[0]!) || isFloatLiteral(call.args[right]!)
    ? `(${call.sql[0]} = ${call.sql[right]})`
    : equalSql(operandAt(call, 0), operandAt(call, right))
}

const isFloatLiteral = (expr: Expr): boolean =>
  expr.kind === 'literal' && typeof expr.value === 'number' && !Number.isNaN(expr.value)

const compare =
  (symbol: '<' | '<=' | '>' | '>='): SqlWriter =>
  ({ sql: [a, b], args: [x, y] }) => {
    if (x!.type.kind === 'INTERVAL') return intervalOrder(symbol, a!, b!)
    return x!.type.kind === 'FLOAT64'
      ? floatOrder(symbol, floatSide(x!, a!), floatSide(y!, b!))
      : `(${a} ${symbol} ${b})`
  }

const floatSide = (expr: Expr, sql: string): FloatSide => ({
  sql,
  isNumber: isFloatLiteral(expr),
  isComputed: expr.kind === 'call',
})

const between: SqlWriter = ({ sql: [x, low, high], args: [value, from, to] }) => {
  if (value!.type.kind === 'INTERVAL') return `(${intervalOrder('>=', x!, low!)} AND ${intervalOrder('<=', x!, high!)})`
  // Writing x twice costs nothing: DuckDB itself expands BETWEEN into two comparisons and computes x twice.
  if (value!.type.kind !== 'FLOAT64') return `(${x} >= ${low} AND ${x} <= ${high})`
  const side = floatSide(value!, x!)
  const below = floatOrder('<=', side, floatSide(to!, high!))
  // Where `high` is a number, a value that passes `below` is not NaN, so the other comparison needs no test.
  const above = isFloatLiteral(to!) ? `(${x} >= ${low})` : floatOrder('>=', side, floatSide(from!, low!))
  return `(${above} AND ${below})`
}

const isIn: SqlWriter = call => {
  const [x, ...items] = call.sql
  const [operand, ...exprs] = call.args
  const isPlain =
    isPlainType(operand!.type) && (operand!.type.kind !== 'FLOAT64' || exprs.every(expr => isFloatLiteral(expr!)))
  if (isPlain) return `(${x} IN (${items.join(', ')}))`
  return `(${items.map((_, i) => equalOf(call, i + 1)).join(' OR ')})`
}

const isInArray: SqlWriter = ({ sql: [x, list], args: [operand, array] }) =>
  inListSql(x!, operand!.type, list!, (array!.type as ArrayType).element)

/**
 * LIKE. DuckDB's own LIKE is used where it takes linear time: for literals without `_` and escapes, and for literals with at most one `%`
 * in the middle. DuckDB also turns some of the former into prefix or substring searches.
 */
function likeSql(x: string, pattern: string, expr: Expr | null, type: Type): string {
  if (type.kind === 'BYTES') return `bq_bytes_like(${x}, ${pattern})`
  const text = expr?.kind === 'literal' && typeof expr.value === 'string' ? expr.value : null
  if (text === null || endsInEscape(text)) return `bq_like(${x}, ${pattern})`
  const hasEscape = text.includes('\\')
  const isLinear = (!hasEscape && !text.includes('_')) || !/%+[^%]+%+[^%]/.test(text)
  if (!isLinear) return `bq_like(${x}, ${pattern})`
  return `(${x} LIKE ${pattern}${hasEscape ? " ESCAPE '\\'" : ''})`
}

const endsInEscape = (text: string): boolean => /(?<!\\)(?:\\\\)*\\$/.test(text)

const like: SqlWriter = ({ sql: [x, pattern], args: [operand, expr] }) => likeSql(x!, pattern!, expr!, operand!.type)
const likeList =
  (operator: string): SqlWriter =>
  ({ sql: [x, ...patterns], args: [operand, ...exprs] }) =>
    `(${patterns.map((pattern, i) => likeSql(x!, pattern!, exprs[i]!, operand!.type)).join(operator)})`
const likeArray =
  (name: string): SqlWriter =>
  ({ sql: [x, list], args: [operand] }) =>
    `${name}(list_transform(bq_like_patterns(${list}, ${operand!.type.kind === 'BYTES' ? 'octet_length' : 'strlen'}(${x})), lambda pattern$: ${likeSql(x!, 'pattern$', null, operand!.type)}))`

const bits =
  (integerWriter: Binary, name: string): SqlWriter =>
  ({ sql: [a, b], args, type }) =>
    type.kind === 'BYTES' ? `${name}(${a}, ${b})` : integerWriter(a!, b!, { sql: [a!, b!], args, type })
const shift =
  (direction: 'left' | 'right'): SqlWriter =>
  ({ sql: [a, n], type }) =>
    `${type.kind === 'BYTES' ? 'bq_bytes_shift' : 'bq_shift'}_${direction}(${a}, ${n})`

/**
 * An index beyond the end gives NULL in DuckDB, too. So a constant index needs no test if it is neither before the first element nor too
 * large for DuckDB.
 */
const safeElement =
  (base: 0 | 1, name: string): SqlWriter =>
  ({ sql: [list, index], args: [, expr] }) => {
    const constant = expr?.kind === 'literal' && typeof expr.value === 'string' ? BigInt(expr.value) : null
    return constant !== null && constant >= base && constant < 2n ** 31n
      ? `list_extract(${list}, ${constant + 1n - BigInt(base)})`
      : `${name}(${list}, ${index})`
  }

/**
 * Whether DuckDB's own IS DISTINCT FROM can compare values of these types: for structs, the fields must have the same names.
 */
const isComparedByDuckdb = (a: Type, b: Type): boolean => a.kind !== 'INTERVAL' && duckdbType(a) === duckdbType(b)

export const OPERATOR_WRITERS: SqlWriters = {
  $add: add,
  $subtract: subtract,
  $multiply: multiply,
  $divide: divide,
  $negate: negate,
  $concat: concat,
  $eq: equal,
  $ne: notEqual,
  $lt: compare('<'),
  $le: compare('<='),
  $gt: compare('>'),
  $ge: compare('>='),
  $and: ({ sql }) => `(${sql.join(' AND ')})`,
  $or: ({ sql }) => `(${sql.join(' OR ')})`,
  $not: ({ sql: [x] }) => `(NOT ${x})`,
  $bitand: bits(infix('&'), 'bq_bytes_and'),
  $bitor: bits(infix('|'), 'bq_bytes_or'),
  $bitxor: bits(macro('xor'), 'bq_bytes_xor'),
  $bitnot: ({ sql: [x], type }) => (type.kind === 'BYTES' ? `bq_bytes_not(${x})` : `(~${x})`),
  $shift_left: shift('left'),
  $shift_right: shift('right'),
  $is_null: ({ sql: [x] }) => `(${x} IS NULL)`,
  $is_true: ({ sql: [x] }) => `(${x} IS TRUE)`,
  $is_false: ({ sql: [x] }) => `(${x} IS FALSE)`,
  $is_distinct: call => {
    const [left, right] = [operandAt(call, 0), operandAt(call, 1)]
    return isComparedByDuckdb(left.type, right.type)
      ? `(${left.sql} IS DISTINCT FROM ${right.sql})`
      : distinctSql(left, right)
  },
  $between: between,
  $in: isIn,
  $in_array: heavyOperator(isInArray),
  $like: heavyOperator(like),
  $like_any: heavyOperator(likeList(' OR ')),
  $like_all: heavyOperator(likeList(' AND ')),
  $like_any_array: likeArray('bq_any_of'),
  $like_all_array: likeArray('bq_all_of'),
  $array_at_offset: ofElements(recast(({ sql: [list, index] }) => `bq_array_at_offset(${list}, ${index})`)),
  $array_at_ordinal: ofElements(recast(({ sql: [list, index] }) => `bq_array_at_ordinal(${list}, ${index})`)),
  $safe_array_at_offset: ofElements(recast(safeElement(0, 'bq_safe_array_at_offset'))),
  $safe_array_at_ordinal: ofElements(recast(safeElement(1, 'bq_safe_array_at_ordinal'))),
}
