/** Aggregate functions: general, approximate and statistical. */
import type { Expr } from '../../plan/nodes.js'
import { INT64, type Type, typeName } from '../../types/types.js'
import {
  type AggregateTraits,
  CAN_FAIL,
  type CanFail,
  canFailUnlessLiteral,
  type FunctionEntry,
  NEVER_FAILS,
} from '../catalogue.js'
import { ARGUMENTS, COUNT, ELEMENTS, EXTREME, NULL_FROM_NULL, type ResultFacts, UNKNOWN } from '../result-facts.js'
import { isComparable, isOrderable } from './operators.js'

type Args = readonly (Expr | null)[]

/** The traits of most aggregates; with OVER they may have any frame. */
const PLAIN: AggregateTraits = { allowsDistinct: true, allowsHaving: true, allowsOver: true, allowsFrame: true }
const ORDERED: AggregateTraits = { ...PLAIN, allowsOrderBy: true, allowsLimit: true }

const aggregate = (
  name: string,
  canFail: CanFail,
  result: ResultFacts,
  signatures: readonly string[],
  documentation: string,
  traits: AggregateTraits = PLAIN,
  more: Partial<FunctionEntry> = {},
): FunctionEntry => ({
  name,
  kind: 'aggregate',
  canFail,
  volatility: 'immutable',
  evaluation: 'all',
  result,
  signatures,
  documentation: `${documentation}#${name.replace('$count_star', 'count').toLowerCase()}`,
  aggregate: traits,
  ...more,
})

const NUMBERS = [
  '(INT64) -> INT64',
  '(NUMERIC) -> NUMERIC',
  '(BIGNUMERIC) -> BIGNUMERIC',
  '(FLOAT64) -> FLOAT64',
  '(INTERVAL) -> INTERVAL',
]
const AVERAGES = ['(INT64) -> FLOAT64', ...NUMBERS.slice(1)]
const SPREADS = ['(FLOAT64) -> FLOAT64', '(NUMERIC) -> FLOAT64', '(BIGNUMERIC) -> FLOAT64']
const PAIRS = ['(FLOAT64, FLOAT64) -> FLOAT64', '(NUMERIC, NUMERIC) -> FLOAT64', '(BIGNUMERIC, BIGNUMERIC) -> FLOAT64']

const needsOrder =
  (name: string, argument = 0) =>
  (args: Args): string | null => {
    const type = args[argument]?.type
    return type && !isOrderable(type) ? `${name} is not defined for arguments of type ${typeName(type)}` : null
  }

/**
 * Whether APPROX_TOP_COUNT and similar functions accept the type: they refuse FLOAT64, JSON, and structs and arrays that
 * contain one of these types.
 */
function isGroupable(type: Type): boolean {
  if (type.kind === 'ARRAY') return isGroupable(type.element)
  if (type.kind === 'STRUCT') return type.fields.every(field => isGroupable(field.type))
  return type.kind !== 'FLOAT64' && type.kind !== 'JSON'
}

/** The largest count that APPROX_QUANTILES and APPROX_TOP_… take: the result is an array of that size. */
const MAX_COUNT = 100_000n

function checkCount(name: string, count: Expr | null | undefined, ordinal: string): string | null {
  const given = count?.kind === 'cast' ? count.operand : count
  if (given?.kind === 'parameter') return null
  if (given?.kind !== 'literal') return `The ${ordinal} argument to ${name} must be a literal or query parameter`
  if (given.value === null) return `The ${ordinal} argument to ${name} function must not be NULL`
  if (given.type.kind !== 'INT64') return `The ${ordinal} argument to ${name} must be a literal or query parameter`
  const value = BigInt(given.value as string)
  if (value < 1n) return `The ${ordinal} argument to ${name} function must be positive`
  return value > MAX_COUNT ? `The ${ordinal} argument to ${name} function must not exceed ${MAX_COUNT}` : null
}

function checkSeparator(separator: Expr | null | undefined): string | null {
  if (!separator) return null
  if (separator.kind === 'cast') return checkSeparator(separator.operand)
  if (separator.kind === 'parameter') return null
  if (separator.kind !== 'literal') return 'Argument 2 to STRING_AGG must be a literal or query parameter'
  return separator.value === null ? 'Argument 2 to STRING_AGG must be non-NULL' : null
}

const checkTop =
  (name: string, countAt: number, ordinal: string) =>
  (args: Args): string | null => {
    const type = args[0]?.type ?? INT64
    if (!isGroupable(type)) return `Argument 1 to ${name} must support grouping; Type ${typeName(type)} does not`
    return checkCount(name, args[countAt], ordinal)
  }

const OF_PAIRS: AggregateTraits = { allowsHaving: true, allowsOver: true, allowsFrame: true }
const APPROXIMATE: AggregateTraits = { allowsOver: true, allowsFrame: true }

export const AGGREGATES: readonly FunctionEntry[] = [
  aggregate('ANY_VALUE', NEVER_FAILS, EXTREME, ['(T) -> T'], 'aggregate_functions'),
  aggregate(
    'ARRAY_AGG',
    NEVER_FAILS,
    ARGUMENTS,
    ['(T) -> ARRAY<T>'],
    'aggregate_functions',
    { ...ORDERED, allowsNullsClause: true },
    {
      check: args =>
        args[0]?.type.kind === 'ARRAY'
          ? `The argument to ARRAY_AGG must not be an array type but was ${typeName(args[0].type)}`
          : null,
    },
  ),
  aggregate('ARRAY_CONCAT_AGG', NEVER_FAILS, ELEMENTS, ['(ARRAY<T>) -> ARRAY<T>'], 'aggregate_functions', {
    allowsHaving: true,
    allowsOrderBy: true,
    allowsLimit: true,
  }),
  aggregate('AVG', NEVER_FAILS, NULL_FROM_NULL, AVERAGES, 'aggregate_functions'),
  aggregate('BIT_AND', NEVER_FAILS, UNKNOWN, ['(INT64) -> INT64'], 'aggregate_functions'),
  aggregate('BIT_OR', NEVER_FAILS, UNKNOWN, ['(INT64) -> INT64'], 'aggregate_functions'),
  aggregate('BIT_XOR', NEVER_FAILS, UNKNOWN, ['(INT64) -> INT64'], 'aggregate_functions'),
  aggregate('$count_star', NEVER_FAILS, COUNT, ['() -> INT64'], 'aggregate_functions', {
    allowsHaving: true,
    allowsOver: true,
    allowsFrame: true,
  }),
  aggregate('COUNT', NEVER_FAILS, COUNT, ['(ANY) -> INT64'], 'aggregate_functions'),
  aggregate('COUNTIF', NEVER_FAILS, COUNT, ['(BOOL) -> INT64'], 'aggregate_functions'),
  aggregate('LOGICAL_AND', NEVER_FAILS, NULL_FROM_NULL, ['(BOOL) -> BOOL'], 'aggregate_functions'),
  aggregate('LOGICAL_OR', NEVER_FAILS, NULL_FROM_NULL, ['(BOOL) -> BOOL'], 'aggregate_functions'),
  aggregate('MAX', NEVER_FAILS, EXTREME, ['(T) -> T'], 'aggregate_functions', PLAIN, { check: needsOrder('MAX') }),
  aggregate('MIN', NEVER_FAILS, EXTREME, ['(T) -> T'], 'aggregate_functions', PLAIN, { check: needsOrder('MIN') }),
  aggregate('MAX_BY', NEVER_FAILS, UNKNOWN, ['(T, U) -> T'], 'aggregate_functions', APPROXIMATE, {
    check: needsOrder('MAX_BY', 1),
  }),
  aggregate('MIN_BY', NEVER_FAILS, UNKNOWN, ['(T, U) -> T'], 'aggregate_functions', APPROXIMATE, {
    check: needsOrder('MIN_BY', 1),
  }),
  aggregate(
    'STRING_AGG',
    canFailUnlessLiteral(1),
    NULL_FROM_NULL,
    ['(STRING, [STRING]) -> STRING', '(BYTES, [BYTES]) -> BYTES'],
    'aggregate_functions',
    ORDERED,
    { check: args => checkSeparator(args[1]) },
  ),
  aggregate('SUM', CAN_FAIL, NULL_FROM_NULL, NUMBERS, 'aggregate_functions'),

  aggregate(
    'APPROX_COUNT_DISTINCT',
    NEVER_FAILS,
    COUNT,
    ['(ANY) -> INT64'],
    'approximate_aggregate_functions',
    APPROXIMATE,
    {
      check: ([value]) =>
        value && !isComparable(value.type)
          ? `The argument to APPROX_COUNT_DISTINCT must support grouping; Type ${typeName(value.type)} does not`
          : null,
    },
  ),
  aggregate(
    'APPROX_QUANTILES',
    canFailUnlessLiteral(1),
    UNKNOWN,
    ['(T, INT64) -> ARRAY<T>'],
    'approximate_aggregate_functions',
    { ...APPROXIMATE, allowsDistinct: true, allowsNullsClause: true, ignoresNullsByDefault: true },
    {
      check: args => needsOrder('APPROX_QUANTILES')(args) ?? checkCount('APPROX_QUANTILES', args[1], 'second'),
    },
  ),
  aggregate(
    'APPROX_TOP_COUNT',
    canFailUnlessLiteral(1),
    UNKNOWN,
    ['(T, INT64) -> ARRAY<STRUCT<value T, count INT64>>'],
    'approximate_aggregate_functions',
    APPROXIMATE,
    { check: checkTop('APPROX_TOP_COUNT', 1, 'second') },
  ),
  aggregate(
    'APPROX_TOP_SUM',
    CAN_FAIL,
    UNKNOWN,
    ['INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64'].map(w => `(T, ${w}, INT64) -> ARRAY<STRUCT<value T, sum ${w}>>`),
    'approximate_aggregate_functions',
    APPROXIMATE,
    { check: checkTop('APPROX_TOP_SUM', 2, 'third') },
  ),

  aggregate('CORR', CAN_FAIL, UNKNOWN, PAIRS, 'statistical_aggregate_functions', OF_PAIRS),
  aggregate('COVAR_POP', NEVER_FAILS, UNKNOWN, PAIRS, 'statistical_aggregate_functions', OF_PAIRS),
  aggregate('COVAR_SAMP', NEVER_FAILS, UNKNOWN, PAIRS, 'statistical_aggregate_functions', OF_PAIRS),
  aggregate('STDDEV_POP', NEVER_FAILS, UNKNOWN, SPREADS, 'statistical_aggregate_functions'),
  aggregate('STDDEV_SAMP', NEVER_FAILS, UNKNOWN, SPREADS, 'statistical_aggregate_functions', PLAIN, {
    aliases: ['STDDEV'],
  }),
  aggregate('VAR_POP', NEVER_FAILS, UNKNOWN, SPREADS, 'statistical_aggregate_functions'),
  aggregate('VAR_SAMP', NEVER_FAILS, UNKNOWN, SPREADS, 'statistical_aggregate_functions', PLAIN, {
    aliases: ['VARIANCE'],
  }),
]
