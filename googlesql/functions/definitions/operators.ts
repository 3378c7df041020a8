/** The operators of the language as functions. Their names begin with `$`; messages show the symbol instead. */

import { mayCast } from '../../types/cast-rules.js'
import { isRangeKind, STRING, sameType, shortTypeName, type Type, typeName } from '../../types/types.js'
import {
  type Args,
  CAN_FAIL,
  type CanFail,
  each,
  type FunctionEntry,
  functionsOf,
  NEVER_FAILS,
  NUMBERS,
  TEXTS,
} from '../catalogue.js'
import { COMPARISON, ELEMENT, MEMBERSHIP, NEVER_NULL, NULL_FROM_NULL, UNKNOWN } from '../result-facts.js'

/** The symbol that authors write, by the operator's name in the catalogue. */
export const OPERATOR_SYMBOLS: Readonly<Record<string, string>> = {
  $add: '+',
  $subtract: '-',
  $multiply: '*',
  $divide: '/',
  $negate: '-',
  $concat: '||',
  $eq: '=',
  $ne: '!=',
  $lt: '<',
  $le: '<=',
  $gt: '>',
  $ge: '>=',
  $and: 'AND',
  $or: 'OR',
  $not: 'NOT',
  $bitand: '&',
  $bitor: '|',
  $bitxor: '^',
  $bitnot: '~',
  $shift_left: '<<',
  $shift_right: '>>',
  $is_null: 'IS NULL',
  $is_true: 'IS TRUE',
  $is_false: 'IS FALSE',
  $is_distinct: 'IS DISTINCT FROM',
  $between: 'BETWEEN',
  $in: 'IN',
  $in_array: 'IN UNNEST',
  $like: 'LIKE',
  $like_any: 'LIKE ANY',
  $like_all: 'LIKE ALL',
  $like_any_array: 'LIKE ANY UNNEST',
  $like_all_array: 'LIKE ALL UNNEST',
  $array_at_offset: 'ARRAY[OFFSET()]',
  $array_at_ordinal: 'ARRAY[ORDINAL()]',
  $safe_array_at_offset: 'ARRAY[SAFE_OFFSET()]',
  $safe_array_at_ordinal: 'ARRAY[SAFE_ORDINAL()]',
  $subscript_json: 'JSON[]',
  $json_field: 'JSON.field',
}

const NUMBER_PAIRS = each(NUMBERS, '(#, #) -> #')

/** Whether `=` is defined for the type. */
export function isComparable(type: Type): boolean {
  if (type.kind === 'ARRAY') return isComparable(type.element)
  if (type.kind === 'JSON') return false
  return type.kind !== 'STRUCT' || type.fields.every(field => isComparable(field.type))
}

/** Whether GROUP BY and DISTINCT accept the type. */
export const isGroupable = (type: Type): boolean => isComparable(type)

/** Whether the type is FLOAT64, or its elements or fields are. */
export function hasFloat(type: Type): boolean {
  if (type.kind === 'ARRAY') return hasFloat(type.element)
  return type.kind === 'STRUCT' ? type.fields.some(field => hasFloat(field.type)) : type.kind === 'FLOAT64'
}

/** Whether the type's values have an order: `<`, ORDER BY, MIN, MAX. */
export function isOrderable(type: Type): boolean {
  return type.kind !== 'ARRAY' && type.kind !== 'JSON' && type.kind !== 'STRUCT'
}

/** Refuses arguments of a type for which the test fails. */
const checkType =
  (isDefined: (type: Type) => boolean, subject: string) =>
  (args: Args): string | null => {
    const type = args.find(arg => arg !== null)?.type
    return type && !isDefined(type) ? `${subject} is not defined for arguments of type ${shortTypeName(type)}` : null
  }
const grouping = checkType(isGroupable, 'Grouping')
const equality = checkType(isComparable, 'Equality')
const membership = checkType(isComparable, 'IN')
const order = (symbol: string) => checkType(isOrderable, symbol)

/** Refuses a function's argument at `index` if its type has no order. */
export const checkOrder =
  (name: string, index = 0) =>
  (args: Args): string | null => {
    const type = args[index]?.type
    return type && !isOrderable(type) ? `${name} is not defined for arguments of type ${typeName(type)}` : null
  }

/** `||`, like CONCAT, converts to STRING every type that can be cast to STRING, except BYTES. */
const concatenation = (args: Args): string | null => {
  const types = args.flatMap(arg => (arg ? [arg.type] : []))
  if (types.every(type => mayCast(type, STRING) && type.kind !== 'BYTES' && !isRangeKind(type.kind))) return null
  const [first] = types
  if (/^(?:BYTES|ARRAY)$/.test(first!.kind) && types.every(type => sameType(type, first!))) return null
  const supported = 'STRING || STRING; BYTES || BYTES; ARRAY || ARRAY'
  return `No matching signature for operator || for argument types: ${types.map(shortTypeName).join(', ')}. Supported signatures: ${supported}`
}

/** Bitwise operators fail for BYTES of different lengths. */
const bytesCanFail: CanFail = args => args[0]?.type.kind === 'BYTES'

/**
 * With a FLOAT64 literal of magnitude 1 or more as its divisor, a division cannot fail: it neither divides by zero nor
 * overflows.
 */
const divideCanFail: CanFail = ([, divisor]) =>
  divisor?.kind !== 'literal' || typeof divisor.value !== 'number' || !(Math.abs(divisor.value) >= 1)

/** A LIKE pattern that ends with an unescaped backslash is an error; a literal without a backslash at its end cannot fail. */
const likeCanFail: CanFail = ([, ...patterns]) =>
  patterns.some(
    pattern =>
      pattern?.kind !== 'literal' ||
      (pattern.value !== null && (typeof pattern.value !== 'string' || pattern.value.endsWith('\\'))),
  )

/** Defines the operators that a section of the documentation describes. */
const operatorsOf = (section: string) =>
  functionsOf('operators', { documentation: `operators#${section}`, allowsSafe: false })

const arithmetic = operatorsOf('arithmetic_operators')
const comparison = operatorsOf('comparison_operators')
const logical = operatorsOf('logical_operators')
const bitwise = operatorsOf('bitwise_operators')
const test = operatorsOf('is_operators')
const inOperator = operatorsOf('in_operators')
const likeSome = operatorsOf('like_operator_quantified')
const subscript = operatorsOf('array_subscript_operator')

export const OPERATORS: readonly FunctionEntry[] = [
  arithmetic('$add', CAN_FAIL, NULL_FROM_NULL, [
    ...NUMBER_PAIRS,
    '(DATE, INT64) -> DATE',
    '(INT64, DATE) -> DATE',
    // A STRING literal matches each of these signatures equally well, so the first one makes it a DATE.
    '(DATE, INTERVAL) -> DATETIME',
    '(INTERVAL, DATE) -> DATETIME',
    '(TIMESTAMP, INTERVAL) -> TIMESTAMP',
    '(INTERVAL, TIMESTAMP) -> TIMESTAMP',
    '(DATETIME, INTERVAL) -> DATETIME',
    '(INTERVAL, DATETIME) -> DATETIME',
    '(INTERVAL, INTERVAL) -> INTERVAL',
  ]),
  arithmetic('$subtract', CAN_FAIL, NULL_FROM_NULL, [
    ...NUMBER_PAIRS,
    '(DATE, INT64) -> DATE',
    '(DATE, DATE) -> INTERVAL',
    '(TIMESTAMP, TIMESTAMP) -> INTERVAL',
    '(DATETIME, DATETIME) -> INTERVAL',
    '(TIME, TIME) -> INTERVAL',
    '(DATE, INTERVAL) -> DATETIME',
    '(TIMESTAMP, INTERVAL) -> TIMESTAMP',
    '(DATETIME, INTERVAL) -> DATETIME',
    '(INTERVAL, INTERVAL) -> INTERVAL',
  ]),
  arithmetic('$multiply', CAN_FAIL, NULL_FROM_NULL, [
    ...NUMBER_PAIRS,
    '(INTERVAL, INT64) -> INTERVAL',
    '(INT64, INTERVAL) -> INTERVAL',
  ]),
  arithmetic('$divide', divideCanFail, NULL_FROM_NULL, [
    ...each(['FLOAT64', 'NUMERIC', 'BIGNUMERIC'], '(#, #) -> #'),
    '(INTERVAL, INT64) -> INTERVAL',
  ]),
  arithmetic('$negate', CAN_FAIL, NULL_FROM_NULL, each([...NUMBERS, 'INTERVAL'], '(#) -> #')),
  operatorsOf('concatenation_operator')(
    '$concat',
    NEVER_FAILS,
    NULL_FROM_NULL,
    [...each([...TEXTS, 'ARRAY<T>'], '(#, #) -> #'), '(ANY, ANY) -> STRING'],
    { check: concatenation },
  ),
  comparison('$eq', NEVER_FAILS, COMPARISON, ['(T, T) -> BOOL'], { check: equality }),
  comparison('$ne', NEVER_FAILS, COMPARISON, ['(T, T) -> BOOL'], { check: equality }),
  comparison('$lt', NEVER_FAILS, COMPARISON, ['(T, T) -> BOOL'], { check: order('Less than') }),
  comparison('$le', NEVER_FAILS, COMPARISON, ['(T, T) -> BOOL'], { check: order('Less than') }),
  comparison('$gt', NEVER_FAILS, COMPARISON, ['(T, T) -> BOOL'], { check: order('Greater than') }),
  comparison('$ge', NEVER_FAILS, COMPARISON, ['(T, T) -> BOOL'], { check: order('Greater than') }),
  logical('$and', NEVER_FAILS, NULL_FROM_NULL, ['(BOOL, BOOL) -> BOOL'], { evaluation: 'may-stop' }),
  logical('$or', NEVER_FAILS, NULL_FROM_NULL, ['(BOOL, BOOL) -> BOOL'], { evaluation: 'may-stop' }),
  logical('$not', NEVER_FAILS, NULL_FROM_NULL, ['(BOOL) -> BOOL']),
  bitwise('$bitand', bytesCanFail, UNKNOWN, ['(INT64, INT64) -> INT64', '(BYTES, BYTES) -> BYTES']),
  bitwise('$bitor', bytesCanFail, UNKNOWN, ['(INT64, INT64) -> INT64', '(BYTES, BYTES) -> BYTES']),
  bitwise('$bitxor', bytesCanFail, UNKNOWN, ['(INT64, INT64) -> INT64', '(BYTES, BYTES) -> BYTES']),
  bitwise('$bitnot', NEVER_FAILS, UNKNOWN, ['(INT64) -> INT64', '(BYTES) -> BYTES']),
  bitwise('$shift_left', CAN_FAIL, UNKNOWN, ['(INT64, INT64) -> INT64', '(BYTES, INT64) -> BYTES']),
  bitwise('$shift_right', CAN_FAIL, UNKNOWN, ['(INT64, INT64) -> INT64', '(BYTES, INT64) -> BYTES']),
  test('$is_null', NEVER_FAILS, NEVER_NULL, ['(ANY) -> BOOL']),
  test('$is_true', NEVER_FAILS, NEVER_NULL, ['(BOOL) -> BOOL']),
  test('$is_false', NEVER_FAILS, NEVER_NULL, ['(BOOL) -> BOOL']),
  operatorsOf('is_distinct')('$is_distinct', NEVER_FAILS, NEVER_NULL, ['(T, T) -> BOOL'], { check: grouping }),
  comparison('$between', NEVER_FAILS, MEMBERSHIP, ['(T, T, T) -> BOOL'], { check: order('BETWEEN') }),
  inOperator('$in', NEVER_FAILS, MEMBERSHIP, ['(T, T...) -> BOOL'], { check: membership }),
  inOperator('$in_array', NEVER_FAILS, UNKNOWN, ['(T, ARRAY<T>) -> BOOL'], { check: membership }),
  operatorsOf('like_operator')('$like', likeCanFail, COMPARISON, each(TEXTS, '(#, #) -> BOOL')),
  likeSome('$like_any', likeCanFail, UNKNOWN, ['(STRING, STRING...) -> BOOL', '(BYTES, BYTES...) -> BOOL']),
  likeSome('$like_all', likeCanFail, UNKNOWN, ['(STRING, STRING...) -> BOOL', '(BYTES, BYTES...) -> BOOL']),
  likeSome('$like_any_array', CAN_FAIL, UNKNOWN, ['(STRING, ARRAY<STRING>) -> BOOL', '(BYTES, ARRAY<BYTES>) -> BOOL']),
  likeSome('$like_all_array', CAN_FAIL, UNKNOWN, ['(STRING, ARRAY<STRING>) -> BOOL', '(BYTES, ARRAY<BYTES>) -> BOOL']),
  subscript('$array_at_offset', CAN_FAIL, ELEMENT, ['(ARRAY<T>, INT64) -> T']),
  subscript('$array_at_ordinal', CAN_FAIL, ELEMENT, ['(ARRAY<T>, INT64) -> T']),
  subscript('$safe_array_at_offset', NEVER_FAILS, UNKNOWN, ['(ARRAY<T>, INT64) -> T']),
  subscript('$safe_array_at_ordinal', NEVER_FAILS, UNKNOWN, ['(ARRAY<T>, INT64) -> T']),
  operatorsOf('json_subscript_operator')('$subscript_json', NEVER_FAILS, UNKNOWN, [
    '(JSON, INT64) -> JSON',
    '(JSON, STRING) -> JSON',
  ]),
  operatorsOf('field_access_operator')('$json_field', NEVER_FAILS, UNKNOWN, ['(JSON, STRING) -> JSON']),
]
