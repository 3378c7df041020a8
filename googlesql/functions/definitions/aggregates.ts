/** Aggregate functions: general, approximate and statistical. */
import type { Expr } from '../../plan/nodes.js'
import { INT64, typeName } from '../../types/types.js'
import {
  type AggregateTraits,
  type Args,
  CAN_FAIL,
  canFailUnlessLiteral,
  each,
  type FunctionEntry,
  functionsOf,
  NEVER_FAILS,
  NUMBERS,
  TEXTS,
} from '../catalogue.js'
import { ARGUMENTS, COUNT, ELEMENTS, NULL_FROM_NULL, ONE_OF_ARGUMENTS, UNKNOWN } from '../result-facts.js'
import { checkOrder, hasFloat, isComparable } from './operators.js'

/** The traits of most aggregates; with OVER they may have any frame. */
const PLAIN: AggregateTraits = { allowsDistinct: true, allowsHaving: true, allowsOver: true, allowsFrame: true }
const ORDERED: AggregateTraits = { ...PLAIN, allowsOrderBy: true, allowsLimit: true }

const WITHOUT_DISTINCT: AggregateTraits = { allowsHaving: true, allowsOver: true, allowsFrame: true }
/** Neither DISTINCT nor HAVING MAX or MIN. */
const WITHOUT_MODIFIERS: AggregateTraits = { allowsOver: true, allowsFrame: true }

const general = functionsOf('aggregate_functions', { kind: 'aggregate', aggregate: PLAIN })
const approximate = functionsOf('approximate_aggregate_functions', { kind: 'aggregate', aggregate: WITHOUT_MODIFIERS })
const statistical = functionsOf('statistical_aggregate_functions', { kind: 'aggregate', aggregate: PLAIN })

const SUMS = each([...NUMBERS, 'INTERVAL'], '(#) -> #')
const AVERAGES = ['(INT64) -> FLOAT64', ...SUMS.slice(1)]
const SPREADS = ['(FLOAT64) -> FLOAT64', '(NUMERIC) -> FLOAT64', '(BIGNUMERIC) -> FLOAT64']
const PAIRS = ['(FLOAT64, FLOAT64) -> FLOAT64', '(NUMERIC, NUMERIC) -> FLOAT64', '(BIGNUMERIC, BIGNUMERIC) -> FLOAT64']

/** The largest count that APPROX_QUANTILES and APPROX_TOP_… take: the result is an array of that size. */
const MAX_COUNT = 100_000n

function checkCount(name: string, count: Expr | null | undefined, ordinal: string): string | null {
  const constant = count?.kind === 'cast' ? count.operand : count
  if (constant?.kind === 'parameter') return null
  if (constant?.kind !== 'literal') return `The ${ordinal} argument to ${name} must be a literal or query parameter`
  if (constant.value === null) return `The ${ordinal} argument to ${name} function must not be NULL`
  if (constant.type.kind !== 'INT64') return `The ${ordinal} argument to ${name} must be a literal or query parameter`
  const value = BigInt(constant.value as string)
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
  (name: string, countIndex: number, ordinal: string) =>
  (args: Args): string | null => {
    const type = args[0]?.type ?? INT64
    if (!isComparable(type) || hasFloat(type))
      return `Argument 1 to ${name} must support grouping; Type ${typeName(type)} does not`
    return checkCount(name, args[countIndex], ordinal)
  }

export const AGGREGATES: readonly FunctionEntry[] = [
  general('ANY_VALUE', NEVER_FAILS, ONE_OF_ARGUMENTS, ['(T) -> T']),
  general('ARRAY_AGG', NEVER_FAILS, ARGUMENTS, ['(T) -> ARRAY<T>'], {
    aggregate: { ...ORDERED, allowsNullsClause: true },
    check: args =>
      args[0]?.type.kind === 'ARRAY'
        ? `The argument to ARRAY_AGG must not be an array type but was ${typeName(args[0].type)}`
        : null,
  }),
  general('ARRAY_CONCAT_AGG', NEVER_FAILS, ELEMENTS, ['(ARRAY<T>) -> ARRAY<T>'], {
    aggregate: { allowsHaving: true, allowsOrderBy: true, allowsLimit: true },
  }),
  general('AVG', NEVER_FAILS, NULL_FROM_NULL, AVERAGES),
  general('BIT_AND', NEVER_FAILS, UNKNOWN, ['(INT64) -> INT64']),
  general('BIT_OR', NEVER_FAILS, UNKNOWN, ['(INT64) -> INT64']),
  general('BIT_XOR', NEVER_FAILS, UNKNOWN, ['(INT64) -> INT64']),
  general('$count_star', NEVER_FAILS, COUNT, ['() -> INT64'], {
    documentation: 'aggregate_functions#count',
    aggregate: WITHOUT_DISTINCT,
  }),
  general('COUNT', NEVER_FAILS, COUNT, ['(ANY) -> INT64']),
  general('COUNTIF', NEVER_FAILS, COUNT, ['(BOOL) -> INT64']),
  general('LOGICAL_AND', NEVER_FAILS, NULL_FROM_NULL, ['(BOOL) -> BOOL']),
  general('LOGICAL_OR', NEVER_FAILS, NULL_FROM_NULL, ['(BOOL) -> BOOL']),
  general('MAX', NEVER_FAILS, ONE_OF_ARGUMENTS, ['(T) -> T'], { check: checkOrder('MAX') }),
  general('MIN', NEVER_FAILS, ONE_OF_ARGUMENTS, ['(T) -> T'], { check: checkOrder('MIN') }),
  general('MAX_BY', NEVER_FAILS, UNKNOWN, ['(T, U) -> T'], {
    aggregate: WITHOUT_MODIFIERS,
    check: checkOrder('MAX_BY', 1),
  }),
  general('MIN_BY', NEVER_FAILS, UNKNOWN, ['(T, U) -> T'], {
    aggregate: WITHOUT_MODIFIERS,
    check: checkOrder('MIN_BY', 1),
  }),
  general('STRING_AGG', canFailUnlessLiteral(1), NULL_FROM_NULL, each(TEXTS, '(#, [#]) -> #'), {
    aggregate: ORDERED,
    check: args => checkSeparator(args[1]),
  }),
  general('SUM', CAN_FAIL, NULL_FROM_NULL, SUMS),

  approximate('APPROX_COUNT_DISTINCT', NEVER_FAILS, COUNT, ['(ANY) -> INT64'], {
    check: ([value]) =>
      value && !isComparable(value.type)
        ? `The argument to APPROX_COUNT_DISTINCT must support grouping; Type ${typeName(value.type)} does not`
        : null,
  }),
  approximate('APPROX_QUANTILES', canFailUnlessLiteral(1), UNKNOWN, ['(T, INT64) -> ARRAY<T>'], {
    aggregate: { ...WITHOUT_MODIFIERS, allowsDistinct: true, allowsNullsClause: true, ignoresNullsByDefault: true },
    check: args => checkOrder('APPROX_QUANTILES')(args) ?? checkCount('APPROX_QUANTILES', args[1], 'second'),
  }),
  approximate(
    'APPROX_TOP_COUNT',
    canFailUnlessLiteral(1),
    UNKNOWN,
    ['(T, INT64) -> ARRAY<STRUCT<value T, count INT64>>'],
    { check: checkTop('APPROX_TOP_COUNT', 1, 'second') },
  ),
  approximate(
    'APPROX_TOP_SUM',
    CAN_FAIL,
    UNKNOWN,
    ['INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64'].map(w => `(T, ${w}, INT64) -> ARRAY<STRUCT<value T, sum ${w}>>`),
    { check: checkTop('APPROX_TOP_SUM', 2, 'third') },
  ),

  statistical('CORR', CAN_FAIL, UNKNOWN, PAIRS, { aggregate: WITHOUT_DISTINCT }),
  statistical('COVAR_POP', NEVER_FAILS, UNKNOWN, PAIRS, { aggregate: WITHOUT_DISTINCT }),
  statistical('COVAR_SAMP', NEVER_FAILS, UNKNOWN, PAIRS, { aggregate: WITHOUT_DISTINCT }),
  statistical('STDDEV_POP', NEVER_FAILS, UNKNOWN, SPREADS),
  statistical('STDDEV_SAMP', NEVER_FAILS, UNKNOWN, SPREADS, { aliases: ['STDDEV'] }),
  statistical('VAR_POP', NEVER_FAILS, UNKNOWN, SPREADS),
  statistical('VAR_SAMP', NEVER_FAILS, UNKNOWN, SPREADS, { aliases: ['VARIANCE'] }),
]
