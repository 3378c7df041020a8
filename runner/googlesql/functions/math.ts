/** Mathematical functions. */
import { beyondBigQuery, type FunctionEntry } from './catalogue.js'

const math = (name: string, signatures: readonly string[], more: Partial<FunctionEntry> = {}): FunctionEntry => ({
  name,
  kind: 'scalar',
  signatures,
  documentation: `mathematical_functions#${name.toLowerCase()}`,
  ...more,
})

const same = (types: readonly string[], width = 1): string[] =>
  types.map(type => `(${Array.from({ length: width }, () => type).join(', ')}) -> ${type}`)

const DECIMALS = ['NUMERIC', 'BIGNUMERIC']
const REALS = [...DECIMALS, 'FLOAT64']
const NUMBERS = ['INT64', ...REALS]

/** With a rounding mode, a STRING, for decimals only. */
const rounded = REALS.flatMap(type =>
  type === 'FLOAT64' ? [`(FLOAT64, [INT64]) -> FLOAT64`] : [`(${type}, [INT64, STRING]) -> ${type}`],
)
const truncated = REALS.map(type => `(${type}, [INT64]) -> ${type}`)

const FLOAT_FUNCTIONS = [
  'ACOS',
  'ACOSH',
  'ASIN',
  'ASINH',
  'ATAN',
  'ATANH',
  'CBRT',
  'COS',
  'COSH',
  'COT',
  'COTH',
  'CSC',
  'CSCH',
  'SEC',
  'SECH',
  'SIN',
  'SINH',
  'TAN',
  'TANH',
]
const VECTORS = ['(ARRAY<FLOAT64>, ARRAY<FLOAT64>) -> FLOAT64']

export const MATH_FUNCTIONS: readonly FunctionEntry[] = [
  math('ABS', same(NUMBERS)),
  math('SIGN', same(NUMBERS)),
  math('IS_INF', ['(FLOAT64) -> BOOL']),
  math('IS_NAN', ['(FLOAT64) -> BOOL']),
  math('IEEE_DIVIDE', same(['FLOAT64'], 2)),
  math('RAND', ['() -> FLOAT64']),
  beyondBigQuery(math('PI', ['() -> FLOAT64'])),
  beyondBigQuery(math('PI_NUMERIC', ['() -> NUMERIC'])),
  math('SQRT', same(REALS)),
  math('POW', same(REALS, 2), { aliases: ['POWER'] }),
  math('EXP', same(REALS)),
  math('LN', same(REALS)),
  math('LOG', [...REALS.map(type => `(${type}, [${type}]) -> ${type}`)]),
  math('LOG10', same(REALS)),
  math('DIV', same(['INT64', ...DECIMALS], 2)),
  math('MOD', same(['INT64', ...DECIMALS], 2)),
  math('SAFE_ADD', same(NUMBERS, 2)),
  math('SAFE_SUBTRACT', same(NUMBERS, 2)),
  math('SAFE_MULTIPLY', same(NUMBERS, 2)),
  math('SAFE_NEGATE', same(NUMBERS)),
  math('SAFE_DIVIDE', same(['FLOAT64', ...DECIMALS], 2)),
  math('ROUND', rounded),
  math('TRUNC', truncated),
  math('CEIL', same(REALS), { aliases: ['CEILING'] }),
  math('FLOOR', same(REALS)),
  ...FLOAT_FUNCTIONS.map(name => math(name, same(['FLOAT64']))),
  math('ATAN2', same(['FLOAT64'], 2)),
  math('COSINE_DISTANCE', VECTORS),
  math('EUCLIDEAN_DISTANCE', VECTORS),
]
