/** Array functions. */
import { isBareNull } from '../../plan/walk.js'
import { type ArrayType, typeName } from '../../types/types.js'
import {
  type Args,
  BEYOND_BIGQUERY,
  CAN_FAIL,
  type Check,
  canFailUnlessLiteral,
  each,
  type FunctionEntry,
  functionsOf,
  NEVER_FAILS,
  NUMBERS,
  REALS,
  TEXTS,
} from '../catalogue.js'
import { ELEMENT, ELEMENTS, SMALL_OR_NULL, UNKNOWN, WITHOUT_NULL } from '../result-facts.js'
import { isComparable, isOrderable } from './operators.js'

const array = functionsOf('array_functions')
const beyond = functionsOf('array_functions', BEYOND_BIGQUERY)

const needsOrder =
  (name: string): Check =>
  args => {
    const type = args[0]?.type
    const element = type?.kind === 'ARRAY' ? (type as ArrayType).element : null
    return element && !isOrderable(element) ? `${name} is not defined for arguments of type ${typeName(type!)}` : null
  }

const needsEquality =
  (name: string) =>
  ([array]: Args): string | null =>
    array?.type.kind === 'ARRAY' && !isComparable(array.type.element)
      ? `${name} cannot be used on argument of type ${typeName(array.type)} because the array's element type does not support equality`
      : null

/** Refuses an untyped NULL, although it could be coerced to an array. */
const needsArrays: Check = args =>
  args.some(isBareNull) ? 'The argument to ARRAY_CONCAT (or ARRAY_CONCAT_AGG) must be an array type but was NULL' : null

export const ARRAY_FUNCTIONS: readonly FunctionEntry[] = [
  array('ARRAY_LENGTH', NEVER_FAILS, SMALL_OR_NULL, ['(ARRAY<T>) -> INT64']),
  array('ARRAY_CONCAT', NEVER_FAILS, ELEMENTS, ['(ARRAY<T>...) -> ARRAY<T>'], { check: needsArrays }),
  array('ARRAY_REVERSE', NEVER_FAILS, ELEMENTS, ['(ARRAY<T>) -> ARRAY<T>']),
  array('ARRAY_TO_STRING', canFailUnlessLiteral(1), UNKNOWN, each(TEXTS, '(ARRAY<#>, #, [#]) -> #')),
  array('ARRAY_FIRST', CAN_FAIL, ELEMENT, ['(ARRAY<T>) -> T']),
  array('ARRAY_LAST', CAN_FAIL, ELEMENT, ['(ARRAY<T>) -> T']),
  array('ARRAY_SLICE', NEVER_FAILS, UNKNOWN, ['(ARRAY<T>, INT64, INT64) -> ARRAY<T>']),
  beyond('ARRAY_IS_DISTINCT', NEVER_FAILS, UNKNOWN, ['(ARRAY<T>) -> BOOL']),
  beyond('ARRAY_MIN', NEVER_FAILS, UNKNOWN, ['(ARRAY<T>) -> T'], { check: needsOrder('ARRAY_MIN') }),
  beyond('ARRAY_MAX', NEVER_FAILS, UNKNOWN, ['(ARRAY<T>) -> T'], { check: needsOrder('ARRAY_MAX') }),
  beyond('ARRAY_SUM', CAN_FAIL, UNKNOWN, each(NUMBERS, '(ARRAY<#>) -> #')),
  beyond('ARRAY_AVG', NEVER_FAILS, UNKNOWN, ['(ARRAY<INT64>) -> FLOAT64', ...each(REALS, '(ARRAY<#>) -> #')]),
  beyond('ARRAY_TRANSFORM', NEVER_FAILS, UNKNOWN, [
    '(ARRAY<T>, LAMBDA(T) -> U) -> ARRAY<U>',
    '(ARRAY<T>, LAMBDA(T, INT64) -> U) -> ARRAY<U>',
  ]),
  beyond('ARRAY_FILTER', NEVER_FAILS, UNKNOWN, [
    '(ARRAY<T>, LAMBDA(T) -> BOOL) -> ARRAY<T>',
    '(ARRAY<T>, LAMBDA(T, INT64) -> BOOL) -> ARRAY<T>',
  ]),
  beyond('ARRAY_INCLUDES', NEVER_FAILS, UNKNOWN, ['(ARRAY<T>, LAMBDA(T) -> BOOL) -> BOOL', '(ARRAY<T>, T) -> BOOL'], {
    check: args => (args[1]?.kind === 'lambda' ? null : needsEquality('ARRAY_INCLUDES')(args)),
  }),
  ...['ARRAY_INCLUDES_ANY', 'ARRAY_INCLUDES_ALL'].map(name =>
    beyond(name, NEVER_FAILS, UNKNOWN, ['(ARRAY<T>, ARRAY<T>) -> BOOL'], { check: needsEquality(name) }),
  ),
  array('GENERATE_ARRAY', CAN_FAIL, WITHOUT_NULL, each(NUMBERS, '(#, #, [#]) -> ARRAY<#>')),
  functionsOf('mathematical_functions')('RANGE_BUCKET', CAN_FAIL, UNKNOWN, ['(T, ARRAY<T>) -> INT64'], {
    check: ([point]) =>
      point && !isOrderable(point.type)
        ? `First argument to RANGE_BUCKET of type ${typeName(point.type)} does not support ordering`
        : null,
  }),
]
