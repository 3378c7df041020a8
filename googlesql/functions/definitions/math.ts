/** Mathematical functions, BIT_COUNT, and the functions that read decimals. */
import {
  BEYOND_BIGQUERY,
  CAN_FAIL,
  each,
  type FunctionEntry,
  functionsOf,
  NEVER_FAILS,
  NUMBERS,
  REALS,
} from '../catalogue.js'
import { NEVER_NULL, NULL_FROM_NULL, SMALL_AS_ARGUMENT, SMALL_INTEGER, UNKNOWN } from '../result-facts.js'

const math = functionsOf('mathematical_functions')
const beyond = functionsOf('mathematical_functions', BEYOND_BIGQUERY)
const conversion = functionsOf('conversion_functions')

const DECIMALS = ['NUMERIC', 'BIGNUMERIC']
const ALONE = '(#) -> #'
const PAIR = '(#, #) -> #'

/** The signatures of ROUND: only those of decimals take a rounding mode, a STRING. */
const ROUND_SIGNATURES = [...each(DECIMALS, '(#, [INT64, STRING]) -> #'), '(FLOAT64, [INT64]) -> FLOAT64']
const TRUNC_SIGNATURES = each(REALS, '(#, [INT64]) -> #')

/** The functions of one FLOAT64. Most can fail: outside their domain, or where the result is infinite. */
const FLOAT_FUNCTIONS =
  'ACOS ACOSH ASIN ASINH ATAN ATANH CBRT COS COSH COT COTH CSC CSCH SEC SECH SIN SINH TAN TANH'.split(' ')
const INFALLIBLE: ReadonlySet<string> = new Set('ASINH ATAN CBRT COS SEC SECH SIN TAN TANH'.split(' '))
const VECTORS = ['(ARRAY<FLOAT64>, ARRAY<FLOAT64>) -> FLOAT64']

export const MATH_FUNCTIONS: readonly FunctionEntry[] = [
  math('ABS', CAN_FAIL, SMALL_AS_ARGUMENT, each(NUMBERS, ALONE)),
  math('SIGN', NEVER_FAILS, SMALL_INTEGER, each(NUMBERS, ALONE)),
  math('IS_INF', NEVER_FAILS, UNKNOWN, ['(FLOAT64) -> BOOL']),
  math('IS_NAN', NEVER_FAILS, UNKNOWN, ['(FLOAT64) -> BOOL']),
  math('IEEE_DIVIDE', NEVER_FAILS, NULL_FROM_NULL, each(['FLOAT64'], PAIR)),
  math('RAND', NEVER_FAILS, NEVER_NULL, ['() -> FLOAT64'], { volatility: 'volatile' }),
  beyond('PI', NEVER_FAILS, NEVER_NULL, ['() -> FLOAT64']),
  beyond('PI_NUMERIC', NEVER_FAILS, UNKNOWN, ['() -> NUMERIC']),
  math('SQRT', CAN_FAIL, NULL_FROM_NULL, each(REALS, ALONE)),
  math('POW', CAN_FAIL, NULL_FROM_NULL, each(REALS, PAIR), { aliases: ['POWER'] }),
  math('EXP', CAN_FAIL, NULL_FROM_NULL, each(REALS, ALONE)),
  math('LN', CAN_FAIL, NULL_FROM_NULL, each(REALS, ALONE)),
  math('LOG', CAN_FAIL, NULL_FROM_NULL, each(REALS, '(#, [#]) -> #')),
  math('LOG10', CAN_FAIL, NULL_FROM_NULL, each(REALS, ALONE)),
  math('DIV', CAN_FAIL, NULL_FROM_NULL, each(['INT64', ...DECIMALS], PAIR)),
  math('MOD', CAN_FAIL, NULL_FROM_NULL, each(['INT64', ...DECIMALS], PAIR)),
  math('SAFE_ADD', NEVER_FAILS, UNKNOWN, each(NUMBERS, PAIR)),
  math('SAFE_SUBTRACT', NEVER_FAILS, UNKNOWN, each(NUMBERS, PAIR)),
  math('SAFE_MULTIPLY', NEVER_FAILS, UNKNOWN, each(NUMBERS, PAIR)),
  math('SAFE_NEGATE', NEVER_FAILS, UNKNOWN, each(NUMBERS, ALONE)),
  math('SAFE_DIVIDE', NEVER_FAILS, UNKNOWN, each(['FLOAT64', ...DECIMALS], PAIR)),
  math('ROUND', CAN_FAIL, NULL_FROM_NULL, ROUND_SIGNATURES),
  math('TRUNC', NEVER_FAILS, NULL_FROM_NULL, TRUNC_SIGNATURES),
  math('CEIL', CAN_FAIL, NULL_FROM_NULL, each(REALS, ALONE), { aliases: ['CEILING'] }),
  math('FLOOR', CAN_FAIL, NULL_FROM_NULL, each(REALS, ALONE)),
  ...FLOAT_FUNCTIONS.map(name =>
    math(name, INFALLIBLE.has(name) ? NEVER_FAILS : CAN_FAIL, UNKNOWN, each(['FLOAT64'], ALONE)),
  ),
  math('ATAN2', NEVER_FAILS, UNKNOWN, each(['FLOAT64'], PAIR)),
  math('COSINE_DISTANCE', CAN_FAIL, UNKNOWN, VECTORS),
  math('EUCLIDEAN_DISTANCE', CAN_FAIL, UNKNOWN, VECTORS),
  functionsOf('bit_functions')('BIT_COUNT', NEVER_FAILS, UNKNOWN, ['(INT64) -> INT64', '(BYTES) -> INT64']),
  conversion('PARSE_NUMERIC', CAN_FAIL, UNKNOWN, ['(STRING) -> NUMERIC']),
  conversion('PARSE_BIGNUMERIC', CAN_FAIL, UNKNOWN, ['(STRING) -> BIGNUMERIC']),
]
