/** Array functions. */
import type { Expr } from '../resolved.js'
import { type ArrayType, typeName } from '../types.js'
import { beyondBigQuery, type FunctionEntry } from './catalogue.js'
import { isOrderable } from './operators.js'

const array = (name: string, signatures: readonly string[], check?: FunctionEntry['check']): FunctionEntry => ({
  name,
  kind: 'scalar',
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

/** A NULL that says no type is no array, although it could become one. */
const needsArrays: FunctionEntry['check'] = args =>
  args.some(arg => arg && isBareNull(arg))
    ? 'The argument to ARRAY_CONCAT (or ARRAY_CONCAT_AGG) must be an array type but was NULL'
    : null

function isBareNull(expr: Expr): boolean {
  if (expr.kind === 'cast') return expr.isImplicit && isBareNull(expr.operand)
  return expr.kind === 'literal' && expr.value === null
}

export const ARRAY_FUNCTIONS: readonly FunctionEntry[] = [
  array('ARRAY_LENGTH', ['(ARRAY<T>) -> INT64']),
  array('ARRAY_CONCAT', ['(ARRAY<T>...) -> ARRAY<T>'], needsArrays),
  array('ARRAY_REVERSE', ['(ARRAY<T>) -> ARRAY<T>']),
  array('ARRAY_TO_STRING', ['(ARRAY<STRING>, STRING, [STRING]) -> STRING', '(ARRAY<BYTES>, BYTES, [BYTES]) -> BYTES']),
  array('ARRAY_FIRST', ['(ARRAY<T>) -> T']),
  array('ARRAY_LAST', ['(ARRAY<T>) -> T']),
  array('ARRAY_SLICE', ['(ARRAY<T>, INT64, INT64) -> ARRAY<T>']),
  beyondBigQuery(array('ARRAY_IS_DISTINCT', ['(ARRAY<T>) -> BOOL'])),
  beyondBigQuery(array('ARRAY_MIN', ['(ARRAY<T>) -> T'], needsOrder('ARRAY_MIN'))),
  beyondBigQuery(array('ARRAY_MAX', ['(ARRAY<T>) -> T'], needsOrder('ARRAY_MAX'))),
  beyondBigQuery(
    array(
      'ARRAY_SUM',
      NUMBERS.map(type => `(ARRAY<${type}>) -> ${type}`),
    ),
  ),
  beyondBigQuery(
    array('ARRAY_AVG', [
      '(ARRAY<INT64>) -> FLOAT64',
      '(ARRAY<NUMERIC>) -> NUMERIC',
      '(ARRAY<BIGNUMERIC>) -> BIGNUMERIC',
      '(ARRAY<FLOAT64>) -> FLOAT64',
    ]),
  ),
  beyondBigQuery(
    array('ARRAY_TRANSFORM', [
      '(ARRAY<T>, LAMBDA(T) -> U) -> ARRAY<U>',
      '(ARRAY<T>, LAMBDA(T, INT64) -> U) -> ARRAY<U>',
    ]),
  ),
  beyondBigQuery(
    array('ARRAY_FILTER', [
      '(ARRAY<T>, LAMBDA(T) -> BOOL) -> ARRAY<T>',
      '(ARRAY<T>, LAMBDA(T, INT64) -> BOOL) -> ARRAY<T>',
    ]),
  ),
  beyondBigQuery(array('ARRAY_INCLUDES', ['(ARRAY<T>, LAMBDA(T) -> BOOL) -> BOOL', '(ARRAY<T>, T) -> BOOL'])),
  beyondBigQuery(array('ARRAY_INCLUDES_ANY', ['(ARRAY<T>, ARRAY<T>) -> BOOL'])),
  beyondBigQuery(array('ARRAY_INCLUDES_ALL', ['(ARRAY<T>, ARRAY<T>) -> BOOL'])),
  array('GENERATE_ARRAY', [
    '(INT64, INT64, [INT64]) -> ARRAY<INT64>',
    '(NUMERIC, NUMERIC, [NUMERIC]) -> ARRAY<NUMERIC>',
    '(FLOAT64, FLOAT64, [FLOAT64]) -> ARRAY<FLOAT64>',
  ]),
  {
    name: 'RANGE_BUCKET',
    kind: 'scalar',
    signatures: ['(T, ARRAY<T>) -> INT64'],
    documentation: 'mathematical_functions#range_bucket',
  },
]
