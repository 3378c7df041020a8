/** Functions that exist with OVER only: numbering, navigation and percentiles. */
import type { Expr } from '../../plan/nodes.js'
import { mapExpr } from '../../plan/rewrite.js'
import { typeName } from '../../types/types.js'
import {
  type AggregateTraits,
  CAN_FAIL,
  type CanFail,
  canFailUnlessLiteral,
  type FunctionEntry,
  NEVER_FAILS,
} from '../catalogue.js'
import { ARGUMENT, COUNT, NEVER_NULL, type ResultFacts, UNKNOWN } from '../result-facts.js'
import { isOrderable } from './operators.js'

const RANKING: AggregateTraits = { allowsOver: true, requiresOver: true, requiresOrder: true }
const NAVIGATION: AggregateTraits = {
  allowsOver: true,
  requiresOver: true,
  requiresOrder: true,
  allowsFrame: true,
  allowsNullsClause: true,
  ignoresNullsByDefault: false,
}

const windowFunction = (
  name: string,
  canFail: CanFail,
  result: ResultFacts,
  signatures: readonly string[],
  documentation: string,
  traits: AggregateTraits,
  check?: FunctionEntry['check'],
  more?: Pick<FunctionEntry, 'decimalsNeedAll'>,
): FunctionEntry => ({
  name,
  kind: 'window',
  canFail,
  volatility: 'immutable',
  evaluation: 'all',
  result,
  signatures,
  documentation: `${documentation}#${name.toLowerCase()}`,
  aggregate: traits,
  allowsSafe: false,
  ...(check ? { check } : {}),
  ...more,
})

type Args = readonly (Expr | null)[]

/** Whether the expression is a literal or a parameter, with or without a cast, or an array, a struct or a negation of these. */
function isConstant(expr: Expr): boolean {
  if (expr.kind === 'literal' || expr.kind === 'parameter') return true
  if (expr.kind === 'cast') return isConstant(expr.operand)
  if (expr.kind === 'array') return expr.items.every(isConstant)
  if (expr.kind === 'struct') return expr.fields.every(isConstant)
  return expr.kind === 'call' && expr.name === '$negate' && isConstant(expr.arguments[0]!)
}

/**
 * Whether the value may differ from row to row. An expression that reads only constants has one value, unless it is volatile.
 */
function differsByRow(expr: Expr, isVolatileCall: (expr: Expr) => boolean): boolean {
  let differs = false
  mapExpr(expr, part => {
    differs ||= isVolatileCall(part) || part.kind === 'column' || part.kind === 'subquery' || part.kind === 'in-query'
    return differs ? part : undefined
  })
  return differs
}

/** Checks the offset and the default of LEAD and LAG. */
const checkShift =
  (name: string): FunctionEntry['check'] =>
  (args, isVolatileCall) => {
    const [, offset, fallback] = args
    if (offset) {
      if (!isConstant(offset)) return `The offset to the function ${name} must be constant`
      if (offset.kind === 'literal' && offset.value === null)
        return `The offset to the function ${name} must not be null`
      const isNegative = offset.kind === 'literal' ? String(offset.value).startsWith('-') : offset.kind === 'call'
      if (isNegative) return `The offset to the function ${name} must not be negative`
    }
    return fallback && differsByRow(fallback, isVolatileCall)
      ? `The third argument (the default expression) to ${name} must be constant`
      : null
  }

const checkConstant =
  (message: string, at = 1) =>
  (args: Args): string | null =>
    args[at] && !isConstant(args[at]) ? message : null

const checkPercentile =
  (name: string) =>
  (args: Args): string | null => {
    const [value, percentile] = args
    if (value && !isOrderable(value.type)) return `${name} is not defined for arguments of type ${typeName(value.type)}`
    if (!percentile) return null
    if (!isConstant(percentile))
      return `The second argument to the function ${name} must be a literal or query parameter`
    const given = percentile.kind === 'cast' ? percentile.operand : percentile
    if (given.kind !== 'literal') return null
    if (given.value === null) return `The second argument to the function ${name} must not be NULL`
    const number = Number(given.value)
    return number >= 0 && number <= 1 ? null : `The second argument to the function ${name} must be in [0, 1]`
  }

const PERCENTILE: AggregateTraits = {
  allowsOver: true,
  refusesOrder: true,
  requiresOver: true,
  allowsNullsClause: true,
  ignoresNullsByDefault: true,
}

export const WINDOW_FUNCTIONS: readonly FunctionEntry[] = [
  windowFunction('ROW_NUMBER', NEVER_FAILS, COUNT, ['() -> INT64'], 'numbering_functions', {
    allowsOver: true,
    requiresOver: true,
  }),
  windowFunction('RANK', NEVER_FAILS, COUNT, ['() -> INT64'], 'numbering_functions', RANKING),
  windowFunction('DENSE_RANK', NEVER_FAILS, COUNT, ['() -> INT64'], 'numbering_functions', RANKING),
  windowFunction('PERCENT_RANK', NEVER_FAILS, NEVER_NULL, ['() -> FLOAT64'], 'numbering_functions', RANKING),
  windowFunction('CUME_DIST', NEVER_FAILS, NEVER_NULL, ['() -> FLOAT64'], 'numbering_functions', RANKING),
  windowFunction(
    'NTILE',
    canFailUnlessLiteral(0),
    UNKNOWN,
    ['(INT64) -> INT64'],
    'numbering_functions',
    RANKING,
    checkConstant('The argument to the function NTILE must be a literal or query parameter', 0),
  ),

  windowFunction('FIRST_VALUE', NEVER_FAILS, ARGUMENT, ['(T) -> T'], 'navigation_functions', NAVIGATION),
  windowFunction('LAST_VALUE', NEVER_FAILS, ARGUMENT, ['(T) -> T'], 'navigation_functions', NAVIGATION),
  windowFunction(
    'NTH_VALUE',
    canFailUnlessLiteral(1),
    ARGUMENT,
    ['(T, INT64) -> T'],
    'navigation_functions',
    NAVIGATION,
    checkConstant('The second argument to the function NTH_VALUE must be a literal or query parameter'),
  ),
  windowFunction(
    'LAG',
    canFailUnlessLiteral(1),
    UNKNOWN,
    ['(T, [INT64, T]) -> T'],
    'navigation_functions',
    RANKING,
    checkShift('LAG'),
  ),
  windowFunction(
    'LEAD',
    canFailUnlessLiteral(1),
    UNKNOWN,
    ['(T, [INT64, T]) -> T'],
    'navigation_functions',
    RANKING,
    checkShift('LEAD'),
  ),
  windowFunction(
    'PERCENTILE_CONT',
    CAN_FAIL,
    UNKNOWN,
    ['(FLOAT64, FLOAT64) -> FLOAT64', '(NUMERIC, NUMERIC) -> NUMERIC', '(BIGNUMERIC, BIGNUMERIC) -> BIGNUMERIC'],
    'navigation_functions',
    PERCENTILE,
    checkPercentile('PERCENTILE_CONT'),
    { decimalsNeedAll: true },
  ),
  windowFunction(
    'PERCENTILE_DISC',
    canFailUnlessLiteral(1),
    UNKNOWN,
    ['(T, FLOAT64) -> T', '(T, NUMERIC) -> T', '(T, BIGNUMERIC) -> T'],
    'navigation_functions',
    PERCENTILE,
    checkPercentile('PERCENTILE_DISC'),
  ),
]
