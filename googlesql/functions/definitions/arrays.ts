/** Array functions. */
import type { Expr } from '../../plan/nodes.js'
import { isBareNull } from '../../plan/walk.js'
import { type ArrayType, typeName } from '../../types/types.js'
import { beyondBigQuery, CAN_FAIL, type CanFail, type FunctionEntry, NEVER_FAILS } from '../catalogue.js'
import { ELEMENT, ELEMENTS, type ResultFacts, SMALL_OR_NULL, UNKNOWN, WITHOUT_NULL } from '../result-facts.js'
import { isComparable, isOrderable } from './operators.js'

const array = (
  name: string,
  canFail: CanFail,
  result: ResultFacts,
  signatures: readonly string[],
  check?: FunctionEntry['check'],
): FunctionEntry => ({
  name,
  kind: 'scalar',
  canFail,
  volatility: 'immutable',
  evaluation: 'all',
  result,
  signatures,
  documentation: `array_functions#${name.toLowerCase()}`,
  ...(check ? { check } : {}),
})

const NUMBERS = ['INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64']

const needsOrder =
  (name: string): FunctionEntry['check'] =>
  args => {
    const type = args[0]?.type
    const element = type?.kind === 'ARRAY' ? (type as ArrayType).element : null
    return element && !isOrderable(element) ? `${name} is not defined for arguments of type ${typeName(type!)}` : null
  }

const needsEquality =
  (name: string) =>
  ([array]: readonly (Expr | null)[]): string | null =>
    array?.type.kind === 'ARRAY' && !isComparable(array.type.element)
      ? `${name} cannot be used on argument of type ${typeName(array.type)} because the array's element type does not support equality`
      : null

/** Refuses an untyped NULL, although it could be coerced to an array. */
const needsArrays: FunctionEntry['check'] = args =>
  args.some(arg => arg && isBareNull(arg))
    ? 'The argument to ARRAY_CONCAT (or ARRAY_CONCAT_AGG) must be an array type but was NULL'
    : null

export const ARRAY_FUNCTIONS: readonly FunctionEntry[] = [
  array('ARRAY_LENGTH', NEVER_FAILS, SMALL_OR_NULL, ['(ARRAY<T>) -> INT64']),
  array('ARRAY_CONCAT', NEVER_FAILS, ELEMENTS, ['(ARRAY<T>...) -> ARRAY<T>'], needsArrays),
  array('ARRAY_REVERSE', NEVER_FAILS, ELEMENTS, ['(ARRAY<T>) -> ARRAY<T>']),
  array('ARRAY_TO_STRING', NEVER_FAILS, UNKNOWN, [
    '(ARRAY<STRING>, STRING, [STRING]) -> STRING',
    '(ARRAY<BYTES>, BYTES, [BYTES]) -> BYTES',
  ]),
  array('ARRAY_FIRST', CAN_FAIL, ELEMENT, ['(ARRAY<T>) -> T']),
  array('ARRAY_LAST', CAN_FAIL, ELEMENT, ['(ARRAY<T>) -> T']),
  array('ARRAY_SLICE', NEVER_FAILS, UNKNOWN, ['(ARRAY<T>, INT64, INT64) -> ARRAY<T>']),
  beyondBigQuery(array('ARRAY_IS_DISTINCT', NEVER_FAILS, UNKNOWN, ['(ARRAY<T>) -> BOOL'])),
  beyondBigQuery(array('ARRAY_MIN', NEVER_FAILS, UNKNOWN, ['(ARRAY<T>) -> T'], needsOrder('ARRAY_MIN'))),
  beyondBigQuery(array('ARRAY_MAX', NEVER_FAILS, UNKNOWN, ['(ARRAY<T>) -> T'], needsOrder('ARRAY_MAX'))),
  beyondBigQuery(
    array(
      'ARRAY_SUM',
      CAN_FAIL,
      UNKNOWN,
      NUMBERS.map(type => `(ARRAY<${type}>) -> ${type}`),
    ),
  ),
  beyondBigQuery(
    array('ARRAY_AVG', NEVER_FAILS, UNKNOWN, [
      '(ARRAY<INT64>) -> FLOAT64',
      '(ARRAY<NUMERIC>) -> NUMERIC',
      '(ARRAY<BIGNUMERIC>) -> BIGNUMERIC',
      '(ARRAY<FLOAT64>) -> FLOAT64',
    ]),
  ),
  beyondBigQuery(
    array('ARRAY_TRANSFORM', NEVER_FAILS, UNKNOWN, [
      '(ARRAY<T>, LAMBDA(T) -> U) -> ARRAY<U>',
      '(ARRAY<T>, LAMBDA(T, INT64) -> U) -> ARRAY<U>',
    ]),
  ),
  beyondBigQuery(
    array('ARRAY_FILTER', NEVER_FAILS, UNKNOWN, [
      '(ARRAY<T>, LAMBDA(T) -> BOOL) -> ARRAY<T>',
      '(ARRAY<T>, LAMBDA(T, INT64) -> BOOL) -> ARRAY<T>',
    ]),
  ),
  beyondBigQuery(
    array(
      'ARRAY_INCLUDES',
      NEVER_FAILS,
      UNKNOWN,
      ['(ARRAY<T>, LAMBDA(T) -> BOOL) -> BOOL', '(ARRAY<T>, T) -> BOOL'],
      args => (args[1]?.kind === 'lambda' ? null : needsEquality('ARRAY_INCLUDES')(args)),
    ),
  ),
  beyondBigQuery(
    array(
      'ARRAY_INCLUDES_ANY',
      NEVER_FAILS,
      UNKNOWN,
      ['(ARRAY<T>, ARRAY<T>) -> BOOL'],
      needsEquality('ARRAY_INCLUDES_ANY'),
    ),
  ),
  beyondBigQuery(
    array(
      'ARRAY_INCLUDES_ALL',
      NEVER_FAILS,
      UNKNOWN,
      ['(ARRAY<T>, ARRAY<T>) -> BOOL'],
      needsEquality('ARRAY_INCLUDES_ALL'),
    ),
  ),
  array('GENERATE_ARRAY', CAN_FAIL, WITHOUT_NULL, [
    '(INT64, INT64, [INT64]) -> ARRAY<INT64>',
    '(NUMERIC, NUMERIC, [NUMERIC]) -> ARRAY<NUMERIC>',
    '(BIGNUMERIC, BIGNUMERIC, [BIGNUMERIC]) -> ARRAY<BIGNUMERIC>',
    '(FLOAT64, FLOAT64, [FLOAT64]) -> ARRAY<FLOAT64>',
  ]),
  {
    name: 'RANGE_BUCKET',
    kind: 'scalar',
    canFail: CAN_FAIL,
    volatility: 'immutable',
    evaluation: 'all',
    result: UNKNOWN,
    signatures: ['(T, ARRAY<T>) -> INT64'],
    documentation: 'mathematical_functions#range_bucket',
    check: ([point]) =>
      point && !isOrderable(point.type)
        ? `First argument to RANGE_BUCKET of type ${typeName(point.type)} does not support ordering`
        : null,
  },
]
