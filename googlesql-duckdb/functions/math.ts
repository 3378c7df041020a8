/** DuckDB SQL of mathematical functions, BIT_COUNT, and the functions that read decimals. */
import type { Expr } from '../../googlesql/plan/nodes.js'
import { type Type, typeName } from '../../googlesql/types/types.js'
import { callTo, type SqlWriter, SqlWriterError, type SqlWriters, tryWriter, type WriterCall } from './function-sql.js'

const DECIMAL = 'DECIMAL(38,9)'

const isDecimal = (type: Type): boolean => type.kind === 'NUMERIC' || type.kind === 'BIGNUMERIC'
const asText = (sql: string): string => `CAST(${sql} AS VARCHAR)`
const asDecimal = (sql: string): string => `CAST(${sql} AS ${DECIMAL})`

/** A function of FLOAT64. BigQuery has it for NUMERIC, too; that is refused, since DuckDB's result would not be exact. */
const floatOnly =
  (name: string, writer: SqlWriter): SqlWriter =>
  call => {
    if (call.type.kind === 'FLOAT64') return writer(call)
    throw new SqlWriterError(`${name} of ${typeName(call.type)} is not supported by the embedded engine`)
  }

/** A trigonometric function: NaN for an infinite argument, for which DuckDB raises an error. */
const periodicFunction =
  (sql: string): SqlWriter =>
  ({ sql: [x] }) =>
    `(CASE WHEN isinf(${x}) THEN 'nan'::DOUBLE ELSE ${sql.replaceAll('x', x!)} END)`

/**
 * A function whose result is checked: `bq_checked_float` raises an error where the result is not finite and the argument is finite.
 */
const checkedFunction =
  (name: string, write: (x: string) => string, kind = 'error'): SqlWriter =>
  ({ sql: [x] }) =>
    `bq_checked_float('${kind}', '${name}', ${x}, ${write(x!)})`

/** A function with a domain: outside it, DuckDB would raise an error of its own. */
const inDomain =
  (name: string, domain: (x: string) => string): SqlWriter =>
  ({ sql: [x] }) =>
    `(CASE WHEN ${domain(x!)} THEN ${name.toLowerCase()}(${x}) ELSE bq_checked_float('error', '${name}', ${x}, 'nan'::DOUBLE) END)`

const BIGNUMERIC_OPERATORS = { '+': 'add', '-': 'subtract', '*': 'multiply' }

const safeOperator =
  (operator: keyof typeof BIGNUMERIC_OPERATORS): SqlWriter =>
  ({ sql: [x, y], type }) => {
    if (type.kind === 'FLOAT64') return `bq_float_steps('0 1 safe${operator}', [${x}, ${y}])`
    if (type.kind === 'INT64') return `TRY(${x} ${operator} ${y})`
    if (type.kind === 'BIGNUMERIC') return `TRY(bq_bignumeric_${BIGNUMERIC_OPERATORS[operator]}(${x}, ${y}))`
    if (operator !== '*') return `TRY(${asDecimal(`${x} ${operator} ${y}`)})`
    return `TRY(${asDecimal(`bq_multiply_decimals(${asText(x!)}, ${asText(y!)})`)})`
  }

const safeDivide: SqlWriter = ({ sql: [x, y], type }) => {
  if (type.kind === 'FLOAT64') return `bq_float_steps('0 1 safe/', [${x}, ${y}])`
  if (type.kind === 'BIGNUMERIC') return `TRY(bq_bignumeric_divide(${x}, ${y}))`
  return `(CASE WHEN ${y} <> 0 THEN TRY(${asDecimal(`bq_divide_decimals(${asText(x!)}, ${asText(y!)})`)}) END)`
}

/** A writer that calls a scalar function with the same arguments for BIGNUMERIC; `otherwise` is the writer for the other types. */
const withBignumeric =
  (name: string, otherwise: SqlWriter): SqlWriter =>
  call =>
    call.type.kind === 'BIGNUMERIC' ? `bq_bignumeric_${name}(${call.sql.join(', ')})` : otherwise(call)

const divide: SqlWriter = ({ sql: [x, y], type }) =>
  type.kind === 'INT64' ? `bq_div_int64(${x}, ${y})` : asDecimal(`bq_numeric_div(${asText(x!)}, ${asText(y!)})`)

const modulo: SqlWriter = ({ sql: [x, y], type }) =>
  type.kind === 'INT64' ? `bq_mod_int64(${x}, ${y})` : `bq_mod_numeric(${x}, ${y})`

/** A small literal number of digits, which needs no range check; 0 without an expression, null for any other expression. */
export function digitsOf(expr: Expr | null | undefined): number | null {
  if (!expr) return 0
  if (expr.kind !== 'literal' || expr.value === null) return null
  const digits = Number(expr.value)
  return digits >= 0 && digits <= 9 ? digits : null
}

const round: SqlWriter = call => {
  const [x, digits, mode] = call.sql
  const literal = digitsOf(call.args[1])
  if (isDecimal(call.type)) {
    if (!mode && literal !== null && call.type.kind === 'NUMERIC') return asDecimal(`round(${x}, ${literal})`)
    const roundingSql = `${digits ?? '0::BIGINT'}, ${mode ?? "'ROUND_HALF_AWAY_FROM_ZERO'"}`
    if (call.type.kind === 'BIGNUMERIC') return `bq_bignumeric_round(${x}, ${roundingSql})`
    return asDecimal(`bq_numeric_round(${asText(x!)}, ${roundingSql})`)
  }
  if (!digits) return `round(${x})`
  return literal === null ? `bq_round_double(${x}, ${digits})` : roundedSql('ROUND', x!, x!, literal)
}

/**
 * ROUND or TRUNC of a FLOAT64 `x`. `xOrError` is SQL with the same value that raises an error where x is not finite because its
 * calculation failed.
 */
export const roundedSql = (name: 'ROUND' | 'TRUNC', x: string, xOrError: string, digits: number): string =>
  `bq_${name.toLowerCase()}_float64(${x}, ${xOrError}, ${digits}, ${10 ** digits}::DOUBLE)`

const truncate: SqlWriter = call => {
  const [x, digits] = call.sql
  const literal = digitsOf(call.args[1])
  if (call.type.kind === 'BIGNUMERIC') return `bq_bignumeric_trunc(${x}, ${digits ?? '0::BIGINT'})`
  if (isDecimal(call.type))
    return digits ? asDecimal(`bq_numeric_round(${asText(x!)}, ${digits}, 'TRUNC')`) : asDecimal(`trunc(${x})`)
  if (!digits) return `trunc(${x})`
  return literal === null ? `bq_trunc_double(${x}, ${digits})` : roundedSql('TRUNC', x!, x!, literal)
}

const wholeNumber =
  (name: string): SqlWriter =>
  ({ sql: [x], type }) =>
    type.kind === 'NUMERIC' ? asDecimal(`${name}(${x})`) : `${name}(${x})`

const power: SqlWriter = ({ sql: [x, y], type }) => {
  if (type.kind === 'FLOAT64') return `bq_pow(${x}, ${y})`
  if (type.kind === 'NUMERIC') return asDecimal(`bq_numeric_power(${asText(x!)}, ${asText(y!)})`)
  throw new SqlWriterError('POW of BIGNUMERIC is not supported by the embedded engine')
}

const squareRoot: SqlWriter = ({ sql: [x], type }) => {
  if (type.kind === 'FLOAT64') return `bq_sqrt(${x})`
  return asDecimal(`bq_numeric_sqrt(${asText(x!)})`)
}

const sign = ({ sql: [x], type }: WriterCall): string => {
  if (type.kind === 'FLOAT64') return `(CASE WHEN isnan(${x}) THEN ${x} ELSE CAST(sign(${x}) AS DOUBLE) END)`
  return `CAST(sign(${x}) AS ${isDecimal(type) ? DECIMAL : 'BIGINT'})`
}

export const MATH_WRITERS: SqlWriters = {
  ABS: withBignumeric('abs', ({ sql: [x], type }) => (type.kind === 'INT64' ? `bq_abs_int64(${x})` : `abs(${x})`)),
  SIGN: withBignumeric('sign', sign),
  IS_INF: callTo('isinf'),
  IS_NAN: callTo('isnan'),
  IEEE_DIVIDE: ({ sql: [x, y] }) => `(${x} / ${y})`,
  RAND: () => 'random()',
  PI: () => 'pi()',
  PI_NUMERIC: () => `3.141592654::${DECIMAL}`,
  SQRT: withBignumeric('sqrt', squareRoot),
  POW: power,
  EXP: floatOnly(
    'EXP',
    checkedFunction('EXP', x => `exp(${x})`),
  ),
  LN: floatOnly('LN', callTo('bq_ln')),
  LOG: floatOnly('LOG', call => (call.sql[1] ? `bq_log(${call.sql.join(', ')})` : `bq_ln(${call.sql[0]})`)),
  LOG10: floatOnly('LOG10', callTo('bq_log10')),
  DIV: withBignumeric('div', divide),
  MOD: withBignumeric('mod', modulo),
  SAFE_ADD: tryWriter(safeOperator('+')),
  SAFE_SUBTRACT: tryWriter(safeOperator('-')),
  SAFE_MULTIPLY: tryWriter(safeOperator('*')),
  SAFE_NEGATE: tryWriter(({ sql: [x], type }) => {
    if (type.kind === 'BIGNUMERIC') return `TRY(bq_bignumeric_negate(${x}))`
    return type.kind === 'INT64' ? `TRY(-${x})` : `(-${x})`
  }),
  SAFE_DIVIDE: tryWriter(safeDivide),
  ROUND: round,
  TRUNC: truncate,
  CEIL: withBignumeric('ceil', wholeNumber('ceil')),
  FLOOR: withBignumeric('floor', wholeNumber('floor')),
  ACOS: inDomain('ACOS', x => `abs(${x}) <= 1`),
  ASIN: inDomain('ASIN', x => `abs(${x}) <= 1`),
  ACOSH: inDomain('ACOSH', x => `${x} >= 1 AND NOT isnan(${x})`),
  ATANH: inDomain('ATANH', x => `abs(${x}) < 1`),
  ASINH: callTo('asinh'),
  ATAN: callTo('atan'),
  ATAN2: callTo('atan2'),
  CBRT: callTo('bq_cbrt'),
  COS: periodicFunction('cos(x)'),
  SIN: periodicFunction('sin(x)'),
  TAN: periodicFunction('tan(x)'),
  SEC: periodicFunction('1 / cos(x)'),
  CSC: checkedFunction('CSC', x => `(CASE WHEN isinf(${x}) THEN 'nan'::DOUBLE ELSE 1 / sin(${x}) END)`),
  COT: checkedFunction('COT', x => `(CASE WHEN isinf(${x}) THEN 'nan'::DOUBLE ELSE 1 / tan(${x}) END)`),
  COSH: checkedFunction('COSH', x => `cosh(${x})`, 'overflow'),
  SINH: checkedFunction('SINH', x => `sinh(${x})`, 'overflow'),
  TANH: callTo('tanh'),
  SECH: ({ sql: [x] }) => `(1 / cosh(${x}))`,
  CSCH: checkedFunction('CSCH', x => `(1 / sinh(${x}))`),
  COTH: checkedFunction('COTH', x => `(1 / tanh(${x}))`),
  COSINE_DISTANCE: callTo('bq_cosine_distance'),
  EUCLIDEAN_DISTANCE: callTo('bq_euclidean_distance'),
  BIT_COUNT: ({ sql: [x], args }) =>
    args[0]!.type.kind === 'BYTES' ? `bq_bit_count_bytes(${x})` : `CAST(bit_count(${x}) AS BIGINT)`,
  PARSE_NUMERIC: ({ sql: [text] }) => asDecimal(`bq_parse_numeric(${text})`),
  PARSE_BIGNUMERIC: callTo('bq_bignumeric_parse'),
}
