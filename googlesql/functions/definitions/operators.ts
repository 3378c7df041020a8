/** The operators of the language as functions. Their names begin with `$`; messages show the symbol instead. */

import type { Expr } from '../../plan/nodes.js'
import { mayCast } from '../../types/cast-rules.js'
import { isRangeKind, STRING, shortTypeName, type Type } from '../../types/types.js'
import { CAN_FAIL, type CanFail, type FunctionEntry, NEVER_FAILS } from '../catalogue.js'
import {
  COMPARISON,
  ELEMENT,
  MEMBERSHIP,
  NEVER_NULL,
  NULL_FROM_NULL,
  type ResultFacts,
  UNKNOWN,
} from '../result-facts.js'

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

const NUMBERS = [
  '(INT64, INT64) -> INT64',
  '(NUMERIC, NUMERIC) -> NUMERIC',
  '(BIGNUMERIC, BIGNUMERIC) -> BIGNUMERIC',
  '(FLOAT64, FLOAT64) -> FLOAT64',
]

const firstType = (args: readonly (Expr | null)[]): Type | null => args.find(arg => arg !== null)?.type ?? null

/** Whether `=` is defined for the type. */
export function isComparable(type: Type): boolean {
  if (type.kind === 'ARRAY') return isComparable(type.element)
  if (type.kind === 'JSON') return false
  return type.kind !== 'STRUCT' || type.fields.every(field => isComparable(field.type))
}

/** Whether GROUP BY and DISTINCT accept the type. */
export function isGroupable(type: Type): boolean {
  return isComparable(type)
}

/** Whether the type's values have an order: `<`, ORDER BY, MIN, MAX. */
export function isOrderable(type: Type): boolean {
  return type.kind !== 'ARRAY' && type.kind !== 'JSON' && type.kind !== 'STRUCT'
}

const grouping = (args: readonly (Expr | null)[]): string | null => {
  const type = firstType(args)
  return type && !isGroupable(type) ? `Grouping is not defined for arguments of type ${shortTypeName(type)}` : null
}

const equality = (args: readonly (Expr | null)[]): string | null => {
  const type = firstType(args)
  return type && !isComparable(type) ? `Equality is not defined for arguments of type ${shortTypeName(type)}` : null
}
const membership = (args: readonly (Expr | null)[]): string | null => {
  const type = firstType(args)
  return type && !isComparable(type) ? `IN is not defined for arguments of type ${shortTypeName(type)}` : null
}
const order =
  (symbol: string) =>
  (args: readonly (Expr | null)[]): string | null => {
    const type = firstType(args)
    return type && !isOrderable(type) ? `${symbol} is not defined for arguments of type ${shortTypeName(type)}` : null
  }

/** `||`, like CONCAT, converts to STRING every type that can be cast to STRING, except BYTES. */
const concatenation = (args: readonly (Expr | null)[]): string | null => {
  const types = args.flatMap(arg => (arg ? [arg.type] : []))
  if (types.every(type => mayCast(type, STRING) && type.kind !== 'BYTES' && !isRangeKind(type.kind))) return null
  if (types.every(type => type.kind === 'BYTES') || types.every(type => type.kind === 'ARRAY')) return null
  const supported = 'STRING || STRING; BYTES || BYTES; ARRAY || ARRAY'
  return `No matching signature for operator || for argument types: ${types.map(shortTypeName).join(', ')}. Supported signatures: ${supported}`
}

/** Bitwise operators fail for BYTES of different lengths. */
const ofBytes: CanFail = args => args[0]?.type.kind === 'BYTES'

/**
 * With a FLOAT64 literal of magnitude 1 or more as its divisor, a division cannot fail: it neither divides by zero nor
 * overflows.
 */
const dividing: CanFail = ([, divisor]) =>
  divisor?.kind !== 'literal' || typeof divisor.value !== 'number' || !(Math.abs(divisor.value) >= 1)

/** A LIKE pattern that ends with an unescaped backslash is an error; a literal that does not end with one cannot fail. */
const matching: CanFail = ([, ...patterns]) =>
  patterns.some(
    pattern =>
      pattern?.kind !== 'literal' ||
      (pattern.value !== null && (typeof pattern.value !== 'string' || pattern.value.endsWith('\\'))),
  )

const operator = (
  name: string,
  canFail: CanFail,
  result: ResultFacts,
  signatures: readonly string[],
  section: string,
  check?: (args: readonly (Expr | null)[]) => string | null,
): FunctionEntry => ({
  name,
  kind: 'scalar',
  canFail,
  volatility: 'immutable',
  evaluation: 'all',
  result,
  signatures,
  documentation: `operators#${section}`,
  allowsSafe: false,
  ...(check ? { check } : {}),
})

export const OPERATORS: readonly FunctionEntry[] = [
  operator(
    '$add',
    CAN_FAIL,
    NULL_FROM_NULL,
    [
      ...NUMBERS,
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
    ],
    'arithmetic_operators',
  ),
  operator(
    '$subtract',
    CAN_FAIL,
    NULL_FROM_NULL,
    [
      ...NUMBERS,
      '(DATE, INT64) -> DATE',
      '(DATE, DATE) -> INTERVAL',
      '(TIMESTAMP, TIMESTAMP) -> INTERVAL',
      '(DATETIME, DATETIME) -> INTERVAL',
      '(TIME, TIME) -> INTERVAL',
      '(DATE, INTERVAL) -> DATETIME',
      '(TIMESTAMP, INTERVAL) -> TIMESTAMP',
      '(DATETIME, INTERVAL) -> DATETIME',
      '(INTERVAL, INTERVAL) -> INTERVAL',
    ],
    'arithmetic_operators',
  ),
  operator(
    '$multiply',
    CAN_FAIL,
    NULL_FROM_NULL,
    [...NUMBERS, '(INTERVAL, INT64) -> INTERVAL', '(INT64, INTERVAL) -> INTERVAL'],
    'arithmetic_operators',
  ),
  operator(
    '$divide',
    dividing,
    NULL_FROM_NULL,
    [
      '(FLOAT64, FLOAT64) -> FLOAT64',
      '(NUMERIC, NUMERIC) -> NUMERIC',
      '(BIGNUMERIC, BIGNUMERIC) -> BIGNUMERIC',
      '(INTERVAL, INT64) -> INTERVAL',
    ],
    'arithmetic_operators',
  ),
  operator(
    '$negate',
    CAN_FAIL,
    NULL_FROM_NULL,
    [
      '(INT64) -> INT64',
      '(NUMERIC) -> NUMERIC',
      '(BIGNUMERIC) -> BIGNUMERIC',
      '(FLOAT64) -> FLOAT64',
      '(INTERVAL) -> INTERVAL',
    ],
    'arithmetic_operators',
  ),
  operator(
    '$concat',
    NEVER_FAILS,
    NULL_FROM_NULL,
    [
      '(STRING, STRING) -> STRING',
      '(BYTES, BYTES) -> BYTES',
      '(ARRAY<T>, ARRAY<T>) -> ARRAY<T>',
      '(ANY, ANY) -> STRING',
    ],
    'concatenation_operator',
    concatenation,
  ),
  operator('$eq', NEVER_FAILS, COMPARISON, ['(T, T) -> BOOL'], 'comparison_operators', equality),
  operator('$ne', NEVER_FAILS, COMPARISON, ['(T, T) -> BOOL'], 'comparison_operators', equality),
  operator('$lt', NEVER_FAILS, COMPARISON, ['(T, T) -> BOOL'], 'comparison_operators', order('Less than')),
  operator('$le', NEVER_FAILS, COMPARISON, ['(T, T) -> BOOL'], 'comparison_operators', order('Less than')),
  operator('$gt', NEVER_FAILS, COMPARISON, ['(T, T) -> BOOL'], 'comparison_operators', order('Greater than')),
  operator('$ge', NEVER_FAILS, COMPARISON, ['(T, T) -> BOOL'], 'comparison_operators', order('Greater than')),
  {
    ...operator('$and', NEVER_FAILS, NULL_FROM_NULL, ['(BOOL, BOOL) -> BOOL'], 'logical_operators'),
    evaluation: 'may-stop',
  },
  {
    ...operator('$or', NEVER_FAILS, NULL_FROM_NULL, ['(BOOL, BOOL) -> BOOL'], 'logical_operators'),
    evaluation: 'may-stop',
  },
  operator('$not', NEVER_FAILS, NULL_FROM_NULL, ['(BOOL) -> BOOL'], 'logical_operators'),
  operator('$bitand', ofBytes, UNKNOWN, ['(INT64, INT64) -> INT64', '(BYTES, BYTES) -> BYTES'], 'bitwise_operators'),
  operator('$bitor', ofBytes, UNKNOWN, ['(INT64, INT64) -> INT64', '(BYTES, BYTES) -> BYTES'], 'bitwise_operators'),
  operator('$bitxor', ofBytes, UNKNOWN, ['(INT64, INT64) -> INT64', '(BYTES, BYTES) -> BYTES'], 'bitwise_operators'),
  operator('$bitnot', NEVER_FAILS, UNKNOWN, ['(INT64) -> INT64', '(BYTES) -> BYTES'], 'bitwise_operators'),
  operator(
    '$shift_left',
    CAN_FAIL,
    UNKNOWN,
    ['(INT64, INT64) -> INT64', '(BYTES, INT64) -> BYTES'],
    'bitwise_operators',
  ),
  operator(
    '$shift_right',
    CAN_FAIL,
    UNKNOWN,
    ['(INT64, INT64) -> INT64', '(BYTES, INT64) -> BYTES'],
    'bitwise_operators',
  ),
  operator('$is_null', NEVER_FAILS, NEVER_NULL, ['(ANY) -> BOOL'], 'is_operators'),
  operator('$is_true', NEVER_FAILS, NEVER_NULL, ['(BOOL) -> BOOL'], 'is_operators'),
  operator('$is_false', NEVER_FAILS, NEVER_NULL, ['(BOOL) -> BOOL'], 'is_operators'),
  operator('$is_distinct', NEVER_FAILS, NEVER_NULL, ['(T, T) -> BOOL'], 'is_distinct', grouping),
  operator('$between', NEVER_FAILS, MEMBERSHIP, ['(T, T, T) -> BOOL'], 'comparison_operators', order('BETWEEN')),
  operator('$in', NEVER_FAILS, MEMBERSHIP, ['(T, T...) -> BOOL'], 'in_operators', membership),
  operator('$in_array', NEVER_FAILS, UNKNOWN, ['(T, ARRAY<T>) -> BOOL'], 'in_operators', membership),
  operator('$like', matching, COMPARISON, ['(STRING, STRING) -> BOOL', '(BYTES, BYTES) -> BOOL'], 'like_operator'),
  operator(
    '$like_any',
    matching,
    UNKNOWN,
    ['(STRING, STRING...) -> BOOL', '(BYTES, BYTES...) -> BOOL'],
    'like_operator_quantified',
  ),
  operator(
    '$like_all',
    matching,
    UNKNOWN,
    ['(STRING, STRING...) -> BOOL', '(BYTES, BYTES...) -> BOOL'],
    'like_operator_quantified',
  ),
  operator(
    '$like_any_array',
    CAN_FAIL,
    UNKNOWN,
    ['(STRING, ARRAY<STRING>) -> BOOL', '(BYTES, ARRAY<BYTES>) -> BOOL'],
    'like_operator_quantified',
  ),
  operator(
    '$like_all_array',
    CAN_FAIL,
    UNKNOWN,
    ['(STRING, ARRAY<STRING>) -> BOOL', '(BYTES, ARRAY<BYTES>) -> BOOL'],
    'like_operator_quantified',
  ),
  operator('$array_at_offset', CAN_FAIL, ELEMENT, ['(ARRAY<T>, INT64) -> T'], 'array_subscript_operator'),
  operator('$array_at_ordinal', CAN_FAIL, ELEMENT, ['(ARRAY<T>, INT64) -> T'], 'array_subscript_operator'),
  operator('$safe_array_at_offset', NEVER_FAILS, UNKNOWN, ['(ARRAY<T>, INT64) -> T'], 'array_subscript_operator'),
  operator('$safe_array_at_ordinal', NEVER_FAILS, UNKNOWN, ['(ARRAY<T>, INT64) -> T'], 'array_subscript_operator'),
  operator(
    '$subscript_json',
    NEVER_FAILS,
    UNKNOWN,
    ['(JSON, INT64) -> JSON', '(JSON, STRING) -> JSON'],
    'json_subscript_operator',
  ),
  operator('$json_field', NEVER_FAILS, UNKNOWN, ['(JSON, STRING) -> JSON'], 'field_access_operator'),
]
